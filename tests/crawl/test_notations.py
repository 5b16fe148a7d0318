"""A shop that writes its weights with a dot and its prices with a comma: each column is stored as it is meant."""

from __future__ import annotations

import json

from tests.conftest import Project
from tests.site_server import SiteServer

SITE = """entry = ["{url}/"]
[[samples]]
url = "{url}/p/1"
fields = {{ title = "Thing 1", weight = "7.250 kg", price = "1.299 €", votes = [{{ by = "Ann 1", stars = "4.125" }}] }}
[[samples]]
url = "{url}/p/2"
fields = {{ title = "Thing 2", weight = "12.125 kg", price = "2.450 €", votes = [{{ by = "Ann 2", stars = "3,5" }}] }}
[types]
weight = "number"
price = "price"
"votes.stars" = "number"
"""

WEIGHTS = {
    1: ("7.250 kg", 7.25),
    2: ("12.125 kg", 12.125),
    3: ("0.125 kg", 0.125),
    4: ("8,5 kg", 8.5),
    0: ("3.5 kg", 3.5),
}
PRICES = {1: ("1.299 €", 1299), 2: ("2.450 €", 2450), 3: ("49,90 €", 49.9), 4: ("12.480 €", 12480), 0: ("5,- €", 5)}
STARS = {1: ("4.125", 4125), 0: ("3,5", 3.5)}


def test_what_a_text_leaves_open_its_column_decides(project: Project, site: SiteServer) -> None:
    numbers = range(1, 31)
    site.links["/"] = [f"/p/{n}" for n in numbers]
    for n in numbers:
        site.texts[f"/p/{n}"] = (
            f"<h2>Thing {n}</h2><dl><dt>Weight</dt><dd>{WEIGHTS[n % 5][0]}</dd></dl>"
            f"<b class='price'>{PRICES[n % 5][0]}</b>"
            f"<ol><li class='vote'><b>Ann {n}</b> <i>{STARS[n % 2][0]}</i></li></ol>"
        )
    project.write_site("shop", SITE.format(url=site.url))
    learned = project.scrapy("learn", "shop", "--verbose")
    assert learned.code == 0, learned.err
    assert 'weight is read as number(decimal="."): the values that leave no choice' in " ".join(learned.out.split())
    types = {"weight": 'number(decimal=".")', "price": 'price(decimal=",")', "votes.stars": 'number(decimal=",")'}
    knowledge = project.knowledge("shop")
    assert knowledge["types"] == types
    assert knowledge["evidence"]["notations"]["weight"]["votes"]["."] > 0
    assert project.scrapy("crawl", "shop").code == 0
    assert stored(project) == {f"Thing {n}": (WEIGHTS[n % 5][1], PRICES[n % 5][1], STARS[n % 2][1]) for n in numbers}

    knowledge["types"]["votes.stars"] = "number(decimal='.')"
    (project.directory / "data" / "shop" / "knowledge.json").write_text(json.dumps(knowledge))
    again = project.scrapy("extract", "shop")
    assert again.code == 0, again.err
    assert stored(project)["Thing 1"] == (7.25, 1299, 4.125)


def stored(project: Project) -> dict[str, tuple[float, float, float]]:
    rows = project.rows("SELECT title, weight, price, votes FROM records_shop", name="shop")
    return {title: (weight, price, json.loads(votes)[0]["stars"]) for title, weight, price, votes in rows}

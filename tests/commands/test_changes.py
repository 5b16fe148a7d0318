"""`scrapy changes`: what recrawls have found, from a crawl to the terminal."""

from __future__ import annotations

import json
import time

from tests.commands.stored_shop import PRICES, TITLES, html_of, item, store_shop, visit, wrapper
from tests.conftest import Project
from tests.shop_site import SAMPLES
from tests.site_server import SiteServer


def test_a_recrawl_keeps_what_changed(project: Project, site: SiteServer) -> None:
    site.links = {"/": [f"/item/{number}" for number in range(1, 5)]}
    for number, shown in enumerate(zip(TITLES[:4], PRICES, strict=False), 1):
        site.bodies[f"/item/{number}"] = (html_of(*shown), "text/html")
    project.write_site("shop", f'entry = ["{site.url}/"]\n' + SAMPLES.format(url=site.url))
    project.write_knowledge("shop", targets=(f"{site.url}/item/[0-9]+",), wrapper=wrapper(), keywords="")
    history = {"GWC_HISTORY": True}
    assert project.scrapy("crawl", "shop", settings=history).code == 0
    first = json.loads(project.scrapy("changes", "shop", "--json").out)
    assert [one["what"] for one in first] == ["new"] * 4
    site.bodies["/item/2"] = (html_of(TITLES[1], "$8.00"), "text/html")
    del site.bodies["/item/3"]
    site.statuses["/item/3"] = 404
    assert project.scrapy("crawl", "shop", "-a", "recrawl=all", settings=history).code == 0
    later = json.loads(project.scrapy("changes", "shop", "--json").out)[4:]
    assert [(one["what"], one["url"], one["field"], one["old"], one["new"]) for one in later] == [
        ("changed", f"{site.url}/item/2", "price", "$7.19", "$8.00"),
        ("gone", f"{site.url}/item/3", "", None, None),
    ]


def test_changes_are_shown_and_chosen(project: Project) -> None:
    later = time.time() + 1
    store_shop(project, visit(1, TITLES[0], "$99", at=later), visit(2, None, None, at=later))
    outcome = project.scrapy("changes", "shop", "--field", "price")
    assert (outcome.code, outcome.out.count("\n")) == (0, 1)
    assert f"changed  {item(1)}  price: {PRICES[0]} → $99" in outcome.out
    (removed,) = json.loads(project.scrapy("changes", "shop", "--url", item(2), "--json", "--since", "1h").out)[1:]
    assert (removed["what"], removed["old"]["title"]) == ("removed", TITLES[1])
    nothing = project.scrapy("changes", "shop", "--since", "2099-01-01", "--json")
    assert (nothing.code, json.loads(nothing.out)) == (1, [])


def test_a_page_gives_the_terminal_no_orders(project: Project) -> None:
    store_shop(project, visit(1, "Thor \x1b]0;mine\x07[bold]", "\x1b[2J$99", at=time.time() + 1))
    for shown in (("changes", "shop"), ("view", "shop"), ("view", "shop", "--url", item(1))):
        outcome = project.scrapy(*shown)
        assert (outcome.code, "\ufffd[2J$99" in outcome.out, "\x1b" in outcome.out) == (0, True, False), outcome.out
    assert "\\u001b[2J" in project.scrapy("view", "shop", "--url", item(1), "--json").out


def test_without_a_history_it_says_what_helps(project: Project) -> None:
    store_shop(project)
    outcome = project.scrapy("changes", "shop")
    assert (outcome.code, "GWC_HISTORY" in outcome.err, outcome.out) == (2, True, "")

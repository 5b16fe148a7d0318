"""*Wrong?* without a browser: what is shown of a page is harmless, and what can't be corrected is told at once."""

from __future__ import annotations

import html
import json
from pathlib import Path

import pytest

from gwc_crawler.dashboard.web.security import VisitorCheck
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.modes import KeepHtml
from gwc_crawler.runs.correction import CORRECTION
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.sink import SqliteSink
from tests.commands.stored_shop import URL, item, store_shop, visit, wrapper
from tests.conftest import Project
from tests.dashboard.asking import TOKEN, Question, ask
from tests.shop_site import SAMPLES

EVIL = "<script>alert(1)</script><img src=http://evil.example/x onerror=alert(2)>"
FORM = {"form_token": VisitorCheck(TOKEN).form_token, "url": item(3), "field": "price"}
WRONG = "/sites/shop/wrong"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A stored shop, one of whose pages means harm."""
    project = Project(tmp_path)
    store_shop(project)
    project.write_knowledge("shop", targets=(f"{URL}/item/[0-9]+",), wrapper=wrapper(), keywords="")
    with CrawlDatabase(tmp_path / "data" / "shop" / "crawl.db") as database:
        SqliteSink(database, site="shop", fields=["title", "price"], keep_html=KeepHtml.ALL).write(
            [visit(4, EVIL, EVIL)]
        )
    return tmp_path


def test_a_record_leads_to_its_page_which_does_nothing(shop: Path) -> None:
    record, shown = ask(shop, f"/sites/shop/record?url={item(4)}", f"{WRONG}?url={item(4)}&field=title")
    assert html.unescape(record.text).count(f"{WRONG}?url=") == 2
    assert shown.status == 200
    assert "<script>alert" not in shown.text
    assert "src=http://evil" not in html.unescape(shown.text.partition('id="foreign"')[2].partition("</section>")[0])


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"how": "written", "value": "$9.99"}, "'$9.99' is nowhere on"),
        ({"how": "written", "value": "$3.50"}, "It is read so already."),
        ({"how": "written", "value": " \0"}, "There is no text at this place"),
        ({"how": "written", "value": 200_000 * "x"}, "There is no text at this place, or too much"),
        ({"how": "one", "element": "9999"}, "There is no such place on the page"),
        ({"how": "like", "element": "5"}, "nothing like this is beside it"),
        ({"how": "written", "value": "x", "field": "pirce"}, "shop has no field 'pirce' (did you mean 'price'?)"),
    ],
)
def test_what_can_not_be_learned_is_told_at_once(shop: Path, given: dict[str, str], told: str) -> None:
    (seen,) = ask(shop, Question(WRONG, {**FORM, **given}))
    assert told in html.unescape(seen.text)
    assert not (shop / "data" / "shop" / "dashboard.fix.log").exists()


@pytest.mark.parametrize(
    ("asked", "status", "told"),
    [
        (f"url={URL}/item/77&field=price", 404, "The HTML of this page was not kept"),
        (f"url={item(3)}&field=pirce", 400, "did you mean 'price'?"),
        (f"url={item(3)}&field=by_hand", 400, "correct it in"),
    ],
)
def test_what_is_not_there_or_read_by_hand_is_told(shop: Path, asked: str, status: int, told: str) -> None:
    path = shop / "sites" / "shop.toml"
    path.write_text(path.read_text("utf-8") + '[fields.by_hand]\ncss = "h2"\n', "utf-8")
    (seen,) = ask(shop, f"{WRONG}?{asked}")
    assert (seen.status, told in html.unescape(seen.text)) == (status, True)


def test_a_draft_for_another_site_file_is_not_applied(shop: Path) -> None:
    """Somebody has edited it since."""
    data = shop / "data" / "shop"
    known = json.loads((data / "knowledge.json").read_text("utf-8"))
    samples = {item(3): {"price": "$3.50", "title": "Book number 3"}}
    known["evidence"] = {CORRECTION: samples, "site_file": "0" * 16, "warnings": ["'3' is a part of '$3.50'"]}
    Knowledge.from_json(known).save(data / "knowledge.draft.json")
    shown, seen = ask(
        shop,
        "/sites/shop/change/live",
        Question("/sites/shop/change/decide", {"form_token": FORM["form_token"], "what": "apply"}),
    )
    assert "The site file gets these samples:" in shown.text
    assert "'3' is a part of '$3.50'" in html.unescape(shown.text)
    assert (seen.status, "has been changed since this was learned" in seen.text) == (400, True)
    assert (shop / "sites" / "shop.toml").read_text("utf-8").endswith(SAMPLES.format(url=URL))


def test_a_second_correction_does_not_throw_away_the_first(shop: Path) -> None:
    data = shop / "data" / "shop"
    draft = data / "knowledge.draft.json"
    draft.write_bytes((data / "knowledge.json").read_bytes())
    (seen,) = ask(shop, Question(WRONG, {**FORM, "how": "written", "value": "Book number 3"}))
    assert "This draft comes first" in seen.text
    assert draft.exists()

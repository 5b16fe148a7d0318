"""Filters change only after it was shown what they would change; schedules are kept, switched, removed by clicking."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gwc_crawler.dashboard.web import VisitorCheck
from gwc_crawler.frontier.sqlite import SqliteFrontier
from gwc_crawler.items import Link
from gwc_crawler.knowledge import Knowledge
from gwc_crawler.schedules import ScheduleBook
from gwc_crawler.store import CrawlDatabase
from tests.commands.stored_shop import URL, store_shop, wrapper
from tests.conftest import Project
from tests.dashboard.asking import TOKEN, Browser, Question, ask, browse

FORM = {"form_token": VisitorCheck(TOKEN).form_token}
TARGETS = (re.escape(f"{URL}/item/") + "[0-9]+",)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A stored shop; URLs of items and of a calendar wait."""
    project = Project(tmp_path)
    store_shop(project)
    project.write_knowledge("shop", targets=TARGETS, wrapper=wrapper())
    with CrawlDatabase(tmp_path / "data" / "shop" / "crawl.db") as database:
        frontier = SqliteFrontier(database, exclusive=False)
        frontier.add([Link(f"{URL}/{name}/{number}") for name in ("calendar", "item") for number in range(70, 74)])
    return tmp_path


def known(project: Path) -> list[str]:
    return [one.regex for one in Knowledge.load(project / "data" / "shop" / "knowledge.json").targets]


@pytest.mark.parametrize("what", ["apply", "drop"])
def test_edited_filters_are_seen_before_they_are_applied_or_thrown_away(shop: Path, what: str) -> None:
    before = Knowledge.load(shop / "data" / "shop" / "knowledge.json")
    edited = re.escape(f"{URL}/calendar/") + "7[0-1]"

    async def asked(client: Browser) -> str:
        form = {**FORM, "targets": f"{TARGETS[0]}\n{edited}\n", "max_weight": "2"}
        form["directories"] = "\n".join(one.regex for one in before.directories)
        text = await (await client.post("/sites/shop/change/filters", form)).text()
        for _ in range(600):
            if "Apply it" in text:
                break
            text = await (await client.get("/sites/shop/change/live")).text()
        assert known(shop) == [*TARGETS]
        await client.post("/sites/shop/change/decide", {**FORM, "what": what})
        return text

    seen = browse(shop, asked)
    assert set(re.findall(r"(/calendar/\d+)</a>", seen)) == {"/calendar/70", "/calendar/71"}
    assert not re.search(r"/item/\d+</a>", seen)
    assert known(shop) == ([*TARGETS, edited] if what == "apply" else [*TARGETS])
    assert (shop / "data" / "shop" / "knowledge.previous.json").exists() is (what == "apply")
    assert not (shop / "data" / "shop" / "knowledge.draft.json").exists()


def test_what_is_no_pattern_is_told_and_a_draft_that_is_gone(shop: Path) -> None:
    form = {**FORM, "targets": "(<script>", "directories": ""}
    wrong, none, gone = ask(
        shop,
        Question("/sites/shop/change/filters", form),
        Question("/sites/shop/change/filters", {**form, "targets": " "}),
        Question("/sites/shop/change/decide", {**FORM, "what": "apply"}),
    )
    assert "(&lt;script&gt; is no pattern" in wrong.text
    assert "leave one" in none.text
    assert gone.status == 404
    assert known(shop) == [*TARGETS]


def test_schedules_are_kept_switched_and_removed(shop: Path) -> None:
    book = ScheduleBook(shop / "data")
    form = {**FORM, "name": "shop", "days": "mon-fri", "time": "03:00", "zone": "Europe/Berlin", "recrawl": "due"}
    form |= {"missed": "run", "cron": ""}
    added, nowhere, never = ask(
        shop,
        Question("/schedules", form),
        Question("/schedules", {**form, "name": "<b>"}),
        Question("/schedules", {**form, "cron": "61 * * * *"}),
    )
    assert "shop will be crawled" in added.text
    assert "Choose a site" in nowhere.text
    assert "names no moment" in never.text
    (kept,) = book.all()
    assert (kept.site, kept.timing.spoken, kept.timing.zone) == ("shop", "mon,tue,wed,thu,fri 03:00", "Europe/Berlin")
    ask(shop, Question(f"/schedules/{kept.id}", {**FORM, "what": "off"}))
    assert [one.is_on for one in book.all()] == [False]
    removed, gone = ask(shop, *[Question(f"/schedules/{kept.id}", {**FORM, "what": "remove"})] * 2)
    assert "is removed" in removed.text
    assert "no such schedule" in gone.text
    assert book.all() == []

"""What the pages show of a stored shop, also where what it says means harm; and what is done when somebody clicks."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from gwc_crawler.dashboard.web import project
from gwc_crawler.dashboard.web.project import AgedFigure
from gwc_crawler.dashboard.web.rendering import harmless_page
from gwc_crawler.dashboard.web.security import VisitorCheck
from gwc_crawler.frontier.sqlite.frontier import SqliteFrontier
from gwc_crawler.items import Link, UrlState
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.sink import SqliteSink
from gwc_crawler.store.sqlite.state import FIRST_RECORDS, ChannelRows
from tests.commands.stored_shop import URL, store_shop, visit, wrapper
from tests.conftest import Project
from tests.dashboard.asking import TOKEN, Browser, Question, ask, browse

FORM = {"form_token": VisitorCheck(TOKEN).form_token}
EVIL = "<script>alert(1)</script>\u202egnp.exe\"'><img src=x onerror=alert(1)>"
VIEWS = ("", "queue", "records", "fields", "learned", "live", "do/start", f"record?url={URL}/item/1")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A shop with a record, a field and a title that mean harm; eight URLs wait."""
    project = Project(tmp_path)
    store_shop(project)
    project.write_knowledge("shop", targets=(f"{URL}/item/[0-9]+", EVIL), wrapper=wrapper())
    with CrawlDatabase(tmp_path / "data" / "shop" / "crawl.db") as database:
        SqliteSink(database, site="shop", fields=["title", "price"]).write([visit(1, EVIL, f"javascript:{EVIL}")])
        frontier = SqliteFrontier(database, exclusive=False)
        frontier.add([Link(f"{URL}/{name}/{number}") for name in ("calendar", "shelf") for number in range(4)])
    return tmp_path


def states(project: Path) -> dict[str, UrlState | None]:
    with CrawlDatabase(project / "data" / "shop" / "crawl.db", read_only=True) as database:
        found = SqliteFrontier(database, exclusive=False).select("*", (), 100)
        return {one.url.removeprefix(URL): one.state for one in found if one.state}


def test_what_a_site_says_stays_text(shop: Path) -> None:
    for view, seen in zip(VIEWS, ask(shop, *(f"/sites/shop/{view}".rstrip("/") for view in VIEWS)), strict=True):
        assert seen.status == 200, (view, seen.text)
        assert "<script>alert" not in seen.text, view
        assert "<img src=x" not in seen.text, view
        assert "\u202e" not in seen.text, view
        assert 'href="javascript:' not in seen.text, view
        assert "internal error" not in seen.text.lower()


def test_a_site_that_is_being_learned_shows_its_first_records(tmp_path: Path) -> None:
    Project(tmp_path).write_site("young", f'entry = ["{URL}/"]\nkeywords = "x"\n')
    folder = tmp_path / "data" / "young"
    folder.mkdir(parents=True)
    told = {"pages": 25, "count": 9, "refused": "", "latest": [{"url": f"{URL}/item/1", "title": EVIL}]}
    with CrawlDatabase(folder / "samples.db") as database:
        SqliteSink(database, site="young", fields=[])
        SqliteFrontier(database)
        ChannelRows(database).put(FIRST_RECORDS, json.dumps(told))
    overview, records = ask(tmp_path, "/sites/young", "/sites/young/records")
    for seen in (overview, records):
        assert "9 records on the first 25 pages" in seen.text
        assert "<script>alert" not in seen.text
    assert f"{URL}/item/1" in records.text
    assert "&lt;script&gt;alert(1)" in records.text
    (folder / "knowledge.json").write_text("{}")
    for seen in ask(tmp_path, "/sites/young", "/sites/young/records"):
        assert "on the first 25 pages" not in seen.text


def test_a_page_in_its_frame_is_harmless() -> None:
    html = f"""<html><head><base href="//evil.example"><meta http-equiv="refresh" content="0;url=//e.example"></head>
    <body onload="x()"><a href="javascript:x()">Thor</a><img src="//e.example/a.png" srcset="b 2x"><form action="/x">
    <button formaction="//e">b</button></form><iframe srcdoc="x"></iframe><svg>
    <a xlink:href="javascript:x()">t</a></svg>
    <img src="/pic/7.png"><p style="x">By <b>Odin</b></p><noscript>Odin</noscript><!-- Odin -->
    {EVIL}</body></html>"""
    values = {"title": "Thor", "by": ["Odin"], "picture": "http://e.example/pic/7.png"}
    seen = harmless_page(html, values)
    names = set(re.findall(r"<([a-z0-9!]+)", seen))
    assert names <= {"!doctype", "style", "span", "div", "p", "b", "br"}
    attributes = set(re.findall(r'\s([a-z-]+)="', re.sub(r">[^<]*<", "><", seen)))
    assert attributes <= {"data-field", "title", "class"}
    assert "e.example" not in seen
    marked = re.findall(r'<(\w+)(?: class="pic")? data-field="(\w+)" title="\2">([^<]*)', seen)
    assert marked == [("span", "title", "Thor"), ("span", "picture", "🖼 7.png"), ("b", "by", "Odin")]


def test_dropping_hits_exactly_what_was_shown(shop: Path) -> None:
    """A URL that matches, and comes between the preview and its confirmation, is not hit."""
    form = {**FORM, "what": "drop", "pattern": "*/calendar/[0-2]*"}

    async def asked(client: Browser) -> list[str]:
        shown = await client.post("/sites/shop/queue/preview", form)
        text = await shown.text()
        while "danger" not in text:
            text = await (await client.get(str(shown.url))).text()
        with CrawlDatabase(shop / "data" / "shop" / "crawl.db") as database:
            SqliteFrontier(database, exclusive=False).add([Link(f"{URL}/calendar/10")])
        done = await client.post(str(shown.url), FORM)
        assert "3 URLs dropped" in await done.text()
        return re.findall(r"(/calendar/\d+)</a>", text)

    before = states(shop)
    there = browse(shop, asked)
    changed = {url for url, state in states(shop).items() if before.get(url, UrlState.WAITING) != state}
    assert changed == {"/calendar/0", "/calendar/1", "/calendar/2"} == set(there)


def test_added_urls_are_shown_before_they_wait(shop: Path) -> None:
    form = {**FORM, "urls": f"{URL}/item/77"}
    (shown,) = ask(shop, Question("/sites/shop/queue/add", form))
    assert "/item/77" not in states(shop)
    assert f"{URL}/item/77" in shown.text
    (done,) = ask(shop, Question("/sites/shop/queue/add", {**form, "sure": "1"}))
    assert "1 URLs added" in done.text
    assert states(shop)["/item/77"] is UrlState.WAITING


def test_steering_says_that_nothing_runs(shop: Path) -> None:
    (seen,) = ask(shop, Question("/sites/shop/do/stop", FORM))
    assert "Nothing runs." in seen.text


@pytest.mark.parametrize(("language", "age"), [("en", "as of 2 h 1 min ago"), ("zh", "2 小时 1 分")])
def test_figures_that_are_old_say_so(shop: Path, monkeypatch: pytest.MonkeyPatch, language: str, age: str) -> None:
    def aged(value: Any, seconds: float, *rest: Any) -> AgedFigure[Any]:
        return AgedFigure(value, seconds + 7300, *rest)

    monkeypatch.setattr(project, "AgedFigure", aged)
    views = [*VIEWS, "change", "links", "links/live"]
    questions = [Question(f"/sites/shop/{view}".rstrip("/"), headers={"Accept-Language": language}) for view in views]
    texts = {}
    for view, seen in zip(views, ask(shop, *questions), strict=True):
        assert seen.status == 200, (view, seen.text)
        texts[view] = seen.text
    assert all(age in texts[view] for view in ("queue", "fields"))


@pytest.mark.parametrize("sure", ["sure", "unsure"])
def test_a_guess_which_pages_are_targets_is_told(shop: Path, sure: str) -> None:
    certainty = {"targets": sure, "because": "most pages lack the fields", "next_sample": f"{URL}/item/7"}
    Project(shop).write_knowledge("shop", wrapper=wrapper(), evidence={"certainty": certainty})
    site, live, learned = ask(shop, "/sites/shop", "/sites/shop/live", "/sites/shop/learned")
    for seen in (site, live):
        assert ("is a guess" in seen.text, f'href="{URL}/item/7"' in seen.text) == (sure == "unsure",) * 2
    assert f"<dd>{sure} <span" in learned.text
    assert f'href="{URL}/item/7"' in learned.text


@pytest.mark.parametrize(("language", "told"), [("en", "of them 1 incomplete"), ("zh", "其中 1 条不完整")])
def test_the_first_figures_are_records_pages_and_errors(shop: Path, language: str, told: str) -> None:
    """One of the eight records lacks a field, and a look-alike is none."""
    with CrawlDatabase(shop / "data" / "shop" / "crawl.db") as database:
        rows = [(f"{URL}/item/2", "price", "not found"), (f"{URL}/item/9", "", "lacks marks of a target page")]
        statement = "INSERT INTO exceptions (url, field, reason, closest) VALUES (?, ?, ?, '')"
        database.connection.executemany(statement, rows)
    (seen,) = ask(shop, Question("/sites/shop", headers={"Accept-Language": language}))
    figures = re.findall(r'<div class="figure[^"]*"><dt>(.*?)</dt><dd>(.*?)</dd>', seen.text)
    names = {"en": ["Records", "Pages", "Errors"], "zh": ["记录", "页数", "错误"]}[language]
    assert [name for name, _ in figures[:3]] == names
    assert figures[0][1] == f"8<small>{told}</small>"


def test_records_are_searched(shop: Path) -> None:
    found, none = ask(shop, "/sites/shop/records?q=ALERT", "/sites/shop/records?q=nothing")
    assert quote(f"{URL}/item/1", safe="") in found.text
    assert quote(f"{URL}/item/2", safe="") not in found.text
    assert "None found." in none.text

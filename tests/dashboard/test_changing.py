"""Filters change only after it was shown what they would change; schedules are kept, switched, removed by clicking."""

from __future__ import annotations

import html
import re
import resource
from dataclasses import replace
from pathlib import Path

import pytest
import redis

from gwc_crawler.dashboard.views.changing import decide
from gwc_crawler.dashboard.web.security import VisitorCheck
from gwc_crawler.dashboard.web.visit import DashboardRequest, Wording
from gwc_crawler.errors import InputError
from gwc_crawler.frontier.redis.frontier import RedisFrontier
from gwc_crawler.frontier.sqlite.frontier import SqliteFrontier
from gwc_crawler.items import Link
from gwc_crawler.knowledge import patterns
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.knowledge.patterns import PatternError, check_patterns
from gwc_crawler.learn.wrapper.learning import learn_wrapper
from gwc_crawler.learn.wrapper.samples import Sample
from gwc_crawler.operate.schedules import ScheduleBook
from gwc_crawler.store.sqlite.database import CrawlDatabase
from tests.commands.stored_shop import TITLES, URL, html_of, item, store_shop, wrapper
from tests.conftest import Project
from tests.dashboard.asking import TOKEN, Browser, Question, ask, browse, project_in
from tests.processes import free_port
from tests.redis_server import RedisServer

FORM = {"form_token": VisitorCheck(TOKEN).form_token}
ITEM_70 = f"{URL}/item/(70|[0-9])"
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


async def edit(client: Browser, targets: str, until: str) -> str:
    """Edit the filters, and wait until the comparison says *until*."""
    form = {**FORM, "targets": targets, "directories": ".*", "max_weight": "2"}
    await client.post("/sites/shop/change/filters", form)
    return await again(client, until)


async def again(client: Browser, until: str) -> str:
    """Look again until the comparison says *until*."""
    text = ""
    for _ in range(600):
        if until in text:
            break
        text = await (await client.get("/sites/shop/change/live")).text()
    assert until in text
    return html.unescape(text)


@pytest.mark.parametrize("what", ["apply", "drop"])
def test_edited_filters_are_seen_before_they_are_applied_or_thrown_away(shop: Path, what: str) -> None:
    edited = re.escape(f"{URL}/calendar/") + "7[0-1]"

    async def asked(client: Browser) -> str:
        text = await edit(client, f"{TARGETS[0]}\n{edited}\n", "Apply it")
        assert known(shop) == [*TARGETS]
        await client.post("/sites/shop/change/decide", {**FORM, "what": what})
        return text

    seen = browse(shop, asked)
    assert "URLs (of the crawl)." in seen
    assert set(re.findall(r"(/calendar/\d+)</a>", seen)) == {"/calendar/70", "/calendar/71"}
    assert not re.search(r"/item/\d+</a>", seen)
    assert known(shop) == ([*TARGETS, edited] if what == "apply" else [*TARGETS])
    assert (shop / "data" / "shop" / "knowledge.previous.json").exists() is (what == "apply")
    assert not (shop / "data" / "shop" / "knowledge.draft.json").exists()


def test_urls_in_redis_are_compared_and_without_redis_it_is_told(shop: Path, redis_server: RedisServer) -> None:
    """What is in the local database is not the queue of such a crawl."""
    with redis.Redis.from_url(redis_server.url) as client:
        RedisFrontier(client, "shop").add([Link(f"{URL}/shared/{number}") for number in range(3)])
    shared = {"GWC_FRONTIER": "redis", "REDIS_URL": redis_server.url}
    edited = re.escape(f"{URL}/shared/") + "[1-2]"
    seen = browse(shop, lambda client: edit(client, f"{TARGETS[0]}\n{edited}", "Apply it"), given=shared)
    assert "Looked at: 3 URLs (of the crawl's queue in Redis)." in seen
    assert set(re.findall(r"(/shared/\d+)</a>", seen)) == {"/shared/1", "/shared/2"}
    away = {**shared, "REDIS_URL": f"redis://127.0.0.1:{free_port()}/0"}
    told = browse(shop, lambda client: edit(client, TARGETS[0], "age wrong"), given=away)
    assert "Apply it" not in told


@pytest.mark.parametrize("is_there", [True, False])
def test_where_the_crawl_is_not_here_the_pre_crawl_is_compared_or_that_nothing_is_there_is_told(
    shop: Path, is_there: bool
) -> None:
    data = shop / "data" / "shop"
    (data / "crawl.db").unlink()
    if is_there:
        with CrawlDatabase(data / "samples.db") as database:
            SqliteFrontier(database, exclusive=False).add([Link(item(number)) for number in range(70, 74)])
    seen = browse(shop, lambda client: edit(client, ITEM_70, "Apply it"))
    assert ("of those fetched to learn from, as none were stored since" in seen) is is_there
    assert ("Nothing could be compared" in seen) is not is_there
    assert set(re.findall(r"(/item/\d+)</a>", seen)) == ({f"/item/{n}" for n in (71, 72, 73)} if is_there else set())


def test_without_a_page_to_read_a_draft_of_another_wrapper_says_so(shop: Path) -> None:
    data = shop / "data" / "shop"
    title_alone = learn_wrapper(
        [Sample(item(n), html_of(TITLES[n - 1], ""), {"title": TITLES[n - 1]}) for n in (1, 2)]
    ).to_json()
    replace(Knowledge.load(data / "knowledge.json"), wrapper=title_alone).save(data / "knowledge.draft.json")
    (data / "crawl.db").unlink()
    seen = browse(shop, lambda client: again(client, "Apply it"))
    assert "No stored page could be read by both" in seen


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


SLOW_OR_NONE = (
    ("(.+)+!", "takes too long"),
    ("(?i)item", "global flags"),
    ("(?P<a>x)\n(?P<a>y)", "redefinition"),
    ("a{99999999999999999999}", "too large"),
    (f"a{{{5_000 * '9'}}}", "too large"),
)


@pytest.mark.parametrize(("targets", "told"), SLOW_OR_NONE)
def test_a_pattern_that_would_hold_up_or_break_a_crawl_is_no_draft(
    shop: Path, targets: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patterns, "PATIENCE_SECONDS", 1.0)
    with CrawlDatabase(shop / "data" / "shop" / "crawl.db") as database:
        SqliteFrontier(database, exclusive=False).add([Link(f"{URL}/{40 * 'long'}")])
    (seen,) = ask(shop, Question("/sites/shop/change/filters", {**FORM, "targets": targets, "directories": ".*"}))
    assert told in seen.text
    assert not (shop / "data" / "shop" / "knowledge.draft.json").exists()


def test_hundreds_of_plain_patterns_are_tried_on_thousands_of_addresses_in_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What counts is the CPU time that it takes: a busy machine may need longer for it."""
    patience = patterns.PATIENCE_SECONDS
    monkeypatch.setattr(patterns, "PATIENCE_SECONDS", 120)
    urls = [f"{URL}/shelf-{number % 300}/item/{number}" for number in range(2_000)]
    plain = [re.escape(f"{URL}/shelf-{number}/") + "(item|page)/[0-9]+(-[a-z0-9]+)*" for number in range(300)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    check_patterns([plain, plain], urls)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime - before.ru_utime < patience
    with pytest.raises(PatternError, match=r"^\(\?P<a>y\): redefinition"):
        check_patterns([[*plain[:20], "(?P<a>x)", *plain[20:], "(?P<a>y)", "(?P<a>z)"]], urls)


TOLD_ONE = """print('["a{9}", ""]\\n["b', end="", flush=True)"""
ENDED = ("import os; os.kill(os.getpid(), 9)", "raise MemoryError", "import time; time.sleep(60)")


@pytest.mark.parametrize("end", ENDED)
def test_a_pattern_that_ends_its_trial_is_named(end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last whole line counts: where the process was killed, another may have been begun."""
    monkeypatch.setattr(patterns, "PATIENCE_SECONDS", 2.0)
    monkeypatch.setattr(patterns, "TRIAL", f"{TOLD_ONE}\n{end}")
    with pytest.raises(PatternError, match=r"a\{9\}: it (is too large|takes too long)"):
        check_patterns([["a{9}", "b"]], [])


def test_what_is_no_decision_leaves_the_draft_and_how_it_was_learned(shop: Path) -> None:
    draft = shop / "data" / "shop" / "knowledge.draft.json"
    Knowledge.load(shop / "data" / "shop" / "knowledge.json").save(draft)
    asked = {"parts": {"site": "shop"}, "form": {"what": ("else",)}}
    visit = DashboardRequest(project_in(shop), Wording("en"), "/sites/shop/change/decide", **asked)  # type: ignore[arg-type]
    visit.memory["learning shop"] = "runs"
    with pytest.raises(InputError, match="no such choice"):
        decide(visit)
    assert (draft.exists(), visit.memory["learning shop"]) == (True, "runs")
    (seen,) = ask(shop, Question("/sites/shop/change/decide", {**FORM, "what": "else"}))
    assert (seen.status, draft.exists()) == (400, True)


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

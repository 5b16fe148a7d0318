"""Every command again, twice and three times, after every way to end: it ends, as documented, and loses nothing."""

from __future__ import annotations

import time
from collections import Counter

import pytest

from tests.conftest import Project
from tests.crawl.stages import LIMIT_SECONDS, MORE_STAGES, PRODUCTS, STAGES, Shop
from tests.redis_server import RedisServer
from tests.site_server import SiteServer

slow = pytest.mark.slow
SHARED = ("killed before learning", "killed in the crawl")
CASES = [
    *((stage, "embedded") for stage in STAGES),
    *((stage, "shared") for stage in SHARED),
    *(pytest.param(stage, "embedded", marks=slow) for stage in MORE_STAGES),
    *(pytest.param(stage, "shared", marks=slow) for stage in {**STAGES, **MORE_STAGES} if stage not in SHARED),
]


@pytest.fixture
def shop(request: pytest.FixtureRequest, project: Project, site: SiteServer) -> Shop:
    kind = getattr(request, "param", "embedded")
    server: RedisServer | None = request.getfixturevalue("redis_server") if kind == "shared" else None
    return Shop(project, site, server)


@pytest.mark.parametrize(("stage", "shop"), CASES, indirect=["shop"])
def test_a_crawl_goes_on_after_any_end_and_again(shop: Shop, stage: str) -> None:
    {**STAGES, **MORE_STAGES}[stage](shop)
    outcome = shop.run("crawl", "shop")
    assert outcome.code == 0, outcome.err
    assert_whole(shop)
    asked = shop.asked()
    outcome = shop.run("crawl", "shop")
    assert outcome.code == 0, outcome.err
    assert shop.asked() == asked, "a crawl that is complete asks for nothing"
    assert_whole(shop)


def assert_whole(shop: Shop) -> None:
    assert Counter(shop.records()) == Counter(f"{shop.site.url}/item/{number}" for number in range(PRODUCTS))
    assert shop.waiting() == 0
    pages = shop.project.rows("SELECT count(*), count(DISTINCT url) FROM pages", name="shop")
    assert pages == [(PRODUCTS + 1, PRODUCTS + 1)]


@pytest.mark.parametrize(
    ("stage", "shop"),
    [("killed before learning", "embedded"), *(pytest.param(one, "embedded", marks=slow) for one in MORE_STAGES),
     pytest.param("killed before learning", "shared", marks=slow)],
    indirect=["shop"],
)  # fmt: skip
def test_learning_goes_on_after_any_end_and_again(shop: Shop, stage: str) -> None:
    {**STAGES, **MORE_STAGES}[stage](shop)
    for _ in range(2):
        while "is being learned by" in (outcome := shop.run("learn", "shop")).err:
            time.sleep(0.1)  # until the lease of who was killed has run out
        assert outcome.code == 0, outcome.err
        asked = shop.asked()
    outcome = shop.run("learn", "shop")
    assert outcome.code == 0, outcome.err
    assert shop.asked() == asked, "nothing was missing"
    assert "/item/" in shop.project.knowledge("shop")["targets"][0]["regex"]


COMMANDS: dict[str, tuple[int, ...]] = {
    "list": (0, 0),
    "status": (0, 0),
    "status shop --json": (0, 0),
    "why shop {url}/item/3": (0, 0),
    "queue shop list": (0, 0),
    "queue shop add {url}/item/500": (0, 0),
    "queue shop drop */item/500 --yes": (0, 0),
    "queue shop retry */item/500 --yes": (0, 0),
    "queue shop drop */item/5?? --yes": (0, 0),
    "pause shop": (1, 1),  # nothing runs
    "resume shop": (1, 1),
    "stop shop": (1, 1),
    "extract shop": (0, 0, 0),
    "learn shop --offline": (0, 0, 0),
    "new https://books.example.com/": (0, 2),  # the file is there already
    "work --idle 1": (2, 2),  # a fleet's, where Redis holds the queue
}
"""Command → its exit codes, run after run, on a site that was crawled."""

CHANGING = tuple(
    one for one in COMMANDS if one.startswith(("queue shop add", "queue shop retry", "stop", "extract", "learn"))
)


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("commands", [CHANGING, pytest.param(tuple(COMMANDS), marks=slow)], ids=["changing", "all"])
def test_every_other_command_again(shop: Shop, commands: tuple[str, ...]) -> None:
    assert shop.run("crawl", "shop").code == 0
    asked = shop.asked()
    for command in commands:
        for run, code in enumerate(COMMANDS[command], 1):
            outcome = shop.project.scrapy(*command.format(url=shop.site.url).split(), timeout=LIMIT_SECONDS)
            assert outcome.code == code, f"{command}, run {run}: {outcome.code}\n{outcome.err[-2000:]}"
            assert "Traceback" not in outcome.err, f"{command}, run {run}\n{outcome.err[-2000:]}"
    assert shop.asked() == asked, "none of them asks the site for anything"
    assert Counter(shop.records()) == Counter(f"{shop.site.url}/item/{number}" for number in range(PRODUCTS))


@slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(("stage", "shop"), [(one, "embedded") for one in [*STAGES, *MORE_STAGES]], indirect=["shop"])
def test_no_command_hangs_or_harms_after_any_end(shop: Shop, stage: str) -> None:
    {**STAGES, **MORE_STAGES}[stage](shop)
    for command in COMMANDS:
        if command.startswith("queue") and "list" not in command:
            continue  # it changes what is crawled
        outcome = shop.project.scrapy(*command.format(url=shop.site.url).split(), timeout=LIMIT_SECONDS)
        assert outcome.code in (0, 1, 2, 4, 10), f"{command}: {outcome.code}\n{outcome.err[-2000:]}"
        assert "Traceback" not in outcome.err, f"{command}\n{outcome.err[-2000:]}"
    (shop.project.directory / "sites/books.example.com.toml").unlink()
    assert shop.run("crawl", "shop").code == 0
    assert_whole(shop)


@slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("shop", ["shared"], indirect=True)
def test_the_commands_of_a_fleet_again(shop: Shop) -> None:
    for _ in range(2):
        outcome = shop.run("work", "--idle", "1")
        assert outcome.code == 0, outcome.err
        assert_whole(shop)
    for command, codes in FLEET_COMMANDS.items():
        for code in codes:
            outcome = shop.run(*command.split())
            assert outcome.code == code, f"{command}\n{outcome.err}"
    assert_whole(shop)


FLEET_COMMANDS = {
    "status shop": (0, 0),
    "pause shop": (0, 0),  # holds for workers to come
    "resume shop": (0, 1),  # then there is nothing to resume
    "queue shop list": (0, 0),
    "crawl shop": (0, 0),
    "work --idle 1": (0, 0),
}

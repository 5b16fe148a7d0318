"""The queue of a crawl that is shared through Redis, as its page shows it and as a preview hits it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from gwc_crawler.dashboard.web.security import VisitorCheck
from gwc_crawler.frontier.redis.frontier import RedisFrontier
from gwc_crawler.frontier.redis.stats import Listing
from gwc_crawler.frontier.redis.wire import LINKS_A_CALL
from gwc_crawler.items import Failure, Link, UrlState
from gwc_crawler.store.sqlite.database import CrawlDatabase
from tests.commands.stored_shop import URL, store_shop, wrapper
from tests.conftest import Project
from tests.dashboard.asking import TOKEN, Browser, browse
from tests.redis_server import RedisServer

FORM = {"form_token": VisitorCheck(TOKEN).form_token}


@pytest.fixture
def frontier(redis_server: RedisServer) -> Iterator[RedisFrontier]:
    """The shared queue of the shop: two classes of URLs wait, and a host rests."""
    with redis.Redis.from_url(redis_server.url) as client:
        queue = RedisFrontier(client, "shop")
        queue.add([Link(f"{URL}/{name}/{number}") for name in ("item", "calendar") for number in range(30)])
        yield queue


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A shop of which some pages are stored on this machine."""
    project = Project(tmp_path)
    store_shop(project)
    with CrawlDatabase(tmp_path / "data" / "shop" / "crawl.db") as database:
        database.connection.execute("UPDATE urls SET state = 'C', kind = 'target'")
    project.write_knowledge("shop", targets=(re.escape(f"{URL}/item/") + "[0-9]+",), wrapper=wrapper())
    return tmp_path


def test_the_page_tells_what_waits_by_class_who_rests_and_what_this_machine_has(
    shop: Path, frontier: RedisFrontier, redis_server: RedisServer
) -> None:
    frontier.pause_host(URL.removeprefix("http://"), frontier._now() + 500)

    async def seen(client: Browser) -> str:
        text = ""
        while "of a sample of 60" not in text or "rests until" not in text:  # counted in the background
            assert "Nothing waits." not in text
            assert "its turn" not in text, "while it is not known who rests, nobody is said to have his turn"
            text = await (await client.get("/sites/shop/queue")).text()
        return text

    text = browse(shop, seen, given={"GWC_FRONTIER": "redis", "REDIS_URL": redis_server.url})
    assert "Nothing waits." not in text
    assert text.count('<span class="n">50%</span>') == 2
    assert '<span class="wide">target</span>' in text


def test_a_preview_drops_exactly_what_it_showed(shop: Path, frontier: RedisFrontier, redis_server: RedisServer) -> None:
    async def dropped(client: Browser) -> list[str]:
        form = {**FORM, "what": "drop", "pattern": "*/calendar/1*"}
        shown = await client.post("/sites/shop/queue/preview", form)
        text = await shown.text()
        while "danger" not in text:
            text = await (await client.get(str(shown.url))).text()
        frontier.add([Link(f"{URL}/calendar/100")])
        assert "11 URLs dropped" in await (await client.post(str(shown.url), FORM)).text()
        return re.findall(r"(/calendar/\d+)</a>", text)

    named = browse(shop, dropped, given={"GWC_FRONTIER": "redis", "REDIS_URL": redis_server.url})
    gone = [one.url.removeprefix(URL) for one in frontier.select("*", [UrlState.ERROR])]
    assert sorted(named) == sorted(gone)
    assert len(gone) == 11


def test_a_sample_is_drawn_without_a_walk_and_a_walk_ends_early(
    frontier: RedisFrontier, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = [Link(f"{URL}/more/{number}") for number in range(5 * LINKS_A_CALL)]
    frontier.add(more)
    (lease,) = frontier.lease(1, "someone")
    frontier.fail(lease, Failure("HTTP 404"))
    listing: Listing = frontier._listing
    assert len(listing.some("*", [UrlState.WAITING], 7)) == 7
    assert [one.url for one in listing.some("*", [UrlState.ERROR], 7)] == [lease.url]
    assert len(listing.sample(10 * LINKS_A_CALL)) == len(more) + 60
    monkeypatch.setattr(listing, "scan", None)
    drawn = listing.sample(2 * LINKS_A_CALL)
    assert LINKS_A_CALL <= len({one.url for one in drawn}) == len(drawn) <= 2 * LINKS_A_CALL

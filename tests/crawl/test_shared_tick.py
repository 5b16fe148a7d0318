"""What a look of a worker at its wishes, its report and start URLs from outside costs: the event loop waits for it."""

from __future__ import annotations

from unittest.mock import Mock

import pytest
import redis
from redis.connection import AbstractConnection

from gwc_crawler.crawl.shared import SharedControl
from gwc_crawler.operate.fleet.redis_channel import RedisChannel
from tests.runs.test_findings import settings_with


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What was sent to Redis; commands sent together are one."""
    seen: list[object] = []
    send = AbstractConnection.send_packed_command

    def note(connection: AbstractConnection, command: object, **more: object) -> None:
        seen.append(command)
        send(connection, command, **more)

    monkeypatch.setattr(AbstractConnection, "send_packed_command", note)
    return seen


def test_a_tick_is_one_round_trip_and_brings_start_urls_and_wishes(client: redis.Redis, sent: list[object]) -> None:
    spider = Mock(settings=settings_with(), stays_paused=False, contact=Mock(told=Mock(return_value={})))
    common = Mock(spider=spider, owner="one:1")
    common.site.name = "shop"
    leases = Mock(under_way=Mock(return_value=0))
    channel = RedisChannel(client, "{shop}:requests:board")
    frontier, store = Mock(away=False), Mock(full=False, pages=3)
    control = SharedControl(common, channel, leases, store, frontier, client)
    sent.clear()
    control.tick()
    assert len(sent) == 1
    assert [one.pages for one in channel.reports()] == [3]
    channel.pause("ann@desk")
    client.sadd("shop:start_urls", "http://shop.example/a")  # the first look finds that it is no list
    control.tick()
    control.tick()
    assert control.paused
    (start,) = [call.args[0] for call in leases.take_start.call_args_list]
    assert start.url == "http://shop.example/a"
    assert not client.exists("shop:start_urls")

"""Signals that nobody listens to cost nothing; those that somebody listens to are sent as Scrapy sends them."""

from __future__ import annotations

import asyncio
import gc
import logging
from types import SimpleNamespace
from typing import Any

import pytest
from pydispatch import dispatcher
from scrapy.exceptions import NotConfigured, StopDownload
from scrapy.signalmanager import SignalManager
from twisted.python.failure import Failure

from gwc_crawler.download.signals import HeardSignals, SignalsOnDemand, may_be_heard

SIGNAL = object()
OTHER = object()


class Sender:
    """Whose signals they are."""


class Receiver:
    """Keeps what it hears."""

    def __init__(self) -> None:
        self.heard: list[Any] = []

    def hear(self, what: Any) -> Any:
        """Listen."""
        self.heard.append(what)
        return what


@pytest.fixture(params=[SignalManager, HeardSignals])
def manager(request: pytest.FixtureRequest) -> Any:
    return request.param(Sender())


def send(manager: Any, what: Any, **more: Any) -> list[Any]:
    return [result for _, result in manager.send_catch_log(SIGNAL, what=what, **more)]


async def later(manager: Any, what: Any) -> list[Any]:
    return [result for _, result in await manager.send_catch_log_async(SIGNAL, what=what)]


def test_nobody_listens(manager: Any) -> None:
    assert send(manager, 1) == []
    assert asyncio.run(later(manager, 1)) == []


def test_a_receiver_hears_from_when_it_is_connected_until_it_is_disconnected(manager: Any) -> None:
    receiver = Receiver()
    send(manager, 1)
    manager.connect(receiver.hear, SIGNAL)
    assert send(manager, 2) == [2]
    assert asyncio.run(later(manager, 3)) == [3]
    manager.disconnect(receiver.hear, SIGNAL)
    send(manager, 4)
    manager.connect(receiver.hear, SIGNAL)
    send(manager, 5)
    manager.disconnect_all(SIGNAL)
    send(manager, 6)
    assert receiver.heard == [2, 3, 5]


def test_a_receiver_that_is_gone_is_not_missed(manager: Any) -> None:
    receiver = Receiver()
    manager.connect(receiver.hear, SIGNAL)
    del receiver
    gc.collect()
    assert send(manager, 1) == []
    assert not may_be_heard(manager.sender, SIGNAL)


def test_a_receiver_of_any_sender_or_any_signal_hears(manager: Any) -> None:
    of_any_sender, of_any_signal, of_all = Receiver(), Receiver(), Receiver()
    dispatcher.connect(of_any_sender.hear, SIGNAL, sender=dispatcher.Any)
    manager.connect(of_any_signal.hear, dispatcher.Any)
    dispatcher.connect(of_all.hear, dispatcher.Any, sender=dispatcher.Any)
    send(manager, 1)
    assert (of_any_sender.heard, of_any_signal.heard, of_all.heard) == ([1], [1], [1])


def test_a_receiver_of_another_sender_or_signal_hears_nothing(manager: Any) -> None:
    other, receiver = Sender(), Receiver()
    manager.connect(receiver.hear, SIGNAL, sender=other)
    manager.connect(receiver.hear, OTHER)
    assert send(manager, 1) == []
    assert send(manager, 2, sender=other) == [2]
    assert receiver.heard == [2]


def test_an_asynchronous_receiver_is_waited_for(manager: Any) -> None:
    async def hear(what: Any) -> Any:
        await asyncio.sleep(0)
        return what

    manager.connect(hear, SIGNAL)
    assert asyncio.run(later(manager, 1)) == [1]


def test_what_a_receiver_raises_is_logged_and_does_not_keep_others_from_hearing(
    manager: Any, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(what: Any) -> None:
        raise ValueError(what)

    receiver = Receiver()
    manager.connect(fail, SIGNAL)
    manager.connect(receiver.hear, SIGNAL)
    with caplog.at_level(logging.ERROR):
        failure, heard = send(manager, 1)
        error, _ = asyncio.run(later(manager, 2))
    assert isinstance(failure, Failure)
    assert isinstance(error, ValueError)
    assert heard == 1
    assert len(caplog.records) == 2


def test_what_is_not_to_be_logged_is_not(manager: Any, caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise StopDownload

    manager.connect(fail, SIGNAL)
    manager.send_catch_log(SIGNAL, dont_log=KeyError)
    assert caplog.records == []


def test_one_can_wait_for_a_signal(manager: Any) -> None:
    async def wait() -> None:
        asyncio.get_running_loop().call_soon(lambda: manager.send_catch_log(SIGNAL))
        await manager.wait_for(SIGNAL)

    asyncio.run(wait())
    assert not may_be_heard(manager.sender, SIGNAL)


def test_signals_of_somebodys_own_class_stay_as_they_are() -> None:
    class Own(SignalManager):
        """A user's."""

    crawlers: list[Any] = [SimpleNamespace(signals=cls()) for cls in (SignalManager, Own)]
    SignalsOnDemand.from_crawler(crawlers[0])
    with pytest.raises(NotConfigured):
        SignalsOnDemand.from_crawler(crawlers[1])
    assert [type(crawler.signals) for crawler in crawlers] == [HeardSignals, Own]

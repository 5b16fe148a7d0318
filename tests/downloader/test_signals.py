"""Whether somebody listens to a signal is known before it is sent: nobody is forgotten, nobody gone is waited for."""

from __future__ import annotations

import gc
from typing import Any

import pytest
from pydispatch import dispatcher
from scrapy.signalmanager import SignalManager

from gwc_crawler.downloader.direct import may_be_heard

SIGNAL = object()
OTHER = object()


class Sender:
    """Whose signals they are."""


class Receiver:
    """Listens."""

    def hear(self) -> None:
        """Nothing to do."""


@pytest.fixture
def manager() -> Any:
    return SignalManager(Sender())


def heard(manager: Any) -> bool:
    return may_be_heard(manager.sender, SIGNAL)


def test_a_receiver_hears_from_when_it_is_connected_until_it_is_disconnected(manager: Any) -> None:
    receiver = Receiver()
    assert not heard(manager)
    manager.connect(receiver.hear, SIGNAL)
    assert heard(manager)
    manager.disconnect(receiver.hear, SIGNAL)
    assert not heard(manager)
    manager.connect(receiver.hear, SIGNAL)
    manager.disconnect_all(SIGNAL)
    assert not heard(manager)


def test_a_receiver_that_is_gone_is_not_missed(manager: Any) -> None:
    receiver = Receiver()
    manager.connect(receiver.hear, SIGNAL)
    del receiver
    gc.collect()
    manager.send_catch_log(SIGNAL)
    assert not heard(manager)


@pytest.mark.parametrize("signal", [SIGNAL, dispatcher.Any])
@pytest.mark.parametrize("is_any_sender", [False, True])
def test_a_receiver_of_any_sender_or_any_signal_hears(manager: Any, signal: object, is_any_sender: bool) -> None:
    receiver = Receiver()
    sender = dispatcher.Any if is_any_sender else manager.sender
    dispatcher.connect(receiver.hear, signal, sender=sender)
    assert heard(manager)
    dispatcher.disconnect(receiver.hear, signal, sender=sender)
    assert not heard(manager)


def test_a_receiver_of_another_sender_or_signal_hears_nothing(manager: Any) -> None:
    other, receiver = Sender(), Receiver()
    manager.connect(receiver.hear, SIGNAL, sender=other)
    manager.connect(receiver.hear, OTHER)
    assert not heard(manager)
    assert may_be_heard(other, SIGNAL)

"""Each event reaches a webhook and a mail box, over real sockets; a receiver that is away stops nothing."""

from __future__ import annotations

import logging
from types import SimpleNamespace
from typing import Any, cast

import pytest

from gwc_crawler.extensions.monitor import ErrorWatch, MonitorExtension
from gwc_crawler.operate.monitor import WORDS, Alert, Alerts, senders
from tests.operate.receivers import hook_of, mail_of

SILENT = {"http://dead.example": "has been silent since 12:00 (refuses the connection)"}


@pytest.fixture(autouse=True)
def _at_any_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library spares mail servers: 5.5 s between two messages."""
    monkeypatch.setattr("apprise.plugins.base.NotifyBase.request_rate_per_sec", 0)


@pytest.mark.dear
def test_each_event_is_posted_and_mailed() -> None:
    with hook_of("hookSecret77") as hook, mail_of("mailSecret77") as mail:
        alerts = Alerts(senders([hook.url, mail.url]))
        log = logging.Logger("crawl")
        log.addHandler(ErrorWatch(alerts, "shop"))
        log.error("drift site=%s field %r has fallen away", "shop", "price")
        log.error("the disk is full at %s", hook.url)
        log.warning("nobody is told of this")
        watching = cast("Any", SimpleNamespace(_silent=set(), _name="shop"))
        spider = SimpleNamespace(contact=SimpleNamespace(told=lambda: SILENT))
        for _ in range(2):
            MonitorExtension._look_for_silence(watching, spider, alerts)
        alerts.tell(Alert("end", "shop", "shop: finished; 3 pages"))
        alerts.finish(60)
        assert hook.events == mail.events == ["drift", "error", "silence", "end"]
        assert set(hook.events) == set(WORDS)
        assert hook.told[0]["message"] == "drift site=shop field 'price' has fallen away"
        assert "dead.example has been silent since" in mail.told[2][1]
        assert "Secret77" not in repr((hook.told, mail.told))
        assert (alerts.failed, alerts.dropped) == (0, 0)


def test_only_what_is_wanted_is_sent_and_a_wrong_password_is_told(caplog: pytest.LogCaptureFixture) -> None:
    with hook_of("hookSecret77") as hook, mail_of("mailSecret77") as mail:
        alerts = Alerts(senders([mail.url.replace("mailSecret77", "wrongSecret77"), hook.url]), ["end"], 0.0)
        alerts.tell(Alert("error", "shop", "not wanted"))
        alerts.tell(Alert("end", "shop", "the end"))
        alerts.finish(60)
        assert (hook.events, mail.events, alerts.failed) == (["end"], [], 1)
    assert "look at GWC_ALERTS" in caplog.text
    assert "Secret77" not in caplog.text

"""A host that never answers is given up after a few tries, one that did answer after a long silence."""

from __future__ import annotations

import ssl

import pytest
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
)

from gwc_crawler.crawl.silent_hosts import FIRST_WAIT_SECONDS, RobotsUnreachable, Silence, SilentHosts, kind_of
from gwc_crawler.items import Failure


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def caused(error: Exception, cause: BaseException) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (CannotResolveHostError(), Silence.NAME),
        (DownloadConnectionRefusedError(), Silence.REFUSED),
        (DownloadTimeoutError(), Silence.TIMEOUT),
        (caused(DownloadFailedError("no"), ssl.SSLCertVerificationError()), Silence.TLS),
        (caused(DownloadFailedError("robots.txt"), CannotResolveHostError()), Silence.NAME),
        (DownloadFailedError("reset"), Silence.OTHER),
        (IgnoreRequest(), None),
        (ValueError(), None),
    ],
)
def test_kinds_of_silence(error: Exception, kind: Silence | None) -> None:
    assert kind_of(error) is kind


def tries_until_given_up(error: Exception) -> int:
    clock = Clock()
    contact = SilentHosts(0.5, clock=clock)
    contact.ask("a")
    for count in range(1, 20):
        clock.now += 1
        if contact.note_failure("a", error) is not None:
            assert contact.nobody_answers
            assert contact.note_failure("a", error) is None, "said once"
            return count
    return 0


def test_a_few_tries_are_enough() -> None:
    assert tries_until_given_up(CannotResolveHostError()) == 2
    assert tries_until_given_up(DownloadConnectionRefusedError()) == 3
    assert tries_until_given_up(DownloadFailedError()) == 4
    assert tries_until_given_up(IgnoreRequest()) == 0


def test_those_that_waited_for_one_robots_txt_fail_as_one() -> None:
    clock = Clock()
    contact = SilentHosts(0.5, clock=clock)
    told = []
    for _ in range(2):
        clock.now += 1
        told += [
            contact.note_failure("a", DownloadFailedError("others waited")),
            contact.note_failure("a", CannotResolveHostError()),
        ]
    assert told == [None, None, Silence.NAME, None], "the cause is known from the one that knew it"


def test_a_host_that_has_answered_is_given_up_after_a_long_silence_only() -> None:
    clock = Clock()
    silent = SilentHosts(0.5, 60.0, clock)
    silent.answer("a")
    told = []
    for _ in range(13):
        clock.now += 5
        told.append(silent.note_failure("a", CannotResolveHostError()))
    assert told == [None] * 12 + [Silence.NAME]
    assert silent.left_alone == {"a"}
    assert "no address is found for its host's name" in silent.told()["a"]
    silent.answer("a")  # what was under way
    assert not silent.left_alone
    assert not silent.given_up
    assert not silent.told()


def test_a_moment_is_no_silence_and_patience_may_have_no_end() -> None:
    clock = Clock()
    short, endless = SilentHosts(0.5, 60.0, clock), SilentHosts(0.5, 0.0, clock)
    for silent in (short, endless):
        silent.answer("a")
    for step in (1.0, 61.0):  # a time-out of a minute, say, is one try
        clock.now += step
        assert short.note_failure("a", DownloadTimeoutError()) is None
    assert not any(endless.note_failure("a", DownloadTimeoutError()) for clock.now in range(1000, 100_000, 1000))
    later = Failure("x", retry_at=500.0)
    assert endless.judge(later, "a", 100.0) == later


def test_whose_fault_an_error_is() -> None:
    silent = SilentHosts(0.5, 60.0, Clock())
    refused, reset = DownloadConnectionRefusedError(), DownloadFailedError("reset")
    assert not silent.is_to_blame("a", refused), "it never answered: that has its own end"
    silent.answer("a")
    assert silent.is_to_blame("a", refused)
    assert silent.is_to_blame("a", RobotsUnreachable("HTTP 500"))
    assert not silent.is_to_blame("a", reset), "it may be the page"
    assert not silent.is_to_blame("a", IgnoreRequest())
    silent.note_failure("a", reset)
    assert not silent.in_doubt("a", reset)


def test_a_host_that_only_named_another_is_not_the_one_that_was_asked() -> None:
    silent = SilentHosts(0.0)
    silent.ask("a")
    silent.moved("a", "b")
    assert [silent.note_failure("b", CannotResolveHostError()) for _ in range(2)] == [None, Silence.NAME]
    assert silent.nobody_answers


def test_the_crawl_goes_on_while_another_host_may_answer() -> None:
    contact = SilentHosts(0.0)
    contact.ask("a")
    contact.ask("b")
    assert [contact.note_failure("a", CannotResolveHostError()) for _ in range(2)] == [None, Silence.NAME]
    assert not contact.nobody_answers
    assert contact.judge(Failure("x", retry_at=500.0), "a", 100.0) == Failure("x")
    assert contact.judge(Failure("x", retry_at=500.0), "b", 100.0).retry_at == 100.0 + FIRST_WAIT_SECONDS
    contact.answer("b")
    assert not contact.nobody_answers


def test_the_https_of_a_name_is_not_its_http() -> None:
    clock = Clock()
    silent = SilentHosts(0.5, 60.0, clock)
    for origin in ("https://a.example", "http://a.example:443"):
        silent.answer(origin)
    for _ in range(20):
        clock.now += 5
        silent.note_failure("https://a.example", DownloadConnectionRefusedError())
        silent.answer("http://a.example")
    assert silent.given_up.keys() == {"https://a.example"}
    assert not silent.hosts_left_alone, "what waits of the other would wait with it"
    assert not silent.is_to_blame("https://a.example", DownloadConnectionRefusedError()), (
        "its URLs end by their attempts"
    )
    silent.answer("https://b.example:8443")
    for _ in range(20):
        clock.now += 5
        silent.note_failure("https://b.example:8443", DownloadConnectionRefusedError())
    assert silent.hosts_left_alone == {"b.example:8443"}


def test_a_host_that_answered_in_an_earlier_run_pays_no_attempts() -> None:
    silent = SilentHosts(0.5, 60.0, clock := Clock())
    error = CannotResolveHostError()
    for _ in range(2):
        clock.now += 1
        silent.note_failure("http://a.example", error)
    assert not silent.is_to_blame("http://a.example", error)
    silent.leave_alone("http://a.example")
    assert silent.is_to_blame("http://a.example", error)
    assert "no address is found" in silent.told()["http://a.example"]

"""The traits of pages: read once, by one process or several, always the same."""

from __future__ import annotations

import logging
import signal
import subprocess
from collections.abc import Callable
from threading import Event, current_thread
from typing import Any

import pytest

from gwc_crawler.items import StoredPage
from gwc_crawler.learn.kinds import traits as module
from gwc_crawler.learn.kinds.traits import KnownTraits, read_traits
from gwc_crawler.page.parse import parse_html
from gwc_crawler.page.text import paragraphs_outside_links
from tests.processes import wait_until

LONG = "A paragraph that is long enough to be the page's own, and of no other one: "


def page(number: int, html: bytes = b"", charset: str = "utf-8") -> StoredPage:
    url = f"https://x.example/{number}"
    body = f"<p>{LONG}{number}</p><p>{'书' * 24}{number}</p><b>short</b>".encode()
    return StoredPage(url, url, html or b"<body>" + body, "text/html", charset, 0, 1, True)


PAGES = [
    *(page(number) for number in range(40)),
    page(40, "<body><p>Stra\xdfe".encode("latin-1"), "latin-1"),
    page(41, b"\xff\x00<table><td class=a>", ""),
    page(42, b"<body>" + b"<i>" * 3000 + LONG.encode() * 9),
    page(43, b" "),
]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The helpers that are started; on a machine of three cores, where each pays."""
    made: list[Any] = []

    class Watched(module._Helper):
        def __init__(self, *line: Any) -> None:
            made.append(self)
            super().__init__(*line)

    monkeypatch.setattr(module, "_Helper", Watched)
    monkeypatch.setattr(module, "auto_count", lambda: 3)
    monkeypatch.setattr(module, "BYTES_A_HELPER", 1)
    monkeypatch.setattr(module, "BATCH_BYTES", 1)
    return made


def read_by_helpers(
    monkeypatch: pytest.MonkeyPatch,
    started: list[Any],
    then: Callable[[subprocess.Popen[bytes]], object],
    done: Callable[[], object],
) -> KnownTraits:
    """Read PAGES, none here before a helper has answered, *then* was called with it, and it is *done*."""
    last, batches, answered = module._last, module._batch, Event()
    asking: list[Any] = []

    def watched(pages: Any, waiting: Any) -> Any:
        """Who asks for a second batch has answered the first one."""
        helper = next(one for one in started if one._thread is current_thread())
        if helper in asking and not answered.is_set():
            then(helper._process)
            answered.set()
        asking.append(helper)
        return batches(pages, waiting)

    def only_then(waiting: Any, left: Any) -> int:
        assert answered.wait(60)
        wait_until(done)
        return last(waiting, left)

    monkeypatch.setattr(module, "_batch", watched)
    monkeypatch.setattr(module, "_last", only_then)
    traits = KnownTraits()
    traits.read(PAGES)
    return traits


def test_helpers_read_what_one_process_reads_and_end(
    monkeypatch: pytest.MonkeyPatch, started: list[Any], caplog: pytest.LogCaptureFixture
) -> None:
    """One is killed at its first answer, and its pages are read by the others."""

    def kill(process: subprocess.Popen[bytes]) -> None:
        process.kill()
        process.wait(60)

    with caplog.at_level(logging.WARNING):
        traits = read_by_helpers(monkeypatch, started, kill, lambda: "pages_read_again=" in caplog.text)
    assert [traits.of(one) for one in PAGES] == [read_traits(one.html, one.charset) for one in PAGES]
    assert len(started) == 2
    assert all(one._process.poll() is not None for one in started)
    assert "a process that helped to learn died end=SIGKILL pages_read_again=1; " in caplog.text


def test_one_that_is_stuck_is_not_waited_for(monkeypatch: pytest.MonkeyPatch, started: list[Any]) -> None:
    traits = read_by_helpers(monkeypatch, started, lambda process: process.send_signal(signal.SIGSTOP), lambda: True)
    assert [traits.of(one) for one in PAGES] == [read_traits(one.html, one.charset) for one in PAGES]
    assert all(one._process.poll() is not None for one in started)


def test_an_interrupt_leaves_no_process(monkeypatch: pytest.MonkeyPatch, started: list[Any]) -> None:
    def interrupted(html: bytes, charset: str) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "read_traits", interrupted)
    with pytest.raises(KeyboardInterrupt):
        KnownTraits().read(PAGES)
    assert len(started) == 2
    assert all(one._process.poll() is not None for one in started)


@pytest.mark.parametrize(
    ("cores", "size", "count"), [(1, 10**9, 0), (8, 7_000_000, 0), (8, 17_000_000, 2), (2, 10**9, 1)]
)
def test_helpers_are_as_many_as_pay_and_there_are_cores_for(
    monkeypatch: pytest.MonkeyPatch, cores: int, size: int, count: int
) -> None:
    monkeypatch.setattr(module, "auto_count", lambda: cores)
    assert module.helpers_for(size) == count


def test_a_page_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[bytes] = []

    def counted(html: bytes, charset: str) -> Any:
        read.append(html)
        return read_traits(html, charset)

    monkeypatch.setattr(module, "read_traits", counted)
    traits = KnownTraits()
    traits.read(PAGES[:3])
    traits.read(PAGES[:4])
    assert [len(traits.of(one).texts) for one in PAGES[:4]] == [2] * 4
    assert len(read) == 4


@pytest.mark.parametrize("html", ["<p>ab</p> abc\xa0d <p>\u3000</p>", "<i>" * 9000 + "<p>ab</p>abc d"])
def test_short_paragraphs_can_be_left_out(html: str) -> None:
    tree = parse_html(html)
    every = paragraphs_outside_links(tree)
    assert every
    for least in (2, 3, 6):
        assert paragraphs_outside_links(tree, least) == [one for one in every if len(one) >= least]

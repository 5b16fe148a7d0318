"""The table of whole crawls counts what it says: a target once, under whatever query it came home."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from tests.eval.crawls import _score, address_of
from tests.eval.tasks import EvalPage, Task

PROCESS = SimpleNamespace(returncode=0, stderr="")


def scored(*stored: str) -> tuple[int, int]:
    task = Task(
        "shop/item", "shop", "", tuple(EvalPage(f"http://a.example{path}", Path(), {}) for path in ("/1", "/2"))
    )
    score = _score("shop/item", task, {address_of(f"http://b.example{path}"): {} for path in stored}, 1.0, PROCESS)
    return score.found, score.extra


def test_every_target_counts_once_and_a_second_copy_is_one_too_many() -> None:
    assert scored("/1", "/2", "/3") == (2, 1)
    assert scored("/1?session=4") == (1, 0)
    assert scored("/1", "/1?session=4") == (1, 1)


def test_an_address_has_one_spelling() -> None:
    assert address_of("http://a/x/index.html") == address_of("http://b/x/")
    assert address_of("http://a/info?name=ACE+2") == address_of("http://a/info?name=ACE%202")
    assert address_of("http://a/info?name=a") != address_of("http://a/info?name=b")

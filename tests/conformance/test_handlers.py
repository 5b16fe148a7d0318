"""The page of who takes what is the one of today."""

from __future__ import annotations

import pytest

from tests.conformance import handlers


@pytest.fixture(autouse=True)
def same_versions() -> None:
    if handlers.versions() not in handlers.PAGE.read_text(encoding="utf-8"):
        pytest.skip(f"the page is of other versions than {handlers.versions()}")


def test_the_page_shows_the_cases_as_they_are() -> None:
    assert handlers.page(handlers.written()) == handlers.PAGE.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("handler", handlers.HANDLERS)
def test_a_handler_does_what_the_page_says(handler: str) -> None:
    stale = "run `python -m tests.conformance.handlers --write`"
    assert handlers.differing(handler) == handlers.written()[handler], stale

"""When a page is looked at again, and how a server is asked whether it has changed."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.recrawl.conditional_get import CONDITIONS, conditions_of
    from gwc_crawler.recrawl.intervals import (
        Intervals,
        Recrawl,
        RevisitResult,
        gone,
        has_changed_since,
        look_again,
        missed,
        not_modified,
        recrawl_choice,
    )
else:
    __getattr__ = face(__name__)

__all__ = [
    "CONDITIONS",
    "Intervals",
    "Recrawl",
    "RevisitResult",
    "conditions_of",
    "gone",
    "has_changed_since",
    "look_again",
    "missed",
    "not_modified",
    "recrawl_choice",
]

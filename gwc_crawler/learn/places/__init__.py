"""Where a sample's values stand on its page, and how such a place can be addressed."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.learn.places.common import Shared
    from gwc_crawler.learn.places.context import Context, LearnPage
    from gwc_crawler.learn.places.paths import Address, PathMaker
    from gwc_crawler.learn.places.places import Place, find_places, stands_on
    from gwc_crawler.learn.places.record_places import Box, locate_records
    from gwc_crawler.learn.places.run_paths import RunPathMaker
    from gwc_crawler.learn.places.text_index import TextIndex
else:
    __getattr__ = face(__name__)

__all__ = [
    "Address",
    "Box",
    "Context",
    "LearnPage",
    "PathMaker",
    "Place",
    "RunPathMaker",
    "Shared",
    "TextIndex",
    "find_places",
    "locate_records",
    "stands_on",
]

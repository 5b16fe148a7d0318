"""The parts of a worker that shares its crawl through Redis: what it does otherwise than a crawl that is alone."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.crawl.shared.context import SharedContext, SharedControl
    from gwc_crawler.crawl.shared.leases import SharedLeases
    from gwc_crawler.crawl.shared.page_store import SharedPageStore
else:
    __getattr__ = face(__name__)

__all__ = [
    "SharedContext",
    "SharedControl",
    "SharedLeases",
    "SharedPageStore",
]

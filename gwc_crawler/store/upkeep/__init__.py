"""A crawl's file as a file: how much of it each table takes, and making it smaller."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.store.upkeep.sizes import FileSizes, file_sizes
    from gwc_crawler.store.upkeep.vacuuming import Vacuumed, vacuum
else:
    __getattr__ = face(__name__)

__all__ = ["FileSizes", "Vacuumed", "file_sizes", "vacuum"]

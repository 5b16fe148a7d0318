"""What the dashboard shows, as data: bounded reads of a site's files and of Redis, beside a crawl that runs."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.dashboard.queries.standing import Standing, standing_of
else:
    __getattr__ = face(__name__)

__all__ = ["Standing", "standing_of"]

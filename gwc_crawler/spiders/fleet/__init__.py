"""A worker of the fleet: takes a site or a part of one, crawls it, gives it back, takes the next."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.spiders.fleet.shared_learning import together
    from gwc_crawler.spiders.fleet.steering import fleet_channel
    from gwc_crawler.spiders.fleet.worker import Worker, WorkOptions
else:
    __getattr__ = face(__name__)

__all__ = [
    "WorkOptions",
    "Worker",
    "fleet_channel",
    "together",
]

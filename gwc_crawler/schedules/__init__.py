"""Crawls at set times, as "books every day at 3": when one is due, what was missed, timers for cron and systemd."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.schedules.book import RECRAWLS, Last, Schedule, ScheduleBook
    from gwc_crawler.schedules.keeper import Keeper
    from gwc_crawler.schedules.timers import Launch, crontab_text, systemd_units
    from gwc_crawler.schedules.timing import Timing, local_zone
else:
    __getattr__ = face(__name__)

__all__ = [
    "RECRAWLS",
    "Keeper",
    "Last",
    "Launch",
    "Schedule",
    "ScheduleBook",
    "Timing",
    "crontab_text",
    "local_zone",
    "systemd_units",
]

"""Whether everything that a crawl stands on is as it should be: checks side by side, each with what helps."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.doctor.databases import database_checks
    from gwc_crawler.doctor.findings import AT_ONCE, Check, Finding, Level, run_checks
    from gwc_crawler.doctor.machine import machine_checks
    from gwc_crawler.doctor.network import network_checks
    from gwc_crawler.doctor.servers import browser_checks, rights_checks, server_checks
    from gwc_crawler.doctor.site_files import SitePlan, read_sites
else:
    __getattr__ = face(__name__)

__all__ = [
    "AT_ONCE",
    "Check",
    "Finding",
    "Level",
    "SitePlan",
    "browser_checks",
    "database_checks",
    "machine_checks",
    "network_checks",
    "read_sites",
    "rights_checks",
    "run_checks",
    "server_checks",
]

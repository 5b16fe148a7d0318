"""What settings mean: each read here, once, as the value or the options that parts of a crawl go by."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.config.choices import (
        OWN_SINK,
        ChosenSinks,
        browser_for,
        browser_path,
        check_browser,
        chosen_files,
        chosen_sinks,
        condenser_of,
        intervals_of,
        is_in_redis,
        keeps_records_on_server_alone,
        partition_policy,
        setting_choice,
        sink_names,
    )
    from gwc_crawler.config.given import loaded, shown, where
    from gwc_crawler.config.lookups import crawl_names, dns_cache, guard_of, lookup_plan, overrides_of
    from gwc_crawler.config.options import (
        BackOff,
        LeaseOptions,
        back_off,
        data_directory,
        fleet_name,
        keeps_exchanges,
        lease_options,
        progress_mode,
        shows_bar,
        sites_directory,
    )
else:
    __getattr__ = face(__name__)

__all__ = [
    "OWN_SINK",
    "BackOff",
    "ChosenSinks",
    "LeaseOptions",
    "back_off",
    "browser_for",
    "browser_path",
    "check_browser",
    "chosen_files",
    "chosen_sinks",
    "condenser_of",
    "crawl_names",
    "data_directory",
    "dns_cache",
    "fleet_name",
    "guard_of",
    "intervals_of",
    "is_in_redis",
    "keeps_exchanges",
    "keeps_records_on_server_alone",
    "lease_options",
    "loaded",
    "lookup_plan",
    "overrides_of",
    "partition_policy",
    "progress_mode",
    "setting_choice",
    "shown",
    "shows_bar",
    "sink_names",
    "sites_directory",
    "where",
]

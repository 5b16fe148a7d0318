"""What our spiders are wired with, how each setting of Scrapy's is taken, and what is refused with the reason."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.wiring.access import hide_secrets, let_in, proxy_in, through_proxy
    from gwc_crawler.wiring.blame import raised_by, reason_of, start_error, what_helps
    from gwc_crawler.wiring.check import settings_of, settle, with_site
    from gwc_crawler.wiring.components import COMPONENTS, OURS, path_of, wire
    from gwc_crawler.wiring.options import (
        OWN_SINK,
        ChosenSinks,
        back_off,
        browser_for,
        browser_path,
        check_browser,
        chosen_files,
        chosen_sinks,
        condenser_of,
        crawl_names,
        data_directory,
        dns_cache,
        fleet_name,
        guard_of,
        intervals_of,
        is_in_redis,
        keeps_exchanges,
        lease_options,
        lookup_plan,
        overrides_of,
        partition_policy,
        progress_mode,
        setting_choice,
        shows_bar,
        sink_names,
        sites_directory,
    )
    from gwc_crawler.wiring.own_settings import EARLY, check_settings, check_tables, check_values, known_names
else:
    __getattr__ = face(__name__)

"""What our spiders are wired with, how each setting of Scrapy's is taken, and what is refused with the reason."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.wiring.access import hide_secrets, let_in
    from gwc_crawler.wiring.blame import raised_by, reason_of, start_error, what_helps
    from gwc_crawler.wiring.check import settings_of, settle, with_site
    from gwc_crawler.wiring.choices import (
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
    from gwc_crawler.wiring.components import COMPONENTS, OURS, path_of, wire
    from gwc_crawler.wiring.lookups import crawl_names, dns_cache, guard_of, lookup_plan, overrides_of
    from gwc_crawler.wiring.own_settings import check_settings
    from gwc_crawler.wiring.proxies import proxy_in, through_proxy
    from gwc_crawler.wiring.setting_names import known_names
    from gwc_crawler.wiring.values import EARLY, check_tables, check_values
else:
    __getattr__ = face(__name__)

__all__ = [
    "COMPONENTS",
    "EARLY",
    "OURS",
    "ChosenSinks",
    "browser_for",
    "browser_path",
    "check_browser",
    "check_settings",
    "check_tables",
    "check_values",
    "chosen_files",
    "chosen_sinks",
    "condenser_of",
    "crawl_names",
    "dns_cache",
    "guard_of",
    "hide_secrets",
    "intervals_of",
    "is_in_redis",
    "keeps_records_on_server_alone",
    "known_names",
    "let_in",
    "lookup_plan",
    "overrides_of",
    "partition_policy",
    "path_of",
    "proxy_in",
    "raised_by",
    "reason_of",
    "setting_choice",
    "settings_of",
    "settle",
    "sink_names",
    "start_error",
    "through_proxy",
    "what_helps",
    "wire",
    "with_site",
]

"""What our spiders are wired with, how each setting of Scrapy's is taken, and what is refused with the reason."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.wiring.access import hide_secrets, let_in
    from gwc_crawler.wiring.blame import raised_by, reason_of, start_error, what_helps
    from gwc_crawler.wiring.check import settings_of, settle, with_site
    from gwc_crawler.wiring.components import COMPONENTS, OURS, path_of, wire
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
    "check_settings",
    "check_tables",
    "check_values",
    "hide_secrets",
    "known_names",
    "let_in",
    "path_of",
    "proxy_in",
    "raised_by",
    "reason_of",
    "settings_of",
    "settle",
    "start_error",
    "through_proxy",
    "what_helps",
    "wire",
    "with_site",
]

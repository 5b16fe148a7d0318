"""What the dashboard shows, as data: bounded reads of a site's files and of Redis, beside a crawl that runs."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.dashboard.queries.links import LinkMap, link_map
    from gwc_crawler.dashboard.queries.records import (
        coverage_of,
        exceptions_in,
        knowledge_of,
        last_records,
        page_of_record,
        record_view,
        whereabouts,
    )
    from gwc_crawler.dashboard.queries.standing import Stage, Standing, shared_look, standing_of
    from gwc_crawler.dashboard.queries.steering import (
        Preview,
        Started,
        add_urls,
        begin_crawl,
        change_previewed,
        preview,
        start,
        start_command,
        steer,
    )
    from gwc_crawler.dashboard.queries.url_stats import (
        host_limits_of,
        names_of,
        resting_hosts,
        status_codes,
        tally_of,
        waiting_of,
    )
else:
    __getattr__ = face(__name__)

__all__ = [
    "LinkMap",
    "Preview",
    "Stage",
    "Standing",
    "Started",
    "add_urls",
    "begin_crawl",
    "change_previewed",
    "coverage_of",
    "exceptions_in",
    "host_limits_of",
    "knowledge_of",
    "last_records",
    "link_map",
    "names_of",
    "page_of_record",
    "preview",
    "record_view",
    "resting_hosts",
    "shared_look",
    "standing_of",
    "start",
    "start_command",
    "status_codes",
    "steer",
    "tally_of",
    "waiting_of",
    "whereabouts",
]

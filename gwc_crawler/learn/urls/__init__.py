"""URLs → classes of URLs, each with its regex; what in a URL means nothing (sessions)."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.learn.urls.clustering import UrlCluster, cluster_urls
    from gwc_crawler.learn.urls.minted import find_minted_keys
    from gwc_crawler.learn.urls.regex import class_regexes, literal, origin_pattern, pattern_of, url_regex
    from gwc_crawler.learn.urls.sessions import (
        TOKEN,
        SameRecord,
        find_ignored_keys,
        find_ignored_segments,
        is_same_page,
        keys_of,
        value_of,
        versions_of,
    )
    from gwc_crawler.learn.urls.slots import KNOWN_EXTENSION, SlottedUrl, is_number, row_of
    from gwc_crawler.learn.urls.tree import split_into_groups
    from gwc_crawler.learn.urls.url_parts import common_start, split_url
else:
    __getattr__ = face(__name__)

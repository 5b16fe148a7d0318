"""A site and its settings → the parts of a crawl, opened and put together: the one place where they meet."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.assembly.beginning import own_name
    from gwc_crawler.assembly.data_files import (
        CRAWL_DB,
        KNOWLEDGE_FILE,
        SAMPLES_DB,
        make_site_directory,
        remembered_site_file,
        site_directory,
    )
    from gwc_crawler.assembly.learned import knowledge_path, load_knowledge, read_knowledge_file, template_first
    from gwc_crawler.assembly.learning import SITE_FILE_KEY, learn_task, learning_digest
    from gwc_crawler.assembly.limits import (
        depth_limit,
        groups_of,
        read_options,
        run_limit,
        url_limits,
        whole_number,
        yield_limits,
    )
    from gwc_crawler.assembly.opening import open_context
    from gwc_crawler.assembly.precrawl_opening import open_precrawl
    from gwc_crawler.assembly.redis_parts import (
        check_server,
        connect,
        open_channel,
        open_look,
        shared_frontier,
        start_urls,
    )
    from gwc_crawler.assembly.robots_parts import robots_of, start_problem, unfetched_sample
else:
    __getattr__ = face(__name__)

__all__ = [
    "CRAWL_DB",
    "KNOWLEDGE_FILE",
    "SAMPLES_DB",
    "SITE_FILE_KEY",
    "check_server",
    "connect",
    "depth_limit",
    "groups_of",
    "knowledge_path",
    "learn_task",
    "learning_digest",
    "load_knowledge",
    "make_site_directory",
    "open_channel",
    "open_context",
    "open_look",
    "open_precrawl",
    "own_name",
    "read_knowledge_file",
    "read_options",
    "remembered_site_file",
    "robots_of",
    "run_limit",
    "shared_frontier",
    "site_directory",
    "start_problem",
    "start_urls",
    "template_first",
    "unfetched_sample",
    "url_limits",
    "whole_number",
    "yield_limits",
]

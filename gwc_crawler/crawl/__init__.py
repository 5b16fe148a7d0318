"""A running crawl: where its leases come from, where its pages go, what is asked of it."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.crawl.beginning import own_name
    from gwc_crawler.crawl.common import Scheduling, StoredSamples
    from gwc_crawler.crawl.context import CrawlContext, CrawlControl
    from gwc_crawler.crawl.data_files import (
        CRAWL_DB,
        KNOWLEDGE_FILE,
        SAMPLES_DB,
        SITE_FILE_KEY,
        knowledge_path,
        learn_task,
        learning_digest,
        load_knowledge,
        make_site_directory,
        own_site_file,
        read_knowledge_file,
        remembered_site_file,
        site_directory,
        template_first,
    )
    from gwc_crawler.crawl.first_records import FirstRecords, TextReader, Values
    from gwc_crawler.crawl.leases import Leases
    from gwc_crawler.crawl.limits import (
        cuts_information,
        depth_limit,
        groups_of,
        read_options,
        run_limit,
        url_limits,
        yield_limits,
    )
    from gwc_crawler.crawl.opening import open_context, open_precrawl
    from gwc_crawler.crawl.page_store import Outbox, PageStore
    from gwc_crawler.crawl.precrawl import PrecrawlLeases, Settling
    from gwc_crawler.crawl.redis_parts import (
        check_server,
        connect,
        open_channel,
        open_look,
        shared_frontier,
        start_urls,
    )
    from gwc_crawler.crawl.robots_parts import robots_of, start_problem, unfetched_sample
    from gwc_crawler.crawl.shared import SharedContext
    from gwc_crawler.crawl.silent_hosts import RobotsUnreachable, Silence, SilentHosts, kind_of
else:
    __getattr__ = face(__name__)

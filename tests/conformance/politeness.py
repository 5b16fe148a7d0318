"""Politeness as the servers see it: gaps, requests at once, rests, over restarts and borders, alone and in a fleet."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.conformance import polite_crawls
from tests.conformance.polite_crawls import Outcomes, border, restarts
from tests.conformance.polite_hosts import Hosts
from tests.conformance.table import Case
from tests.conftest import Project
from tests.redis_server import RedisServer

TITLE = "Politeness, measured at the server"

ABOUT = """
Hosts at addresses of their own (127.0.0.x) write down when each request came and how many were under way. Crawls of
several such hosts run at the same time, some of them ended by Ctrl-C or `kill -9` and started again, some by two
workers over Redis. Waits are short here; in a crawl they are those of the settings.
"""

KEPT, ALONE, DOUBLING = "no smaller gap", polite_crawls.ALONE, "doubling gaps"
RESTED = "left alone, then asked"

MANY, QUEUES, ADDRESS, ADAPTIVE = "one crawl of many hosts", "GWC_QUEUE_POLICY = bkdr", "per address", "AutoThrottle"
BORDER, CHAIN_OF_PAGES, CHAIN, SHARED_BORDER, SHARED_CHAIN = (
    "border",
    "pages one by one",
    "restarts",
    "border, in Redis",
    "restarts, in Redis",
)

CASES = [
    Case("DOWNLOAD_SLOTS gives one host a delay", KEPT, MANY),
    Case("robots.txt asks for a crawl-delay", KEPT, MANY),
    Case("CONCURRENT_REQUESTS_PER_DOMAIN = 3", "at most 3 at once", MANY),
    Case("DOWNLOAD_SLOTS allows one host one request at a time", "at most 1 at once", MANY),
    Case("429 with Retry-After in seconds", RESTED, MANY),
    Case("503 with Retry-After as a date", RESTED, MANY),
    Case("500 with Retry-After", RESTED, MANY),
    Case("Retry-After names the year 9999", RESTED, MANY,
         decision="It is obeyed up to `GWC_RETRY_MAX_SECONDS` (here four seconds), like any other wait."),
    Case("Retry-After is no date and no number", DOUBLING, MANY),
    Case("robots.txt is answered with 503 and Retry-After", RESTED, MANY),
    Case("a redirect leads to a host with a delay", KEPT, MANY),
    Case("503 again and again", DOUBLING, MANY),
    Case("after its trouble a host answers again", "several at once", MANY),
    Case("connections are reset", DOUBLING, MANY),
    Case("TLS fails", DOUBLING, MANY),
    Case("500 again and again", DOUBLING, MANY,
         decision="From the third in a row on, and up to eight times the first wait: a single one may be its page's."),
    Case("a slow host beside a fast one", "the fast one is done first", MANY),
    Case("a resting host beside another", "the other one is done first", MANY),
    Case("a resting host beside one whose pages are found one by one", "that one goes on", CHAIN_OF_PAGES),
    Case("DOWNLOAD_DELAY, one host in many queues", KEPT, QUEUES),
    Case("concurrency, one host in many queues", "at most 2 at once", QUEUES),
    Case("DOWNLOAD_DELAY, `-a recrawl=all`", KEPT, QUEUES),
    Case("CONCURRENT_REQUESTS_PER_IP = 2, two names of one address", "at most 2 at once", ADDRESS),
    Case("AUTOTHROTTLE_ENABLED, a host that takes .6 s to answer", "paced by its latency", ADAPTIVE),
    Case("a rest at the border between pre-crawl and crawl", ALONE, BORDER),
    Case("a rest, `scrapy pause` and `resume`", ALONE, CHAIN),
    Case("a rest, another crawl asks the same host", ALONE, CHAIN),
    Case("a rest, Ctrl-C and the same command again", ALONE, CHAIN),
    Case("a rest, `kill -9` and the same command again", ALONE, CHAIN),
    Case("a delay, over Ctrl-C and `kill -9`", KEPT, CHAIN),
    Case("a crawl-delay, over Ctrl-C and `kill -9`", KEPT, CHAIN),
    Case("Redis: a rest at the border between pre-crawl and crawl", ALONE, SHARED_BORDER),
    Case("Redis: a rest, two workers", ALONE, SHARED_CHAIN),
    Case("Redis: a rest, `scrapy pause` and `resume`", ALONE, SHARED_CHAIN),
    Case("Redis: a rest, Ctrl-C and the same command again", ALONE, SHARED_CHAIN),
    Case("Redis: a rest, `kill -9` and the same command again", ALONE, SHARED_CHAIN),
    Case("Redis: a delay, two workers, over Ctrl-C and `kill -9`", KEPT, SHARED_CHAIN),
    Case("Redis: concurrency, two workers, over Ctrl-C and `kill -9`", "at most 2 at once", SHARED_CHAIN),
]  # fmt: skip


@contextmanager
def serving() -> Iterator[Mapping[str, Future[Outcomes]]]:
    """All crawls, some at a time; each is begun at once and asked for its outcomes when its first case comes."""
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        redis = stack.enter_context(RedisServer(directory / "redis"))
        pool = stack.enter_context(ThreadPoolExecutor(3))

        def start(name: str, crawl: Callable[[Project, Hosts], Outcomes]) -> Future[Outcomes]:
            def run() -> Outcomes:
                where = directory / name.replace(" ", "-")
                where.mkdir()
                with Project(where) as project, Hosts() as hosts:
                    return crawl(project, hosts)

            return pool.submit(run)

        shared = {"REDIS_URL": redis.url, "GWC_LEASE_SECONDS": 3.0, "GWC_LEASE_BATCH": 8, "DOWNLOAD_TIMEOUT": 5}
        apart = {**shared, "REDIS_URL": redis.url[:-1] + "1"}
        yield {
            MANY: start(MANY, polite_crawls.many_hosts),
            CHAIN: start(CHAIN, lambda project, hosts: restarts(project, hosts)),
            SHARED_CHAIN: start(SHARED_CHAIN, lambda project, hosts: restarts(project, hosts, shared, workers=2)),
            BORDER: start(BORDER, lambda project, hosts: border(project, hosts)),
            SHARED_BORDER: start(SHARED_BORDER, lambda project, hosts: border(project, hosts, apart)),
            CHAIN_OF_PAGES: start(CHAIN_OF_PAGES, polite_crawls.one_after_the_other),
            QUEUES: start(QUEUES, polite_crawls.many_queues),
            ADDRESS: start(ADDRESS, polite_crawls.one_address),
            ADAPTIVE: start(ADAPTIVE, polite_crawls.adaptive_delay),
        }


def outcome(case: Case, env: Mapping[str, Future[Outcomes]]) -> str:
    """What the servers' logs say."""
    return env[case.by].result(timeout=400)[case.name]

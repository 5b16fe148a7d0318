"""`python -m benchmarks.gwc.efficiency`: records after 30 minutes and 5 hours of crawling at the paper's rate, twice.

A generated shop as large as the paper's largest site, with look-alikes under the products' URL form, a calendar without
end, and islands behind pages off the topic. It is pre-crawled, learned and crawled as `mode = "paper"` does, page by
page without a network; 4,000 pages in 12 minutes are the paper's rate. Beside it the same shop crawled breadth first
without filters, reading records by the same wrapper: what the method is worth.
"""

from __future__ import annotations

import argparse
import heapq
from collections.abc import Iterator, Sequence
from itertools import count

from gwc_crawler.demo.mall import Mall
from gwc_crawler.demo.mall_server import KEYWORDS, choose_samples
from gwc_crawler.extract.record import extract_target
from gwc_crawler.frontier.order import is_followed, page_weight
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.learn.site import learn_site
from gwc_crawler.learn.targets.task import LearnTask
from gwc_crawler.modes import LearnMode
from gwc_crawler.page.reader import PageReader
from tests.learn.mall_crawl import ORIGIN, allowed, fetch, path_of, precrawl_mall

PAGES_A_SECOND = 4000 / 720
MARKS = {"30 minutes": 1800.0, "5 hours": 18_000.0}


def learned(mall: Mall, pages: int) -> Knowledge:
    """Learn the mall as published."""
    samples = tuple(
        (ORIGIN + path, {name: value for name, value in mall.records[path].items() if value})
        for path in choose_samples(mall)
    )
    stored = precrawl_mall(mall, KEYWORDS, pages=pages, samples=[url for url, _ in samples])
    return learn_site(LearnTask("mall", (f"{ORIGIN}/",), KEYWORDS, samples, mode=LearnMode.PAPER), stored)


def crawled(mall: Mall, knowledge: Knowledge, *, by_method: bool) -> Iterator[str]:
    """Crawl; gives, for each page fetched, the path of the product whose record it brought, "" for none."""
    reader, order = PageReader(knowledge), count()
    waiting, seen = [(0, next(order), f"{ORIGIN}/")], {f"{ORIGIN}/"}
    while waiting:
        arrival, _, url = heapq.heappop(waiting)
        answer = fetch(mall, url)
        if answer is None:
            yield ""
            continue
        page = reader.read(*answer)
        record = extract_target(page, knowledge)
        yield path_of(page.url) if record is not None and not record.rejected else ""
        weight = page_weight(arrival, relevant=page.relevant) if by_method else 0
        links = page.admitted if by_method else page.links
        for link in links if is_followed(weight, knowledge.max_weight if by_method else None) else ():
            if link not in seen and allowed(mall, link):
                seen.add(link)
                heapq.heappush(waiting, (weight, next(order), link))


def at_marks(mall: Mall, found: Iterator[str]) -> list[tuple[int, int, int]]:
    """Return for each mark: pages fetched, products found, records that are no product or one again."""
    rows, products, pages, others = [], set[str](), 0, 0
    for seconds in MARKS.values():
        while pages < seconds * PAGES_A_SECOND and (path := next(found, None)) is not None:
            pages += 1
            if path in products or path not in mall.records:
                others += bool(path)
            else:
                products.add(path)
        rows.append((pages, len(products), others))
    return rows


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gwc.efficiency", description=__doc__)
    parser.add_argument("--products", type=int, default=15_000)
    parser.add_argument("--pages", type=int, default=4_000, help="of the pre-crawl")
    options = parser.parse_args(arguments)
    print("| crawl | after | pages fetched | products found | records besides |\n|---|---|---|---|---|")
    for seed in (1, 2):
        mall = Mall(seed, options.products)
        knowledge = learned(mall, options.pages)
        for way, by_method in (("as published", True), ("breadth first", False)):
            rows = at_marks(mall, crawled(mall, knowledge, by_method=by_method))
            for mark, (pages, products, others) in zip(MARKS, rows, strict=True):
                whole = f"{products:,} of {len(mall.records):,}"
                print(f"| shop {seed}, {way} | {mark} | {pages:,} | {whole} | {others:,} |", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""`python -m benchmarks.store`: what stored HTML takes, and whether the embedded store slows down at a million pages.

1. Bodies: deflate (ISA-L at its fastest level, and zlib at its default) beside zstd, with and without a dictionary
   made of 25 pages as a crawl does it; share of the size, and CPU time to pack and unpack a page.
   Of the benchmark's catalogue, and of the sites in the folders that are named.
2. Growth: a commit of 100 pages, a batch of 500 read by the strip engine, and a page looked up by its URL, in a crawl's
   file with ten thousand pages and in one with a million (`--most`). Exit code 1 if one costs so much
   more that a crawl would notice.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from backports import zstd
from isal import isal_zlib

from benchmarks.catalogue import Catalogue
from benchmarks.measure import machine
from gwc_crawler.items import Lease, Page, PageKind, Visit
from gwc_crawler.modes import KeepHtml
from gwc_crawler.page.reader import is_html
from gwc_crawler.store.sqlite.bodies import DICTIONARY_BYTES, LEVEL, SAMPLES, dictionary_of
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.reading import SqliteReader
from gwc_crawler.store.sqlite.sink import SqliteSink
from gwc_crawler.store.stripping.engine import PageKey, PageSource, StopWatch
from gwc_crawler.store.stripping.tables import open_sqlite_source

FEW, MANY = 10_000, 1_000_000
MOST_GROWTH = {"a commit of 100 pages": 5.0, "500 pages read": 1.5, "a page looked up": 2.0}
"""What each may grow by. A page of a commit has ten links to anywhere: ten URLs whose place in the index of a million
the file's cache does not hold. That is .1 ms of the 4 ms that a crawl takes for a page (`benchmarks.growth`)."""
PAGES = 600
"""Of each site."""
ROUNDS = 15


def pages_of(site: Path) -> list[bytes]:
    """Return some HTML pages of a site in a folder, in an order that says nothing."""
    files = sorted(file for file in site.rglob("*") if file.is_file())
    Random(1).shuffle(files)
    bodies = (file.read_bytes() for file in files)
    return list(islice((body for body in bodies if is_html(body, "")), PAGES))


def catalogue_pages() -> list[bytes]:
    """Return pages of the benchmark's catalogue."""
    catalogue = Catalogue(PAGES)
    return [catalogue.render(path) or b"" for path in catalogue.paths()]


def ways(samples: Sequence[bytes]) -> Iterator[tuple[str, Callable[[bytes], bytes], Callable[[bytes], bytes]]]:
    """Return the ways to pack: name, packing, unpacking."""
    yield "deflate, ISA-L 1", lambda body: isal_zlib.compress(body, 1), isal_zlib.decompress
    yield "deflate, zlib 6", lambda body: zlib.compress(body, 6), zlib.decompress
    plain = zstd.ZstdCompressor(3)
    yield "zstd 3", partial(_packed, plain), zstd.decompress
    dictionary = dictionary_of(samples)
    if dictionary is None:
        return
    digested = dictionary.as_digested_dict
    for level in (LEVEL, 3, 6):
        packer = zstd.ZstdCompressor(level, zstd_dict=digested)
        yield (
            f"zstd {level}, dictionary",
            partial(_packed, packer),
            lambda packed: zstd.decompress(packed, digested),
        )


def _packed(packer: Any, body: bytes) -> bytes:
    return bytes(packer.compress(body, packer.FLUSH_FRAME))


def _read(source: PageSource, after: PageKey) -> None:
    source.fetch(source.keys(after, 500))


def tell_bodies(name: str, pages: Sequence[bytes]) -> None:
    """Print what each way makes of a site's pages; those that a dictionary was made of don't count."""
    samples, others = pages[:SAMPLES], pages[SAMPLES:]
    size = sum(map(len, others))
    print(f"\n{name}: {len(others)} pages of {size / len(others) / 1000:.1f} KB")
    print(f"{'':22}{'size':>8}{'pack ms':>10}{'unpack ms':>11}")
    for way, pack, unpack in ways(samples):
        packed, packing = timed(pack, others)
        back, unpacking = timed(unpack, packed)
        assert back == list(others)
        print(f"{way:22}{sum(map(len, packed)) / size:8.1%}{packing:10.3f}{unpacking:11.3f}")


def timed(do: Callable[[bytes], bytes], bodies: Sequence[bytes]) -> tuple[list[bytes], float]:
    """Return what comes of each, and CPU milliseconds for one."""
    began = time.process_time()
    done = [do(body) for body in bodies]
    return done, 1000 * (time.process_time() - began) / len(bodies)


def visit(number: int) -> Visit:
    """Return a page with ten links, most of them to pages that are known."""
    url = f"http://shop.example/product/{number}"
    dice = Random(number)
    links = tuple(f"http://shop.example/product/{dice.randrange(number + 20)}" for _ in range(10))
    body = f"<title>{number}</title><p>{' '.join(f'{dice.randrange(10**9):x}' for _ in range(20))}".encode() * 3
    page = Page(url, 200, body, "text/html", "utf-8", PageKind.TARGET, True, links=links, text="text")
    return Visit(Lease(url, number, 0, 1, 1, "w", number, 0.0), page, None, 0, 1.0, "<p>", "abs")


def costs(path: Path, pages: int) -> dict[str, float]:
    """Fill a crawl's file up to so many pages, and return CPU milliseconds of what is done with it."""
    with CrawlDatabase(path) as database:
        sink = SqliteSink(database, site="bench", keep_html=KeepHtml.ALL)
        known = int(database.connection.execute("SELECT count(*) FROM pages").fetchone()[0])
        commits = []
        for start in range(known, pages, 100):
            batch = [visit(number) for number in range(start, start + 100)]
            commits.append(cpu_ms(partial(sink.write, batch)))
        dice, reader = Random(2), SqliteReader(database, "bench")
        urls = [f"http://shop.example/product/{dice.randrange(pages)}" for _ in range(500)]
        looks = [cpu_ms(partial(reader.stored_page, url)) for url in urls]
        last = int(database.connection.execute("SELECT max(id) FROM pages").fetchone()[0])
    source = open_sqlite_source(path, None, StopWatch())
    reads = []
    for turn in range(ROUNDS):
        after = PageKey(last * (turn + 1) // (ROUNDS + 2), "")
        reads.append(cpu_ms(partial(_read, source, after)))
    source.close()
    return {
        "a commit of 100 pages": median(commits[-50:]),
        "500 pages read": median(reads),
        "a page looked up": sum(looks) / len(looks),
    }


def cpu_ms(do: Callable[[], object]) -> float:
    """Return the CPU milliseconds that something takes."""
    began = time.process_time()
    do()
    return 1000 * (time.process_time() - began)


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sites", type=Path, nargs="*", help="folders with sites")
    parser.add_argument(
        "--most", type=int, default=MANY, help="pages of the large file; 0: no growth (default 1,000,000)"
    )
    options = parser.parse_args()
    print(f"{machine()}; dictionaries of {DICTIONARY_BYTES // 1024} KB at most")
    tell_bodies("catalogue", catalogue_pages())
    for site in options.sites:
        tell_bodies(site.parent.name if site.name == "site" else site.name, pages_of(site))
    return grown(options.most) if options.most else 0


def grown(most: int) -> int:
    """Print what a larger file costs; returns the exit code."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "crawl.db"
        few, many = costs(path, FEW), costs(path, most)
        size = path.stat().st_size
    print(f"\nCPU ms with {FEW:,} and {most:,} pages ({size / 1e9:.1f} GB)")
    growth = {what: many[what] / few[what] for what in few}
    for what, times in growth.items():
        print(f"{what:24}{few[what]:8.2f}{many[what]:9.2f}  × {times:.2f}")
    return 1 if any(times > MOST_GROWTH[what] for what, times in growth.items()) else 0


if __name__ == "__main__":
    sys.exit(main())

"""kill -9 in the middle of commits: nothing is lost, nothing is there twice, what is fetched again was leased."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

from gwc_crawler.frontier.sqlite.frontier import SqliteFrontier
from gwc_crawler.store.sqlite.database import CrawlDatabase

PAGES = 600

WORKER = f"""
import sys, time
from pathlib import Path
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.frontier.sqlite.frontier import SqliteFrontier
from gwc_crawler.items import Done, Link, Page, PageKind, Visit
from gwc_crawler.modes import KeepHtml
from gwc_crawler.store.batcher import Batcher
from gwc_crawler.store.sqlite.sink import SqliteSink

database = CrawlDatabase(Path(sys.argv[1]))
frontier = SqliteFrontier(database, max_lost_leases=1000)
sink = SqliteSink(database, site="shop", keep_html=KeepHtml.ALL)
store = Batcher(frontier, sink, database.transaction, max_pages=7)
frontier.add([Link("http://shop.example/0")])
log = open(sys.argv[2], "a", buffering=1)
print("open", flush=True)
while True:
    leases = frontier.lease(16, "worker")
    if not leases:
        if frontier.counts().finished:
            break
        time.sleep(0.01)
    for lease in leases:
        number = int(lease.url.rpartition("/")[2])
        log.write(f"{{number}}\\n")
        links = tuple(f"http://shop.example/{{(number * k + 1) % {PAGES}}}" for k in (1, 2, 3, 5))
        page = Page(lease.url, 200, b"<p>" * 2000, "text/html", "utf-8", PageKind.INDEX, False, links=links)
        store.add(Visit(lease, page, None, 0, 0.0), Done(lease, lease.url, PageKind.INDEX, False, links))
        if store.full:
            store.commit()
    store.commit()
"""


def test_a_crawl_killed_again_and_again_ends_complete(tmp_path: Path) -> None:
    path, log = tmp_path / "crawl.db", tmp_path / "fetched"
    dice = random.Random(7)
    deaths = 0
    while True:
        with subprocess.Popen([sys.executable, "-c", WORKER, path, log], stdout=subprocess.PIPE) as worker:
            assert worker.stdout is not None
            worker.stdout.readline()
            if deaths < 6:
                time.sleep(dice.uniform(0.0, 0.05))
                worker.kill()
            if worker.wait(30) == 0:
                break
            deaths += 1
    with CrawlDatabase(path, read_only=True) as database:
        counts = SqliteFrontier(database).counts()
        assert database.connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        stored = [row[0] for row in database.connection.execute("SELECT url FROM pages")]
        states = dict(database.connection.execute("SELECT state, count(*) FROM urls GROUP BY state").fetchall())
    fetched = log.read_text().split()
    assert deaths >= 3
    assert states == {"C": PAGES} == {"C": counts.complete}
    assert len(stored) == len(set(stored)) == PAGES
    assert set(map(int, fetched)) == set(range(PAGES))
    assert len(fetched) - PAGES <= 16 * deaths

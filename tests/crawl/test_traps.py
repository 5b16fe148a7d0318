"""Endless sites: a crawl of each ends by itself with every target, and tells what it cut off."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from gwc_crawler.learn.wrapper.learning import learn_wrapper
from gwc_crawler.learn.wrapper.samples import Sample
from tests.conftest import Project
from tests.redis_server import RedisServer
from tests.site_server import SiteServer

TARGETS = 40
ITEMS = [f"/item/{number}" for number in range(TARGETS)]
SHOP = {"/": [f"/list/{n}" for n in range(4)]} | {
    f"/list/{n}": [*ITEMS[n::4], *(f"/list/{m}" for m in range(4))] for n in range(4)
}
"""Four lists with all 40 targets."""

FRUITLESS = 20
"""GWC_FRUITLESS_PAGES of these crawls."""


class Endless(dict[str, Sequence[str]]):
    """The shop, and a page for each path that a function knows links for."""

    def __init__(self, links_of: Callable[[str], Sequence[str] | None]) -> None:
        super().__init__(SHOP | {item: ["/"] for item in ITEMS})
        self.links_of = links_of

    def __contains__(self, path: object) -> bool:
        return super().__contains__(path) or self.links_of(str(path)) is not None

    def get(self, path: str, default: Any = None) -> Any:
        """Return the links of a page."""
        more = self.links_of(path) or ()
        return [*super().get(path, ()), *more]


def relative(path: str) -> Sequence[str] | None:
    """Every path that ends with a slash is a page, and leads one deeper."""
    return ["a/", "b/"] if path.endswith("/") else None


def calendar(path: str) -> Sequence[str] | None:
    """Months lead to months and to days, days to their month, and all to products that are known by now."""
    if path == "/":
        return ["/month/2000"]
    if match := re.fullmatch(r"/month/([0-9]+)", path):
        month = int(match[1])
        return [f"/month/{month + 1}", f"/month/{month - 1}", f"/day/{month}-1", f"/day/{month}-2", *ITEMS[:3]]
    if match := re.fullmatch(r"/day/([0-9]+)-[0-9]", path):
        return [f"/month/{match[1]}", *ITEMS[:3]]
    return None


def paging(path: str) -> Sequence[str] | None:
    """A list whose pages never end: behind the last real one the same products stand again and again."""
    if path == "/":
        return ["/all?page=1"]
    if match := re.fullmatch(r"/all\?page=([0-9]+)", path):
        page = int(match[1])
        return [f"/all?page={page + 1}", *ITEMS[10 * page : 10 * page + 10], *ITEMS[:2]]
    return None


def sessions(path: str) -> Sequence[str] | None:
    """Each answer gives the lists a session of its own; the products have none."""
    match = re.fullmatch(r"/(?:s([0-9a-f]+)/lists/([0-9]))?", path)
    if match is None:
        return None
    number = int(match[1] or "1", 16)
    links = [f"/s{(8 * number + n) % 0xFFFFFFFFFFFF:x}/lists/{n}" for n in range(4)]
    return links + (ITEMS[int(match[2]) :: 4] if match[2] else [])


def facets(path: str) -> Sequence[str] | None:
    """Each page adds another filter to the query."""
    if path != "/" and not path.startswith("/find"):
        return None
    query = path.partition("?")[2]
    return [f"/find?{query}&f{query.count('&')}=1" if query else "/find?f=1"]


def archive(path: str) -> Sequence[str] | None:
    """200 old pages, of which only the second hundred brings targets, each one."""
    if path == "/":
        return [f"/old/{n}" for n in range(200)]
    if match := re.fullmatch(r"/old/([0-9]+)", path):
        return [f"/item/{900 + int(match[1])}"] if int(match[1]) >= 100 else ITEMS[:2]
    return [] if re.fullmatch("/item/[0-9]{4}", path) else None


DIRECTORIES = {
    relative: (".*/",),
    calendar: (".*/month/[0-9]+", ".*/day/[0-9]+-[0-9]"),
    paging: (r".*/all\?page=[0-9]+",),
    sessions: (".*/s[0-9a-f]+/lists/[0-9]",),
    facets: (r".*/find\?.*",),
    archive: (".*/old/[0-9]+",),
}


def prepare(
    project: Project, site: SiteServer, links_of: Callable[[str], Sequence[str] | None], more: str = ""
) -> None:
    site.links = Endless(links_of)
    project.write_graph_site(site.url, more=more)
    project.write_knowledge(
        targets=(rf"{re.escape(site.url)}/item/[0-9]+",),
        directories=(*DIRECTORIES[links_of], rf"{re.escape(site.url)}/list/[0-9]+"),
    )


def crawl(project: Project, **settings: Any) -> str:
    """Crawl to the end; returns what is printed."""
    outcome = project.scrapy("crawl", "graph", settings={"GWC_FRUITLESS_PAGES": FRUITLESS, **settings}, timeout=60)
    assert outcome.code == 0, outcome.err
    return outcome.out + outcome.err


def targets(project: Project) -> int:
    return project.rows("SELECT count(*) FROM pages WHERE kind = 'target'")[0][0]


def rejections(project: Project) -> dict[str, int]:
    rows = project.rows("SELECT reason, sum(count) FROM cuts GROUP BY reason")
    return dict(rows)  # type: ignore[arg-type]


def why(project: Project, url: str) -> dict[str, Any]:
    outcome = project.scrapy("why", "graph", url, "--json")
    return {**json.loads(outcome.out), "code": outcome.code}


@pytest.mark.parametrize("trap", [relative, calendar, paging, sessions, facets], ids=lambda trap: trap.__name__)
def test_an_endless_site_ends_with_all_targets(project: Project, site: SiteServer, trap: Any) -> None:
    prepare(project, site, trap)
    said = crawl(project)
    assert targets(project) == TARGETS
    assert set(project.states().values()) <= {"C", "E"}
    assert sum(site.page_hits().values()) < 600
    (reason,) = rejections(project)
    assert reason == {relative: "repeated_segments", facets: "query_keys"}.get(trap, "fruitless_class")
    assert f"'gwc/cut/{reason}'" in said
    assert re.search(rf"cut off  [0-9,]+ URLs: [0-9,]+ {reason.replace('_', ' ')}", said)


def test_the_explanation_of_each_cut(project: Project, site: SiteServer) -> None:
    prepare(project, site, calendar, more="[crawl]\nmax_depth = 12\n")
    crawl(project)
    month = why(project, f"{site.url}/month/3000")
    assert (month["known"], month["admitted"], month["code"]) == (False, True, 11)
    assert "no new target (GWC_FRUITLESS_PAGES)" in month["cut"]
    assert "cut off was e.g. http" in month["cut"]
    (given_up, reason), *_ = project.rows("SELECT url, reason FROM urls WHERE state = 'E'")
    assert reason.startswith("limit: class closed (GWC_FRUITLESS_PAGES): .*/")
    assert why(project, given_up)["frontier"]["reason"] == reason
    status = json.loads(project.scrapy("status", "graph", "--json").out)["crawl"]
    assert set(status["closed_classes"].values()) == {"fruitless_class"}
    assert sum(row["count"] for row in status["cuts"]) > 10


def test_depth_is_counted_and_told(project: Project, site: SiteServer) -> None:
    prepare(project, site, calendar, more="[crawl]\nmax_depth = 3\n")
    crawl(project)
    assert targets(project) == TARGETS
    assert rejections(project) == {"depth": 6}
    told = why(project, f"{site.url}/month/2003")
    assert told["cut"] == "too deep: 4 clicks from a start, limit 3 (max_depth, DEPTH_LIMIT)"
    assert told["code"] == 11


def test_a_class_has_its_budget_and_a_higher_one_lets_it_go_on(project: Project, site: SiteServer) -> None:
    prepare(project, site, paging)
    crawl(project, GWC_FRUITLESS_PAGES=0, GWC_MAX_PAGES_PER_PATTERN=10)
    pages = [path for path in site.page_hits() if path.startswith("/all")]
    assert pages == [f"/all?page={n}" for n in range(1, 11)]
    assert rejections(project) == {"class_budget": 1}
    crawl(project, GWC_FRUITLESS_PAGES=0, GWC_MAX_PAGES_PER_PATTERN=15)
    assert site.page_hits()["/all?page=15"] == 1
    assert set(site.page_hits().values()) == {1}


def test_a_class_that_brings_something_again_opens_again(project: Project, site: SiteServer) -> None:
    prepare(project, site, archive)
    said = crawl(project)
    assert "class of URLs closed" in said
    assert "class of URLs open again" in said
    assert targets(project) == TARGETS + 100
    assert set(project.states().values()) == {"C"}
    assert set(site.page_hits().values()) == {1}


def test_a_shared_crawl_ends_as_well(project: Project, site: SiteServer, redis_server: RedisServer) -> None:
    prepare(project, site, calendar)
    settings = {"GWC_FRUITLESS_PAGES": FRUITLESS, "REDIS_URL": redis_server.url}
    workers = [project.start("crawl", "graph", settings=settings, profile="cluster") for _ in range(2)]
    for worker in workers:
        _, log = worker.communicate(timeout=60)
        assert worker.returncode == 0, log
    assert targets(project) == TARGETS
    assert max(site.page_hits().values()) == 1
    with redis_server.client() as client:
        assert client.hmget("{graph}:requests:values", "U", "R") == [b"0", b"0"]
    assert set(rejections(project)) == {"fruitless_class"}
    assert why(project, f"{site.url}/month/3000")["code"] == 11


def test_page_limits_hold_over_runs(project: Project, site: SiteServer) -> None:
    prepare(project, site, archive)
    limit = {"GWC_MAX_PAGES_PER_HOST": 30, "CONCURRENT_REQUESTS": 4}
    crawl(project, GWC_MAX_PAGES=10, **limit)
    said = crawl(project, **limit)
    assert sum(site.page_hits().values()) == 30
    states = project.states()
    assert sorted(set(states.values())) == ["C", "E"]
    assert rejections(project) == {"host_pages": list(states.values()).count("E")}
    assert "host pages" in said


def test_workers_share_one_page_limit(project: Project, site: SiteServer, redis_server: RedisServer) -> None:
    prepare(project, site, archive)
    settings = {"GWC_MAX_PAGES_PER_SITE": 50, "GWC_FRUITLESS_PAGES": 0, "REDIS_URL": redis_server.url}
    workers = [project.start("crawl", "graph", settings=settings, profile="cluster") for _ in range(2)]
    for worker in workers:
        _, log = worker.communicate(timeout=60)
        assert worker.returncode == 0, log
    assert sum(site.page_hits().values()) == 50
    assert set(rejections(project)) == {"site_pages"}


class SessionShop(SiteServer):
    """Ten products and a list of them; each link has a session of its own in its path."""

    def __init__(self) -> None:
        super().__init__()
        self.sessions = itertools.count()

    def _status(self, target: str) -> int:
        return 200 if target == "/robots.txt" or re.fullmatch("/(s[0-9]+/(list|item/[0-9]))?", target) else 404

    def _page(self, target: str, status: int) -> bytes:
        number = target[-1]
        shown = f"product {number}" if number.isdigit() else "all products"
        paths = ["list", *(f"item/{n}" for n in range(10))]
        anchors = "".join(f'<a href="/s{next(self.sessions)}/{path}">{path}</a> ' for path in paths)
        return f"<html><body><h1>{shown}</h1><p class=price>${number}.50</p>{anchors}</body></html>".encode()


def test_sessions_in_the_addresses_of_targets_end_as_well(project: Project) -> None:
    with SessionShop() as site:
        urls = [f"{site.url}/s0/item/{number}" for number in (3, 4)]
        samples = [
            Sample(url, site._page(url, 200).decode(), {"title": f"product {url[-1]}", "price": f"${url[-1]}.50"})
            for url in urls
        ]
        text = "".join(
            f'[[samples]]\nurl = "{one.url}"\nfields = {{ title = "{one.fields["title"]}", '
            f'price = "{one.fields["price"]}" }}\n'
            for one in samples
        )
        project.write_site("graph", f'entry = ["{site.url}/"]\n{text}')
        project.write_knowledge(
            targets=(".*/s[0-9]+/item/[0-9]",),
            directories=(".*/s[0-9]+/list",),
            keywords="",
            wrapper=learn_wrapper(samples).to_json(),
        )
        crawl(project)
        assert sum(site.page_hits().values()) < 400
    assert project.rows("SELECT count(DISTINCT title) FROM records_graph") == [(10,)]
    assert set(rejections(project)) == {"echo_class", "fruitless_class"}
    assert "showed only what is known from other addresses" in why(project, f"{site.url}/s99999/item/5")["cut"]

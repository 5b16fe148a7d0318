"""Links to addresses that lead on to target pages: the filters learn the form that links have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gwc_crawler.extract.record import extract_target
from gwc_crawler.items import PageKind, StoredPage
from gwc_crawler.knowledge.model import Knowledge, Verdict
from gwc_crawler.learn.precrawl.watch import StabilityWatch
from gwc_crawler.learn.site import learn_site
from gwc_crawler.learn.targets.task import LearnTask
from gwc_crawler.page.reader import PageReader, ReadOptions
from tests.forwarding_site import HTML, ForwardingShop, slug
from tests.learn.memory_crawl import Answer, precrawl_memory

ORIGIN = "http://a.example"


class Web:
    """A shop at *home*, whose links name *linked*, another scheme or host that only leads there."""

    def __init__(self, shop: ForwardingShop, home: str = ORIGIN, linked: str = "") -> None:
        self.shop, self.home, self.linked = shop, home, linked
        self.pages = shop.pages(home)

    def answer(self, url: str) -> Answer | None:
        """Return the page that *url* leads to."""
        for _ in range(5):
            if not url.startswith(f"{self.home}/"):
                parts = urlsplit(url)
                url = f"{self.home}{parts.path}{'?' + parts.query if parts.query else ''}"
                if parts.hostname == "elsewhere.invalid":
                    return None
            status, said = self.pages.get(url.removeprefix(self.home), (404, ""))
            if status == 200:
                return url, said.replace('href="/', f'href="{self.linked}/').encode(), HTML
            if status == 404:
                return None
            url = urljoin(url, said)
        return None

    def task(self, **more: Any) -> LearnTask:
        """What the site file says."""
        samples = tuple((self.home + url, fields) for url, fields in self.shop.shown())
        return LearnTask("shop", (f"{self.home}/",), samples=samples, **more)

    def precrawl(self, keywords: str = "") -> list[StoredPage]:
        """Fetch all there is."""
        starts = [f"{self.home}/", *(url for url, _ in self.task().samples)]
        options = ReadOptions(keywords=keywords)
        return precrawl_memory(self.answer, starts, PageReader(None, {"a.example"}, options))

    def learned(self, **more: Any) -> Knowledge:
        return learn_site(self.task(**more), self.precrawl())

    def brought(self, knowledge: Knowledge) -> set[str]:
        """The addresses of the records that a crawl brings home, without a start at the samples."""
        reader = PageReader(knowledge, {"a.example"}, ReadOptions())
        waiting, seen, found = [f"{self.home}/"], {f"{self.home}/"}, set[str]()
        while waiting:
            if (answer := self.answer(waiting.pop())) is None:
                continue
            page = reader.read(*answer)
            record = extract_target(page, knowledge, 0.0, lambda url, main: False)
            if page.kind is PageKind.TARGET and record is not None and not record.rejected:
                found.add(page.url)
            waiting += [link for link in page.admitted if link not in seen]
            seen.update(page.admitted)
        return found


KINDS: Mapping[str, ForwardingShop] = {
    "/p/7 to /p/7/lamp": ForwardingShop(),
    "/go/7": ForwardingShop(short="/go/{n}"),
    "a query": ForwardingShop(short="/click?pid={n}"),
    "two keys": ForwardingShop(short="/click?pid={n}&from=list"),
    "the address in a query": ForwardingShop(short="/out?u=%2Fp%2F{n}"),
    "to a query": ForwardingShop(short="/p/{n}", final="/item.php?id={n}"),
    "a name at the root": ForwardingShop(short="/{slug}-{n}", final="/product/{slug}-{n}"),
    "to the root": ForwardingShop(short="/product/{slug}-{n}", final="/{slug}-{n}"),
    "a number at the root": ForwardingShop(short="/{n}", final="/p/{n}/{slug}"),
    "case": ForwardingShop(short="/P/{n}", final="/p/{n}"),
    "a slash more": ForwardingShop(final="/p/{n}/"),
    "a slash less": ForwardingShop(short="/p/{n}/", final="/p/{n}"),
    "an extension": ForwardingShop(short="/p/{n}", final="/p/{n}.html"),
    "another name": ForwardingShop(short="/p/{n}/old", final="/p/{n}/{slug}"),
    "another directory": ForwardingShop(short="/old/{n}", final="/new/{n}"),
    "two hops": ForwardingShop(short="/go/{n}", via="/p/{n}"),
    "every second": ForwardingShop(is_short=lambda number: number % 2 == 1),
    "every second, the other": ForwardingShop(is_short=lambda number: number % 2 == 0),
    "a few": ForwardingShop(is_short=lambda number: number % 13 == 1),
    "one": ForwardingShop(short="/deal-of-the-day-{n}", is_short=lambda number: number == 20),
    "short samples": ForwardingShop(samples=((7, True), (12, True))),
    "one sample short": ForwardingShop(samples=((7, True), (12, False))),
    "short samples, final links": ForwardingShop(is_short=lambda number: False, samples=((7, True), (12, True))),
    "lists": ForwardingShop(list_short="/c/{n}"),
    "lists alone": ForwardingShop(short="/p/{n}/{slug}", list_short="/goto?list={n}"),
    "lists by one key, records by another": ForwardingShop(short="/go?p={n}", list_short="/go?l={n}"),
    "lists and records alike": ForwardingShop(short="/go/p{n}", list_short="/go/l{n}"),
    "some are gone": ForwardingShop(strays=("/", "/login", "/about", "http://elsewhere.invalid/x", "/nowhere")),
    "most are gone": ForwardingShop(strays=("/",) * 100),
    "several lead to one": ForwardingShop(strays=tuple(f"/p/{n}/{slug(n)}" for n in range(1, 31))),
    "lists in a chain": ForwardingShop(products=200, chained=True),
}


@pytest.mark.parametrize("shop", KINDS.values(), ids=KINDS.keys())
def test_all_records_come_home_once_and_nothing_else(shop: ForwardingShop) -> None:
    web = Web(shop)
    knowledge = web.learned()
    assert web.brought(knowledge) == shop.finals(ORIGIN)
    assert knowledge.evidence["certainty"]["targets"] == "sure"
    assert not knowledge.evidence["warnings"]


@pytest.mark.parametrize(
    ("home", "linked"),
    [
        ("https://a.example", "http://a.example"),
        ("https://a.example", "https://www.a.example"),
        ("http://www.a.example", "http://a.example"),
        ("https://www.a.example", "http://a.example"),
    ],
)
@pytest.mark.parametrize("kind", ["/p/7 to /p/7/lamp", "every second", "lists", "short samples, final links"])
def test_links_may_name_another_scheme_or_host(home: str, linked: str, kind: str) -> None:
    web = Web(KINDS[kind], home, linked)
    assert web.brought(web.learned()) == KINDS[kind].finals(home)


@given(
    short=st.sampled_from(["/p/{n}", "/go/{n}", "/go?id={n}", "/x/{slug}-{n}", "/x/{n}/{slug}.html", "/r/{n}/"]),
    final=st.sampled_from(["/p/{n}/{slug}", "/shop/{slug}-{n}", "/item?nr={n}", "/{slug}/{n}.htm", "/a/b/{n}"]),
    is_short=st.sets(st.integers(0, 6), min_size=1),
    samples=st.tuples(st.booleans(), st.booleans()),
    list_short=st.sampled_from(["", "/l{n}", "/lists?page={n}"]),
    strays=st.lists(st.sampled_from(["/", "/login", "/about", "/nowhere", "http://elsewhere.invalid/x"]), max_size=9),
)
@settings(max_examples=25)
def test_whatever_the_forms_are(
    short: str, final: str, is_short: set[int], samples: tuple[bool, bool], list_short: str, strays: list[str]
) -> None:
    shop = ForwardingShop(
        short,
        final,
        is_short=lambda number: number % 7 in is_short,
        samples=((7, samples[0]), (12, samples[1])),
        list_short=list_short,
        strays=tuple(strays),
    )
    web = Web(shop)
    assert web.brought(web.learned()) == shop.finals(ORIGIN)


def test_what_leads_to_no_target_is_no_filter() -> None:
    """Short addresses of which all lead to the front page, to one that says log in, or off the site."""
    web = Web(ForwardingShop(short="/old/{n}", is_short=lambda number: False, strays=("/", "/login", "/about") * 9))
    for number in range(1, 41):
        web.pages.pop(f"/old/{number}")
    knowledge = web.learned()
    assert web.brought(knowledge) == web.shop.finals(ORIGIN)
    assert knowledge.verdict(f"{ORIGIN}/old/901") is Verdict.NEITHER


def test_a_page_that_answers_at_an_address_of_that_form_is_no_record() -> None:
    """`/about` stands beside `/blue-lamp-7`, which leads on."""
    web = Web(KINDS["a name at the root"])
    knowledge = web.learned()
    assert knowledge.verdict(f"{ORIGIN}/amber-table-7") is Verdict.TARGET
    assert knowledge.verdict(f"{ORIGIN}/about") is not Verdict.TARGET


def test_a_target_regex_of_ones_own_is_kept_and_links_lead_to_it() -> None:
    web = Web(ForwardingShop())
    knowledge = web.learned(target=r"http://a\.example/p/\d+/[a-z-]+")
    assert web.brought(knowledge) == web.shop.finals(ORIGIN)
    assert knowledge.targets[0].regex == r"http://a\.example/p/\d+/[a-z-]+"


def test_without_samples_links_lead_to_what_the_keywords_say() -> None:
    web = Web(ForwardingShop(short="/go/{n}"))
    task = LearnTask("shop", (f"{ORIGIN}/",), keywords="workshop")
    knowledge = learn_site(task, web.precrawl(task.keywords))
    assert knowledge.verdict(f"{ORIGIN}/go/99") is Verdict.TARGET


def test_drafts_take_the_form_that_links_have() -> None:
    web = Web(ForwardingShop(short="/go/{n}", products=200))
    draft = StabilityWatch(web.task()).look(web.precrawl()).draft
    assert draft.is_target(f"{ORIGIN}/go/999")


@pytest.mark.parametrize("chained", [False, True])
@pytest.mark.parametrize("articles", [20, 100])
def test_one_form_may_lead_to_records_and_to_all_else(articles: int, chained: bool) -> None:
    strays = tuple(f"/news/{number}" for number in range(articles))
    web = Web(ForwardingShop(short="/go/{n}", strays=strays, chained=chained, products=150))
    for number, path in enumerate(strays):
        web.pages[path] = 200, f"<title>News {number}</title><h1>News {number}</h1><p>It rains.</p><a href='/'>home</a>"
    assert web.brought(web.learned()) == web.shop.finals(ORIGIN)

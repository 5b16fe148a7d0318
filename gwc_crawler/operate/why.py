"""Explain why a URL is in the crawl, or not: a URL in, an `Explanation` out; as text: `why_text`. For `scrapy why`.

It uses the same parts as the crawl: `PageReader` for the filters, the frontier for states and ways, the store for the
page's results, the robots.txt files that were read. Nothing is fetched or changed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import parse_qsl, urlsplit

from gwc_crawler.errors import InputError
from gwc_crawler.extract.record import field_sources
from gwc_crawler.frontier.admission import Admission
from gwc_crawler.frontier.protocol import DROPPED, UrlInfo
from gwc_crawler.frontier.rejections import EXAMPLES
from gwc_crawler.frontier.sqlite.frontier import SqliteFrontier
from gwc_crawler.frontier.sqlite.revisits import read_revisits
from gwc_crawler.frontier.sqlite.stats import paused_hosts
from gwc_crawler.items import PageKind, Revisit, UrlState
from gwc_crawler.knowledge.model import Knowledge, Verdict
from gwc_crawler.knowledge.patterns import pieces
from gwc_crawler.network.politeness.robots import Robots, RuleLine
from gwc_crawler.operate.fleet.channel import Channel, SqliteChannel
from gwc_crawler.operate.status import STATE_NAMES, when
from gwc_crawler.operate.summary import clock
from gwc_crawler.page.charset import charset_evidence
from gwc_crawler.page.reader import EXCLUDED, NO_FILTER, NO_PAGE, PageReader, ReadOptions
from gwc_crawler.sites.schema import Site
from gwc_crawler.store.reading import SiteReader
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.reading import SqliteReader
from gwc_crawler.store.sqlite.stats import least_depth_of_linking
from gwc_crawler.urls import host_of, normalize_url, same_site

if TYPE_CHECKING:
    from gwc_crawler.frontier.redis.stats import RedisLook


WHOLE = "whole"


@dataclass(frozen=True, slots=True)
class NearMiss:
    """The filter closest to a URL: both agree on `agrees`, then the URL has `differs` and the filter `expected`."""

    verdict: str
    regex: str
    agrees: str
    differs: str
    expected: str


@dataclass(frozen=True, slots=True)
class UrlRuling:
    """The decision of scope and filters on a URL; `regex` is the filter it passes, `nearest` the one it nearly passes.

    `start`: the site file names the URL, as entry or sample.
    """

    admitted: bool
    reason: str
    verdict: str
    regex: str | None = None
    nearest: NearMiss | None = None
    start: bool = False


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything known about one URL without a request."""

    asked: str
    url: str
    dropped_query_keys: tuple[str, ...]
    rule: UrlRuling
    frontier: UrlInfo | None = None
    precrawl_state: str | None = None
    host_paused_until: float | None = None
    host_silent: str | None = None
    """Since when its host gives the crawl that runs no answers, and why."""
    linked_from: tuple[tuple[str, int], ...] = ()
    page: Mapping[str, Any] | None = None
    record: Mapping[str, Any] | None = None
    read_by: Mapping[str, str] = field(default_factory=dict)
    exceptions: tuple[Mapping[str, str], ...] = ()
    revisit: Revisit | None = None
    sitemap: str | None = None
    """The sitemap that led here; for a sitemap that no page led to, the file that names it."""
    charset_evidence: str | None = None
    """The evidence for the charset of its page; None if its bytes are not kept."""
    cut: str | None = None
    """Why a limit keeps out what the filters let in: its class is closed, or it is too deep."""
    robots: RuleLine | None = None
    """The line of robots.txt that forbids it, as its host's was read last."""
    addresses: tuple[str, ...] = ()
    """The addresses of its host that are known here, each with the reason if it is refused."""
    shared: bool = False
    """Whether the crawl is shared through Redis; then page, record and exceptions are those of this machine."""
    kept_at: str = ""
    """The place of its page and record, if the crawl does not keep them here."""

    @property
    def known(self) -> bool:
        """Whether the crawl has it: waiting, running, complete or error."""
        return self.frontier is not None and self.frontier.state is not None

    def as_json(self) -> dict[str, Any]:
        """Return the stable form of `scrapy why --json`; times are epoch seconds."""
        told = asdict(self)
        linked = [{"url": url, "weight": weight} for url, weight in self.linked_from]
        more = {"known": self.known, "admitted": self.rule.admitted, "linked_from": linked}
        return told | more | {"page": told["page"] or None, "record": told["record"] or None}


def explain_url(
    asked: str,
    site: Site,
    knowledge: Knowledge,
    crawl: CrawlDatabase | None,
    samples: CrawlDatabase | None,
    *,
    now: float,
    reading: ReadOptions | None = None,
    admission: Admission | None = None,
    shared: RedisLook | None = None,
    robots: Robots | None = None,
    stored: SiteReader | None = None,
) -> Explanation:
    """Explain *asked* from all sources.

    Args:
        crawl, samples: the databases of crawl and pre-crawl, None if there is none.
        admission: that of the crawl; None if there is no crawl.
        shared: the frontier with the crawl's URLs, if not in its database; other workers may be writing to it.
        robots: the rules of robots.txt files; None: they don't count.
        stored: the store of its pages and records, if that is not *crawl*.
    Raises:
        InputError: it is no http(s) URL.
    """
    normal = normalize_url(asked)
    if normal is None:
        raise InputError(f"{asked!r} is no http or https address; give the whole of it: https://…/")
    reader = PageReader(knowledge, site.sites, reading)
    url = reader.clean_url(normal)
    rule = rule_of(url, site, knowledge, reader)
    told: dict[str, Any] = {"frontier": None, "robots": robots.line_against(url) if robots is not None else None}
    if samples is not None and (info := SqliteFrontier(samples, exclusive=False).find(url)) is not None:
        told["precrawl_state"] = info.state and info.state.value
    if crawl is not None:
        told |= _from_crawl(crawl, url, now)
    stored = stored or (SqliteReader(crawl, site.name) if crawl is not None else None)
    if stored is not None:
        told |= _from_store(stored, url, told["frontier"])
    if shared is not None:
        told |= {"frontier": shared.find(url), "host_paused_until": shared.rests_until(url), "shared": True}
    channel = shared.channel if shared is not None else SqliteChannel(crawl) if crawl is not None else None
    told["host_silent"] = _silence(channel, host_of(url)) if channel is not None else None
    if admission is not None and rule.admitted and not rule.start:
        refused = admission.refusal(url, _depth_of(told["frontier"], crawl))
        told["cut"] = refused and refused.text
    if stored is not None and (kept := stored.stored_page(url)) is not None and kept.charset:
        told["charset_evidence"] = charset_evidence(kept.html, kept.content_type).why
        if told["record"] and knowledge.wrapper:
            told["read_by"] = field_sources(reader.read(url, kept.html, kept.content_type), knowledge)
    if site.sitemap and crawl is not None and told["frontier"] is not None:
        told["sitemap"] = _sitemap_of(told["frontier"], site, crawl)
    return Explanation(
        asked, url, tuple(key for key in _query_keys(normal) if key not in _query_keys(url)), rule, **told
    )


def _query_keys(url: str) -> dict[str, None]:
    return dict.fromkeys(key for key, _ in parse_qsl(urlsplit(url).query, keep_blank_values=True))


def _sitemap_of(info: UrlInfo, site: Site, crawl: CrawlDatabase) -> str | None:
    for url, _ in reversed(info.through):
        if (facts := SqliteReader(crawl, site.name).page_facts(url)) is not None and facts["kind"] == PageKind.SITEMAP:
            return f"listed in {url}"
    if info.kind is not PageKind.SITEMAP or info.through:
        return None
    given = not isinstance(site.sitemap, bool) and info.url in site.sitemap
    return "it is one; the site file names it" if given else "it is one; robots.txt names it, or it is where most are"


def rule_of(url: str, site: Site, knowledge: Knowledge, reader: PageReader) -> UrlRuling:
    """Say whether a link to a normalised URL would be followed, and by which rule."""
    verdict = knowledge.verdict(url)
    classes = {Verdict.TARGET: knowledge.targets, Verdict.DIRECTORY: knowledge.directories}.get(verdict, ())
    regex = next((one.regex for one in classes if re.fullmatch(one.regex, url)), None)
    if url in map(knowledge.clean, site.starts):
        return UrlRuling(
            True, "the site file names it: it is fetched whatever the filters say", verdict.value, regex, start=True
        )
    if (refused := reader.refusal(url)) is not None:
        kind = "binary" if refused is NO_PAGE else verdict.value if same_site(url, site.sites) else "off"
        if refused is EXCLUDED:
            regex = next(one.regex for one in knowledge.excluded if re.fullmatch(one.regex, url))
        near = nearest_filter(url, knowledge) if refused is NO_FILTER else None
        return UrlRuling(False, refused.text, kind, regex, near)
    if knowledge.is_whole:
        return UrlRuling(True, "the whole site is crawled", WHOLE, regex)
    said = {Verdict.TARGET: "also", Verdict.DIRECTORY: "listing"}
    by_hand = f", of the site file ([learn] {said[verdict]})" if knowledge.is_given(url, verdict) else ""
    return UrlRuling(True, f"a {verdict.value} filter takes it{by_hand}", verdict.value, regex)


def nearest_filter(url: str, knowledge: Knowledge) -> NearMiss | None:
    """Find the filter that agrees with the longest beginning of *url*; None where none agrees beyond the host.

    >>> from gwc_crawler.knowledge.model import Knowledge, UrlClass
    >>> shop = Knowledge("shop", "best", (UrlClass(r"http://a[.]example/item/[0-9]+"),), (), 1)
    >>> miss = nearest_filter("http://a.example/item/new", shop)
    >>> miss.agrees, miss.differs, miss.expected
    ('http://a.example/item/', 'new', '[0-9]+')
    """
    least = len(urlsplit(url).scheme) + 3 + len(host_of(url))
    best: NearMiss | None = None
    for verdict, classes in ((Verdict.TARGET, knowledge.targets), (Verdict.DIRECTORY, knowledge.directories)):
        for one in classes:
            end, rest = _agreement(one.regex, url)
            if end > (len(best.agrees) if best else least):
                best = NearMiss(verdict.value, one.regex, url[:end], url[end:], rest)
    return best


def _agreement(regex: str, url: str) -> tuple[int, str]:
    """Return the position up to which *url* agrees with *regex*, and the rest of the regex from there."""
    parts = [atom + times for atom, times in pieces(regex)]
    for count in range(len(parts), 0, -1):
        try:
            match = re.match("".join(parts[:count]), url)
        except re.error:  # cut between what belongs together, e.g. a group and a reference to it
            continue
        if match:
            return match.end(), "".join(parts[count:])
    return 0, regex


def _from_store(stored: SiteReader, url: str, info: UrlInfo | None) -> dict[str, Any]:
    only_known = info is not None and info.state is None
    rows = stored.records()
    return {
        "linked_from": tuple(stored.linking_to(url, EXAMPLES)) if only_known else (),
        "page": stored.page_facts(url),
        "record": rows.one(url) if rows is not None else None,
        "exceptions": tuple(stored.exceptions_of(url)),
    }


def _from_crawl(database: CrawlDatabase, url: str, now: float) -> dict[str, Any]:
    info = SqliteFrontier(database, exclusive=False).find(url)
    revisit = read_revisits(database, [url]).get(url) if info is not None else None
    return {"frontier": info, "host_paused_until": paused_hosts(database, now).get(host_of(url)), "revisit": revisit}


def _silence(channel: Channel, host: str) -> str | None:
    told = (words for one in channel.alive() for words in one.silent)
    return next((words for words in told if words.startswith(f"{host} ")), None)


def _depth_of(info: UrlInfo | None, crawl: CrawlDatabase | None) -> int:
    """Return how deep a URL would be that was seen in links alone; 0 where that is not asked, or not known."""
    if info is None or info.state is not None or crawl is None:
        return 0
    depth = least_depth_of_linking(crawl, info.url)
    return 0 if depth is None else depth + 1


def exit_code_of(told: Explanation) -> int:
    """Return the exit code of `scrapy why`; the codes below 10 are errors (`gwc_crawler.errors`)."""
    if told.known:
        return 0
    return 10 if told.rule.admitted and told.cut is None and told.robots is None else 11


# --- An explanation of `why` as lines for a terminal, section by section ----------------------------------------------


Line: TypeAlias = tuple[str, str]


def explanation_lines(told: Explanation, max_weight: int) -> list[Line]:
    """Return the explanation as (label, text) lines for a terminal; *max_weight* is the crawl's."""
    sections = (_frontier, _revisit, _obstacles, _ways, _page)
    return [*_place(told, max_weight), *(line for section in sections for line in section(told))]


def _state_text(told: Explanation, max_weight: int) -> str:
    info = told.frontier
    if info is not None and info.state is not None:
        state = STATE_NAMES[info.state] + (f", {info.kind.value}" if info.kind else "")
        return f"{state}: {info.reason}" if info.reason else state
    if told.cut is not None or (told.robots is not None and told.rule.admitted):
        return f"{'never seen' if info is None else 'seen in links'}; it is refused"
    if told.rule.admitted and info is not None:
        read = " or pages to read, where the crawl of a whole site ends," if told.rule.verdict == WHOLE else ""
        return f"held back: only pages of weight {max_weight} or more{read} lead there, and those are not followed"
    found = "seen in links" if info is not None else "never seen"
    return f"{found}; {'it would be admitted' if told.rule.admitted else 'it is refused'}"


def _frontier(told: Explanation) -> Iterator[Line]:
    info = told.frontier
    if info is None or info.state is None:
        return
    yield "weight", f"{info.weight}, depth {info.depth}"
    if info.depth == 0 and not told.rule.start:
        yield "start", "added by hand, or a start of an earlier site file"
    if info.through:
        yield "through", "  →  ".join(f"{url} ({weight})" for url, weight in info.through)
    if told.sitemap is not None:
        yield "sitemap", told.sitemap
    yield "attempts", f"{info.attempts}" + (f", {info.lost} leases lost without a word" if info.lost else "")
    if info.state is UrlState.RUNNING:
        yield "leased by", f"{info.owner} until {when(info.lease_until)}"
    if info.state is UrlState.WAITING and info.due_at is not None:
        yield "next try", f"not before {when(info.due_at)}"
    has_ended = info.done_at and info.state in (UrlState.COMPLETE, UrlState.ERROR)
    yield "found", when(info.added_at) + (f", ended {when(info.done_at)}" if has_ended else "")


def _place(told: Explanation, max_weight: int) -> Iterator[Line]:
    yield "URL", told.url
    if told.url != told.asked:
        dropped = f"; query keys dropped that say nothing of the page: {', '.join(told.dropped_query_keys)}"
        yield "asked", told.asked + (dropped if told.dropped_query_keys else "")
    yield "state", _state_text(told, max_weight)


def _obstacles(told: Explanation) -> Iterator[Line]:
    if told.host_paused_until is not None:
        yield "host", f"paused until {when(told.host_paused_until)}: the server asked for it"
    if told.host_silent is not None:
        yield "host", told.host_silent
    if told.addresses:
        yield "addresses", ", ".join(told.addresses)
    if told.cut is not None:
        yield "limit", told.cut
    if (line := told.robots) is not None:
        yield "robots.txt", f"line {line.number} forbids it: {line.text}"
        yield "", f"{line.robots_url}, read {when(line.read_at)}"


def _ways(told: Explanation) -> Iterator[Line]:
    yield "filters", told.rule.reason + (f": {told.rule.regex}" if told.rule.regex else "")
    if (miss := told.rule.nearest) is not None:
        yield "nearest", f"{miss.verdict} filter {miss.regex}"
        yield "", f"agrees on  {miss.agrees}"
        yield "", f"then has   {miss.differs or '(nothing more)'}"
        yield "", f"expected   {miss.expected or '(nothing more)'}"
    if not told.known:
        yield from (("linked from", f"{url} (weight {weight})") for url, weight in told.linked_from)
    if told.precrawl_state is not None:
        yield "to learn", STATE_NAMES[told.precrawl_state]


def _page(told: Explanation) -> Iterator[Line]:
    page = told.page
    is_elsewhere = page is None and told.frontier is not None and told.frontier.state is UrlState.COMPLETE
    if is_elsewhere and told.kept_at:
        yield "page", f"it and its record are {told.kept_at}"
    elif is_elsewhere and told.shared:
        yield "page", "not on this machine: a worker elsewhere has fetched it"
    elif is_elsewhere and told.frontier is not None and told.frontier.kind is not PageKind.REDIRECT:
        yield "page", "not stored here, but where GWC_SINK had it kept when it came"
    if page is not None and page["kind"] == PageKind.REDIRECT:
        yield "redirect", page["title"] or "to another URL"
    elif page is not None:
        kept = "HTML kept" if page["html_kept"] else "HTML not kept"
        yield "page", f"{page['title']!r}, HTTP {page['status']}, {page['charset'] or page['content_type']}, {kept}"
    if told.charset_evidence:
        yield "charset", told.charset_evidence
    for name, value in (told.record or {}).items():
        if name not in ("url", "fetched_at"):
            yield "record", f"{name} = {value if value is not None else '–'}"
            if name in told.read_by:
                yield "read by", told.read_by[name]
    for one in told.exceptions:
        closest = f"; closest: {one['closest']}" if one["closest"] else ""
        yield "exception", f"{one['field'] or 'whole page'}: {one['reason']}{closest}"


def _revisit(told: Explanation) -> Iterator[Line]:
    kept = told.revisit
    if kept is None:
        return
    found = f"{kept.changes} of {kept.checks} looks found a change" if kept.checks else "not looked at again yet"
    yield "revisited", f"{when(kept.checked_at)}; {found}, the last one {when(kept.changed_at)}"
    if kept.gone_at is not None:
        yield "gone", f"since {when(kept.gone_at)}; its record stays"
    if told.frontier is None or told.frontier.reason != DROPPED:
        yield "due again", f"{when(kept.due_at)}, after {clock(kept.interval_seconds)}"

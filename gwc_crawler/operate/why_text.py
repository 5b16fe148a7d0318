"""An explanation of `why` as lines for a terminal, section by section.

A section is a function in `SECTIONS`: it gives (label, text) lines of what it finds, or nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from gwc_crawler.frontier import DROPPED
from gwc_crawler.items import PageKind, UrlState
from gwc_crawler.operate.progress import clock
from gwc_crawler.operate.status import STATE_NAMES, when
from gwc_crawler.operate.why import Explanation

Line: TypeAlias = tuple[str, str]
Section: TypeAlias = Callable[[Explanation, int], Iterable[Line]]


def explanation_lines(told: Explanation, max_weight: int) -> list[Line]:
    """Return the explanation as (label, text) lines for a terminal; *max_weight* is that of the crawl."""
    return [line for section in SECTIONS for line in section(told, max_weight)]


# --- sections -----------------------------------------------------------------------------------------------------


def _address(told: Explanation, _: int) -> Iterator[Line]:
    yield "URL", told.url
    if told.url != told.asked:
        dropped = f"; query keys dropped that say nothing of the page: {', '.join(told.dropped_query_keys)}"
        yield "asked", told.asked + (dropped if told.dropped_query_keys else "")


def _state(told: Explanation, max_weight: int) -> Iterator[Line]:
    yield "state", _state_text(told, max_weight)


def _state_text(told: Explanation, max_weight: int) -> str:
    info = told.info
    if info is not None and info.state is not None:
        state = STATE_NAMES[info.state] + (f", {info.kind.value}" if info.kind else "")
        return f"{state}: {info.reason}" if info.reason else state
    if told.cut is not None or (told.robots is not None and told.rule.admitted):
        return f"{'never seen' if info is None else 'seen in links'}; it is refused"
    if told.rule.admitted and info is not None:
        return f"held back: only pages of weight {max_weight} or more lead there, and those are not followed"
    found = "seen in links" if info is not None else "never seen"
    return f"{found}; {'it would be admitted' if told.rule.admitted else 'it is refused'}"


def _frontier(told: Explanation, _: int) -> Iterator[Line]:
    info = told.info
    if info is None or info.state is None:
        return
    yield "weight", f"{info.weight}, depth {info.depth}"
    if info.depth == 0 and not told.rule.start:
        yield "start", "added by hand, or a start of an earlier site file"
    if info.through:
        yield "through", "  →  ".join(f"{url} ({weight})" for url, weight in info.through)
    if told.sitemap is not None:
        yield "sitemap", told.sitemap
    lost = f", {info.lost} leases lost without a word" if info.lost else ""
    yield "attempts", f"{info.attempts}{lost}"
    if info.state is UrlState.RUNNING:
        yield "leased by", f"{info.owner} until {when(info.lease_until)}"
    if info.state is UrlState.WAITING and info.due_at is not None:
        yield "next try", f"not before {when(info.due_at)}"
    ended = (
        f", ended {when(info.done_at)}" if info.done_at and info.state in (UrlState.COMPLETE, UrlState.ERROR) else ""
    )
    yield "found", when(info.added_at) + ended


def _host(told: Explanation, _: int) -> Iterator[Line]:
    if told.host_paused_until is not None:
        yield "host", f"paused until {when(told.host_paused_until)}: the server asked for it"
    if told.host_silent is not None:
        yield "host", told.host_silent
    if told.addresses:
        yield "addresses", ", ".join(told.addresses)


def _limit(told: Explanation, _: int) -> Iterator[Line]:
    if told.cut is not None:
        yield "limit", told.cut


def _robots(told: Explanation, _: int) -> Iterator[Line]:
    if (line := told.robots) is not None:
        yield "robots.txt", f"line {line.number} forbids it: {line.text}"
        yield "", f"{line.robots_url}, read {when(line.read_at)}"


def _filters(told: Explanation, _: int) -> Iterator[Line]:
    yield "filters", told.rule.reason + (f": {told.rule.regex}" if told.rule.regex else "")
    if (miss := told.rule.nearest) is not None:
        yield "nearest", f"{miss.verdict} filter {miss.regex}"
        yield "", f"agrees on  {miss.agrees}"
        yield "", f"then has   {miss.differs or '(nothing more)'}"
        yield "", f"expected   {miss.expected or '(nothing more)'}"


def _links(told: Explanation, _: int) -> Iterator[Line]:
    if not told.known:
        yield from (("linked from", f"{url} (weight {weight})") for url, weight in told.linked_from)


def _precrawl(told: Explanation, _: int) -> Iterator[Line]:
    if told.precrawl_state is not None:
        yield "pre-crawl", STATE_NAMES[told.precrawl_state]


def _page(told: Explanation, _: int) -> Iterator[Line]:
    page = told.page
    is_elsewhere = page is None and told.info is not None and told.info.state is UrlState.COMPLETE
    if is_elsewhere and told.kept_at:
        yield "page", f"it and its record are {told.kept_at}"
    elif is_elsewhere and told.shared:
        yield "page", "not on this machine: a worker elsewhere has fetched it"
    elif is_elsewhere and told.info is not None and told.info.kind is not PageKind.REDIRECT:
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
    for one in told.exceptions:
        closest = f"; closest: {one['closest']}" if one["closest"] else ""
        yield "exception", f"{one['field'] or 'whole page'}: {one['reason']}{closest}"


def _revisit(told: Explanation, _: int) -> Iterator[Line]:
    kept = told.revisit
    if kept is None:
        return
    found = f"{kept.changes} of {kept.checks} looks found a change" if kept.checks else "not looked at again yet"
    yield "revisited", f"{when(kept.checked_at)}; {found}, the last one {when(kept.changed_at)}"
    if kept.gone_at is not None:
        yield "gone", f"since {when(kept.gone_at)}; its record stays"
    if told.info is None or told.info.reason != DROPPED:
        yield "due again", f"{when(kept.due_at)}, after {clock(kept.interval_seconds)}"


SECTIONS: tuple[Section, ...] = (
    *(_address, _state, _frontier, _revisit, _host, _limit, _robots, _filters, _links, _precrawl, _page),
)
"""What is told of a URL, in this order."""

"""Detect endless URL spaces by the URL alone: a normalised URL in, the reason to refuse it out.

Those that show only by crawling (calendars, endless paging) are left to `frontier.rejections.ClassYield`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from gwc_crawler.items import Refusal, RejectionReason

RUN_TIMES = 3  # repetitions in a row of two or more segments (`/a/b/a/b/a/b`) that make a loop

NUMBERS_TIMES = 2
"""Factor by which segments of digits alone (dates, unused facets as in `/0/0/0/0/`) may be repeated more often."""


@dataclass(frozen=True, slots=True)
class UrlLimits:
    """How far a URL may go; 0: as far as it likes. `repeated`: how often one segment may stand in a path; `segments` of
    a path; `length` in characters; `keys`: pairs in the query.
    """

    repeated: int = 3
    segments: int = 20
    length: int = 2083
    keys: int = 16

    def allowing(self, urls: Iterable[str]) -> UrlLimits:
        """Return limits that let pass what is known to be good, e.g. the sample pages: each is raised as is needed."""
        limits = self
        for url in urls:
            # the least value of each limit with which *url* passes
            path = _segments(url)
            often = [-(-count // (NUMBERS_TIMES if one.isdigit() else 1)) for one, count in Counter(path).items()]
            for reason, measured in [
                (RejectionReason.LENGTH, len(url)),
                (RejectionReason.KEYS, _query_pairs(url)),
                (RejectionReason.SEGMENTS, len(path)),
                (RejectionReason.REPEATED, max(often, default=0)),
            ]:
                name = _FIELDS[reason]
                if 0 < getattr(limits, name) < measured:
                    limits = replace(limits, **{name: measured})
            if url_trap(url, limits) is not None:  # it goes in a circle
                limits = replace(limits, repeated=0)
        return limits


_FIELDS = {
    RejectionReason.REPEATED: "repeated",
    RejectionReason.SEGMENTS: "segments",
    RejectionReason.LENGTH: "length",
    RejectionReason.KEYS: "keys",
}


def url_trap(url: str, limits: UrlLimits) -> Refusal | None:
    """Say why a normalised URL looks like a trap; None for one that doesn't.

    Cost: under a microsecond for a path of few segments, some microseconds for a long one.

    Source:
        Heritrix's PathologicalPathDecideRule and TooManyPathSegmentsDecideRule. There only repetitions one right after
        the other count; here also those with something else between them (`/a/x/a/y/a/z/a`), which a page with several
        relative links makes.

    >>> url_trap("http://a.example/shop/item/7", UrlLimits())
    >>> print(url_trap("http://a.example/a/b/a/c/a/a/", UrlLimits()).text)
    path segment 'a' stands 4 times, limit 3 (GWC_MAX_REPEATED_SEGMENTS)
    >>> print(url_trap("http://a.example/list?a=2&a=2&a=2&a=2", UrlLimits()).text)
    the query says 'a=2' more than 3 times (GWC_MAX_REPEATED_SEGMENTS)
    >>> print(url_trap("http://a.example/a/b/a/b/a/b", UrlLimits()).text)
    the path goes in a circle: 'a/b' stands 3 times in a row (GWC_MAX_REPEATED_SEGMENTS)
    """
    slashes = url.count("/") - 2  # the two of "http://" begin no segments
    if limits.length and len(url) > limits.length:
        return Refusal(RejectionReason.LENGTH, f"{len(url)} characters, limit {limits.length} (URLLENGTH_LIMIT)")
    if limits.keys and url.count("&") >= limits.keys and (keys := _query_pairs(url)) > limits.keys:
        return Refusal(RejectionReason.KEYS, f"{keys} keys in the query, limit {limits.keys} (GWC_MAX_QUERY_KEYS)")
    may_repeat = limits.repeated and slashes > min(limits.repeated, 2 * RUN_TIMES - 1)
    if may_repeat and len(set(path := _segments(url))) < len(path):
        for segment, count, allowed in _repeated(path, limits.repeated):
            if count > allowed:
                text = f"path segment {segment!r} stands {count} times, limit {allowed} (GWC_MAX_REPEATED_SEGMENTS)"
                return Refusal(RejectionReason.REPEATED, text)
        if run := _circle(path):
            text = f"the path goes in a circle: {run!r} stands {RUN_TIMES} times in a row (GWC_MAX_REPEATED_SEGMENTS)"
            return Refusal(RejectionReason.REPEATED, text)
    if limits.repeated and url.count("&") >= limits.repeated and (pair := _repeated_pair(url, limits.repeated)):
        text = f"the query says {pair!r} more than {limits.repeated} times (GWC_MAX_REPEATED_SEGMENTS)"
        return Refusal(RejectionReason.REPEATED, text)
    if limits.segments and slashes > limits.segments and (count := len(_segments(url))) > limits.segments:
        text = f"{count} path segments, limit {limits.segments} (GWC_MAX_PATH_SEGMENTS)"
        return Refusal(RejectionReason.SEGMENTS, text)
    return None


def _segments(url: str) -> list[str]:
    """Return the segments of the path; a slash at the end begins none."""
    path = url.partition("?")[0].split("/")[3:]
    if path and not path[-1]:
        path.pop()
    return path


def _query_pairs(url: str) -> int:
    query = url.partition("?")[2]
    return query.count("&") + 1 if query else 0


def _repeated_pair(url: str, limit: int) -> str:
    """Return a pair of the query, with a value, that occurs more often than *limit* allows; "" if none does."""
    pairs = url.partition("?")[2].split("&")
    if len(set(pairs)) == len(pairs):
        return ""
    return next((one for one, count in Counter(pairs).items() if count > limit and one.partition("=")[2]), "")


def _repeated(path: list[str], limit: int) -> Iterable[tuple[str, int, int]]:
    counts = Counter(path).items()
    return [(one, count, limit * (NUMBERS_TIMES if one.isdigit() else 1)) for one, count in counts if count > 1]


def _circle(path: list[str]) -> str:
    """Return the segments, two or more, that are repeated `RUN_TIMES` times in a row; "" if none are."""
    if len(path) - len(set(path)) < 2 * (RUN_TIMES - 1):  # too few segments stand more than once
        return ""
    for length in range(2, len(path) // RUN_TIMES + 1):
        for start in range(len(path) - RUN_TIMES * length + 1):
            run = path[start : start + length]
            whole = path[start : start + RUN_TIMES * length]
            if whole == run * RUN_TIMES and not all(one.isdigit() for one in run):
                return "/".join(run)
    return ""

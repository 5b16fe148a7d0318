"""Which path segments carry a session, and not a page: same content under different values, as in `/(S(lit3py))/`.

In: pre-crawled pages, their ignored query keys dropped. Out: for each form of such segments what stands instead, with
the evidence. `sessions` does the same for query keys and for path parameters such as `;jsessionid=…`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from gwc_crawler.items import StoredPage
from gwc_crawler.learn.urls.sessions import SAME_SHARE, SameRecord, compare_groups
from gwc_crawler.urls import with_path

_LEAST_VALUES = 3
"""Different values of a segment that must be seen before it is judged: a session has a new one again and again."""
_LEAST_PAIRS = 3
_TOKEN = re.compile(r"(?=[A-Za-z]*\d)[A-Za-z0-9]{6,}")
"""What a session id may look like: six letters and digits or more, a digit among them."""
_DIGITS = re.compile(r"[0-9]+")
_CLASSES = ("[0-9]", "[0-9a-f]", "[0-9a-z]", "[0-9A-F]", "[0-9A-Z]", "[0-9A-Za-z]")


class _Seen(NamedTuple):
    """One page with a segment that may be a session's; `rest` is its URL without it."""

    rest: str
    value: str
    page: StoredPage


def find_ignored_segments(
    pages: Sequence[StoredPage], same_record: SameRecord | None = None
) -> tuple[dict[str, str], dict[str, Any]]:
    """Find path segments whose values do not change the page.

    Segments of one form (equal but for one run of letters and digits) are judged together, as query keys are: pages
    that differ in such a segment alone, or in having it, are compared in pairs, place by place, and at least nine in
    ten pairs must be the same page everywhere.

    Returns:
        Regex of a segment, with its slash → what stands instead: nothing where the site was seen to serve its pages
        without it, else one value that was seen. And per regex how many pairs were compared, how many were the same.
    """
    by_url = {page.url: page for page in pages}
    ignored: dict[str, str] = {}
    evidence: dict[str, Any] = {}
    for form, seen in sorted(_by_form(pages).items()):
        values = sorted({one.value for one in seen})
        if len(values) < _LEAST_VALUES:
            continue
        bare = {one.rest: by_url[one.rest] for one in seen if one.rest in by_url}
        places = [compare_groups(groups, same_record) for groups in _groups_by_place(seen, bare).values()]
        pairs, same = sum(place[0] for place in places), sum(place[1] for place in places)
        if pairs < _LEAST_PAIRS:
            continue
        regex = _regex_of(form, values)
        evidence[regex] = {"pairs": pairs, "same": same}
        if all(place[1] >= SAME_SHARE * place[0] for place in places):
            ignored[regex] = "" if bare else seen[0].value
    return ignored, evidence


def _by_form(pages: Sequence[StoredPage]) -> dict[tuple[str, str], list[_Seen]]:
    """What stands before and after the token in a segment → the pages with such a segment."""
    forms: dict[tuple[str, str], list[_Seen]] = defaultdict(list)
    for page in pages:
        for start, end in _segments(page.url):
            tokens = list(_TOKEN.finditer(page.url, start + 1, end))
            if len(tokens) == 1:
                token = tokens[0]
                form = page.url[start : token.start()], page.url[token.end() : end]
                rest = with_path(page.url[:start] + page.url[end:])
                forms[form].append(_Seen(rest, page.url[start:end], page))
    return forms


def _segments(url: str) -> Iterator[tuple[int, int]]:
    """Where the path's segments stand, each with the slash before it; parameters after ";" are not looked at."""
    path_end = url.find("?") if "?" in url else len(url)
    start = url.find("/", url.find("//") + 2)
    while 0 <= start < path_end:
        end = url.find("/", start + 1)
        end = end if 0 <= end < path_end else path_end
        if ";" not in url[start:end]:
            yield start, end
        start = end if end < path_end else -1


def _groups_by_place(seen: Sequence[_Seen], bare: dict[str, StoredPage]) -> dict[str, list[list[StoredPage]]]:
    """Place → groups of pages that are equal but for the segment; groups of one are left out."""
    groups: dict[str, dict[str, StoredPage]] = defaultdict(dict)
    for rest, value, page in seen:
        groups[rest].setdefault(value, page)
    places: dict[str, list[list[StoredPage]]] = defaultdict(list)
    for rest in sorted(groups):
        members = [*([bare[rest]] if rest in bare else []), *groups[rest].values()]
        if len(members) > 1:
            places[_DIGITS.sub("0", rest.partition("?")[0])].append(members)
    return places


def _regex_of(form: tuple[str, str], values: Sequence[str]) -> str:
    """The regex that takes just such segments, with the slash before."""
    before, after = form
    tokens = [value[len(before) : len(value) - len(after)] for value in values]
    signs = next(one for one in _CLASSES if all(re.fullmatch(f"{one}+", token) for token in tokens))
    lengths = {len(token) for token in tokens}
    count = f"{{{lengths.pop()}}}" if len(lengths) == 1 else f"{{{min(lengths)},}}"
    return f"{re.escape(before)}{signs}{count}{re.escape(after)}"

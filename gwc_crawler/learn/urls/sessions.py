"""Find query keys and path segments that name a session or a path of arrival: the page is the same without them.

Path parameters, `;jsessionid=…`, count as query keys. In: pre-crawled pages. Out: the parts of URLs to drop before
deduplication, with the evidence. Nothing is guessed from a key's name.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, TypeAlias
from urllib.parse import unquote

from gwc_crawler.extract.fields import overlap
from gwc_crawler.items import StoredPage
from gwc_crawler.learn.degrees import A_DOZEN, A_HANDFUL, HARDLY_ANY, MANY, NEARLY_ALL, SEVERAL, VERY_MANY
from gwc_crawler.learn.urls.regex import class_regexes
from gwc_crawler.learn.urls.tree import split_into_groups
from gwc_crawler.learn.urls.url_parts import split_url
from gwc_crawler.page.json_page import DATA_MARKS, SHELL_CHARACTERS
from gwc_crawler.urls import drop_query_keys, with_path, without_query

SameRecord: TypeAlias = Callable[[StoredPage, StoredPage], bool | None]
"""Whether two pages show one record; None where they show none, or it does not tell."""

_SHINGLE = 3
_NOISE = re.compile(rb"<script.*?</script|<style.*?</style|<!--.*?-->|<[^>]*>", re.IGNORECASE | re.DOTALL)
_TAGS = re.compile(rb"<[^>]*>")
_DIGITS = re.compile(r"[0-9]+")
_PARAMETER = re.compile(r";([^;=/]+)=")
TOKEN = re.compile(r"(?=[A-Za-z]*[0-9])[A-Za-z0-9]{6,}")
"""Matches possible session ids: six letters and digits or more, a digit among them."""
_CLASSES = ("[0-9]", "[0-9a-f]", "[0-9a-z]", "[0-9A-F]", "[0-9A-Z]", "[0-9A-Za-z]")


def find_ignored_keys(
    pages: Sequence[StoredPage], same_record: SameRecord | None = None
) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Find query keys (and keys of path parameters) whose values do not change the page.

    For each key, pages that differ only in its value (or in having it) are compared in pairs, place by place (a
    place is a path with its numbers folded). A key is ignored if at least nine in ten pairs are the same page, in
    every place where it was seen. Two pages are the same if their texts are equal, or nearly so while other pages of
    the same place differ at least three times more; where pages show records, *same_record* settles it.

    A key that changes other pages, like the page number of a list, may still change no record.

    Returns:
        The keys, or `REGEX?key` if a key changes no record at such addresses, but other pages elsewhere; and per key
        the number of pairs compared and the number that were the same.
    """
    keys = {key for page in pages for key in keys_of(page.url)}
    ignored, evidence = [], {}
    for key in sorted(keys):
        by_place = _groups_by_place(pages, key)
        places = [_compare_groups(groups, same_record) for groups in by_place.values()]
        pairs, same = sum(place[0] for place in places), sum(place[1] for place in places)
        if pairs < SEVERAL:
            continue
        evidence[key] = {"pairs": pairs, "same": same}
        if all(place[1] >= NEARLY_ALL * place[0] for place in places):
            ignored.append(key)
        elif same_record is not None and "?" not in key:
            shown = [page for page in pages if key in keys_of(page.url) and same_record(page, page) is not None]
            ignored += [f"{regex}?{key}" for regex in _unchanged(shown, list(by_place.values()), places)]
    return tuple(ignored), evidence


def _unchanged(
    shown: Sequence[StoredPage], places: Sequence[Sequence[Sequence[StoredPage]]], counts: Sequence[tuple[int, int]]
) -> list[str]:
    """Return the forms of addresses of pages *shown* to have records, if a key changes none of these pages.

    A form that also takes the address of another page, which the key does change, is left out.
    """
    urls, pairs, changed = {page.url for page in shown}, 0, set[str]()
    for groups, (compared, same) in zip(places, counts, strict=True):
        if any(page.url in urls for group in groups for page in group):
            pairs += compared
            if same < NEARLY_ALL * compared:
                return []
        else:
            changed.update(without_query(page.url) for group in groups for page in group)
    if pairs < SEVERAL:
        return []
    rows = split_into_groups(sorted(map(without_query, urls)))
    regexes = [regex for alike in rows for regex in class_regexes(alike)]
    return [regex for regex in regexes if not any(map(re.compile(regex).fullmatch, changed))]


def keys_of(url: str) -> tuple[str, ...]:
    """Return the keys of a URL's query and of its path parameters (`;jsessionid=…`)."""
    keys = split_url(url).query_keys if "?" in url else ()
    return (*keys, *_PARAMETER.findall(url.partition("?")[0])) if ";" in url else keys


def value_of(url: str, key: str) -> str:
    """Return the first value of a key of a URL's query or path."""
    found = re.search(rf"[?&;]{re.escape(key)}=([^&;/?]*)", url)
    return found[1] if found else ""


def _groups_by_place(pages: Sequence[StoredPage], key: str) -> dict[str, list[list[StoredPage]]]:
    """Place → groups of pages that are equal but for *key*; groups of one and groups without the key are left out."""
    groups: dict[str, list[StoredPage]] = defaultdict(list)
    with_key: set[str] = set()
    for page in pages:
        rest = page.url
        if key in keys_of(rest):
            rest = drop_query_keys(rest, (key,))
            with_key.add(rest)
        groups[rest].append(page)
    return _by_place({rest: groups[rest] for rest in sorted(with_key)})


def _by_place(groups: Mapping[str, list[StoredPage]]) -> dict[str, list[list[StoredPage]]]:
    """Place → groups of pages, given by their common address; groups of one are left out."""
    places: dict[str, list[list[StoredPage]]] = defaultdict(list)
    for rest, members in groups.items():
        if len(members) > 1:
            places[_DIGITS.sub("0", rest.partition("?")[0])].append(members)
    return places


def versions_of(pages: Sequence[StoredPage], is_meant: Callable[[str], bool]) -> list[StoredPage]:
    """Return the pages that are equal to others but for one key, where one of them *is_meant* by its URL."""
    keys = {key for page in pages for key in keys_of(page.url)}
    groups = [group for key in sorted(keys) for some in _groups_by_place(pages, key).values() for group in some]
    meant = (group[:A_HANDFUL] for group in groups if any(is_meant(page.url) for page in group))
    return list({page.url: page for group in meant for page in group}.values())


def _compare_groups(groups: Sequence[Sequence[StoredPage]], same_record: SameRecord | None) -> tuple[int, int]:
    step = max(1, len(groups) // A_DOZEN)
    pairs = same = 0
    others = [group[0] for group in groups]
    for number, group in enumerate(groups[::step][:A_DOZEN]):
        spread = group[:: max(1, len(group) // A_HANDFUL)][:A_HANDFUL]
        stranger = others[(number * step + 1) % len(others)]
        for first, second in pairwise(spread):
            pairs += 1
            told = same_record(first, second) if same_record is not None else None
            same += is_same_page(first, second, stranger if len(others) > 1 else None) if told is None else told
    return pairs, same


def is_same_page(first: StoredPage, second: StoredPage, stranger: StoredPage | None = None) -> bool:
    """Do two responses show the same page? `stranger` is another page of their kind, to see how much pages differ."""
    one, two = _words(first.html), _words(second.html)
    if one == two:
        return True
    if stranger is None:
        return False
    here = 1 - overlap(_shingles(one), _shingles(two))
    there = 1 - overlap(_shingles(one), _shingles(_words(stranger.html)))
    return here <= HARDLY_ANY and 3 * here <= there


def _words(html: bytes) -> tuple[bytes, ...]:
    """Return the words of a page; for an app's shell also those of its data."""
    said = _NOISE.sub(b" ", html).split()
    is_shell = any(mark in html for mark in DATA_MARKS) and sum(map(len, said)) < SHELL_CHARACTERS
    return tuple(_TAGS.sub(b" ", html).split() if is_shell else said)


@lru_cache(maxsize=64)
def _shingles(words: tuple[bytes, ...]) -> frozenset[tuple[bytes, ...]]:
    return frozenset(words[start : start + _SHINGLE] for start in range(max(1, len(words) - _SHINGLE + 1)))


# --- Path segments that carry a session, as in `/(S(lit3py))/` --------------------------------------------------------


_Seen: TypeAlias = tuple[str, str, StoredPage]
"""The URL of a page without a segment that may be a session's, the segment, the page."""


def find_ignored_segments(
    pages: Sequence[StoredPage], same_record: SameRecord | None = None
) -> tuple[dict[str, str], dict[str, Any]]:
    """Find path segments whose values do not change the page.

    Segments of one form (equal but for one run of letters and digits) are judged together, as query keys are: pages
    that differ only in such a segment, or in having it, are compared in pairs, place by place, and at least nine in
    ten pairs must be the same page everywhere.

    Returns:
        Regex of a segment, with its slash → its replacement: nothing if the site was seen to serve pages without it,
        else one value that was seen. And per regex the number of pairs compared, and the number that were the same.
    """
    by_url = {page.url: page for page in pages}
    ignored: dict[str, str] = {}
    evidence: dict[str, Any] = {}
    for form, seen in sorted(_by_form(pages).items()):
        values = sorted({value for _, value, _ in seen})
        if len(values) < SEVERAL:
            continue
        bare = {rest: by_url[rest] for rest, _, _ in seen if rest in by_url}
        groups: dict[str, dict[str, StoredPage]] = defaultdict(dict)
        for rest, value, page in seen:
            groups[rest].setdefault(value, page)
        equal = {rest: [*([bare[rest]] if rest in bare else []), *groups[rest].values()] for rest in sorted(groups)}
        places = [_compare_groups(some, same_record) for some in _by_place(equal).values()]
        pairs, same = sum(place[0] for place in places), sum(place[1] for place in places)
        if pairs < SEVERAL:
            continue
        regex = _regex_of(form, values)
        evidence[regex] = {"pairs": pairs, "same": same}
        if all(place[1] >= NEARLY_ALL * place[0] for place in places):
            ignored[regex] = "" if bare else seen[0][1]
    return ignored, evidence


def _by_form(pages: Sequence[StoredPage]) -> dict[tuple[str, str], list[_Seen]]:
    forms: dict[tuple[str, str], list[_Seen]] = defaultdict(list)
    for page in pages:
        for start, end in _segments(page.url):
            tokens = list(TOKEN.finditer(page.url, start + 1, end))
            if len(tokens) == 1:
                token = tokens[0]
                form = page.url[start : token.start()], page.url[token.end() : end]
                rest = with_path(page.url[:start] + page.url[end:])
                forms[form].append((rest, page.url[start:end], page))
    return forms


def _segments(url: str) -> Iterator[tuple[int, int]]:
    """Yield the positions of the path's segments, each with the slash before it; segments with a ";" are skipped."""
    path_end = url.find("?") if "?" in url else len(url)
    start = url.find("/", url.find("//") + 2)
    while 0 <= start < path_end:
        end = url.find("/", start + 1)
        end = end if 0 <= end < path_end else path_end
        if ";" not in url[start:end]:
            yield start, end
        start = end if end < path_end else -1


def _regex_of(form: tuple[str, str], values: Sequence[str]) -> str:
    before, after = form
    tokens = [value[len(before) : len(value) - len(after)] for value in values]
    signs = next(one for one in _CLASSES if all(re.fullmatch(f"{one}+", token) for token in tokens))
    lengths = {len(token) for token in tokens}
    count = f"{{{lengths.pop()}}}" if len(lengths) == 1 else f"{{{min(lengths)},}}"
    return f"{re.escape(before)}{signs}{count}{re.escape(after)}"


# --- Query keys whose values a server makes anew for every page it sends: found by links alone ------------------------


_PAIR = re.compile(r"[?&;]([^=&;#]+)=([^&;#]*)")
_ADDRESS = ("/", "%2F", "http:", "https:")


def find_minted_keys(pages: Sequence[StoredPage]) -> dict[str, dict[str, int]]:
    """Find the keys that have one value in all links of a page, another one on every page.

    Such a value says where a link was met, not where it leads to. A key that pages hand on (`?date=…` of all links is
    the date of the page itself) may be one of contents and is left out, unless its value on others is the page's own
    address, to return to (`?url=/list/?page=9`). Some addresses must also be known under several values.

    Returns:
        Key → the number of pages on which it was seen to be minted, and of addresses with several values.
    """
    found = {}
    for key, values in _values_by_page(pages).items():
        told = ((page, unquote(value).partition("?")[0]) for page, value in values.items())
        returns = sum(one.startswith(_ADDRESS) and page.partition("?")[0].endswith(one) for page, one in told)
        many = SEVERAL if returns >= NEARLY_ALL * len(values) else MANY
        if len(values) >= many and len(set(values.values())) >= NEARLY_ALL * len(values):
            asked = re.compile(rf"[?&;]{re.escape(key)}=").search
            links = {link for page in pages for link in page.links if "?" in link and asked(link)}
            addresses = Counter(drop_query_keys(link, (key,)) for link in links)
            if (several := sum(count > 1 for count in addresses.values())) >= SEVERAL:
                found[key] = {"minted_on": len(values), "addresses": several}
    return found


def _values_by_page(pages: Sequence[StoredPage]) -> dict[str, dict[str, str]]:
    """Key → page → the value in its links; keys apart that some page hands on, or gives several values."""
    values: dict[str, dict[str, str]] = defaultdict(dict)
    refuted: Counter[str] = Counter()
    for page in pages[:: max(1, len(pages) // VERY_MANY)]:
        own = dict(_PAIR.findall(page.url))
        by_key: dict[str, Counter[str]] = defaultdict(Counter)
        for key, value in (pair for link in page.links if "?" in link for pair in _PAIR.findall(link)):
            by_key[key][value] += 1
        for key, counts in by_key.items():
            value, count = counts.most_common(1)[0]
            if counts.total() < SEVERAL:
                continue
            if count >= NEARLY_ALL * counts.total() and own.get(key) != value:
                values[key][page.url] = value
            elif value != own.get(key) or not value.startswith(_ADDRESS):
                refuted[key] += 1
    return {key: some for key, some in values.items() if refuted[key] <= (1 - NEARLY_ALL) * len(some)}

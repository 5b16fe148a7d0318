"""Further pages of lists on target pages: `[paging] reviews = true` → the form of the further pages' URLs.

In: pre-crawled pages, the target filters, the wrapper. Out: `Knowledge.paging`, the evidence, and warnings. A further
page's URL is its target page's with a number put in somewhere: /post/ → /post/comment-page-2/, /item?id=5 →
/item?id=5&rpage=2, /item-5.html → /item-5-2.html. The page itself shows whether it goes on with the list.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gwc_crawler.extract.wrapper import Wrapper
from gwc_crawler.items import StoredPage
from gwc_crawler.knowledge.model import UrlClass
from gwc_crawler.learn.degrees import A_DOZEN, FEW, NAME_LENGTH, SEVERAL
from gwc_crawler.learn.result import page_html
from gwc_crawler.learn.urls.regex import pattern_of
from gwc_crawler.page.parse import parse_html
from gwc_crawler.urls import join_url, query_parts

_AT_END = re.compile(r"(/?(?:[^/?#]*[^/?#0-9]/)?(?:[^/?#]*[^/?#0-9])?)([0-9]{1,6})([^/?#0-9]*/?)")
"""Matches the end by which a path grows: at most a segment, then a number with a name before or behind it."""
_BEFORE_EXTENSION = re.compile(r"([^/?#0-9][^/?#]{0,15}?)([0-9]{1,6})")
_EXTENSION = re.compile(r"[.][A-Za-z]{2,5}$")
_NEXT = re.compile(
    r"next|more|older|newer|previous|continue|下一?页|下一頁|上一?页|后页|更多|次へ|suivant|weiter|siguiente|»|›|>|«|‹|<",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Paging:
    """The learned paging: `Knowledge.paging`, evidence per field, warnings."""

    rules: dict[str, dict[str, Any]] = field(default_factory=dict)
    evidence: dict[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class PagingForm:
    """How further pages' URLs are made from their target page's: `regex` takes them, `cut` gives back the target's."""

    regex: str
    cut: str


def learn_paging(
    wanted: Mapping[str, str], pages: Sequence[StoredPage], targets: Sequence[UrlClass], wrapper: Wrapper
) -> Paging:
    """Find out how each list of *wanted* goes on (field → the site file's regex, or "")."""
    paging = Paging()
    stored = {page.url: page for page in pages}
    pattern = pattern_of(one.regex for one in targets)
    forms = _forms([page for page in pages if pattern.fullmatch(page.url)])
    for name, regex in wanted.items():
        if name not in wrapper.fields:
            continue
        given = re.compile(regex) if regex else None
        judged = []
        for form, pairs in forms.items():
            if some := [pair for pair in pairs if not given or given.fullmatch(pair[1])]:
                judged.append((form, some, _judge(name, some, stored, wrapper, trusted=bool(given))))
        good = [row for row in judged if row[2]["share"] >= FEW]
        if not good:
            paging.warnings.append(_nothing_found(name, regex, judged))
            continue
        form, pairs, evidence = max(
            good, key=lambda row: (row[2]["by"] == "items", row[2]["share"] * len(row[1]), row[0].regex)
        )
        paging.rules[name] = {"regex": regex or form.regex, "cut": form.cut}
        if _counts_from_zero(form, pairs, stored):
            paging.rules[name]["parent_number"] = 0
        examples = [url for _, url in pairs[:3]]
        paging.evidence[name] = {**evidence, "links": len(pairs), "examples": examples}
    return paging


def _nothing_found(name: str, regex: str, judged: Sequence[tuple[PagingForm, Any, Mapping[str, Any]]]) -> str:
    if regex:
        return (
            f"paging of {name!r}: no target page has a link that {regex!r} takes and that is its own URL with a number"
        )
    near = max(judged, key=lambda row: len(row[1]), default=None)
    seen = f"; {near[0].regex!r} looks like it, but shows nothing new of the list" if near else ""
    return (
        f"paging of {name!r}: no further page was found among the links of the target pages{seen}; "
        f"name them: [paging] {name} = '…' (a regex for the whole URL), or remove the line"
    )


# ---------------------------------------------------------------------------- forms


def _forms(targets: Sequence[StoredPage]) -> dict[PagingForm, list[tuple[str, str]]]:
    forms: dict[PagingForm, dict[str, str]] = defaultdict(dict)
    for page in targets:
        path, _, query = page.url.partition("?")
        stem = _EXTENSION.sub("", path.rstrip("/"))
        for link in page.links:
            if link.startswith(stem) and link != page.url and (form := _form(page.url, path, query, link)):
                forms[form].setdefault(link, page.url)
    return {form: [(parent, link) for link, parent in pairs.items()] for form, pairs in forms.items()}


def _form(url: str, path: str, query: str, link: str) -> PagingForm | None:
    """Return the form by which *link* is made from the target page's *url*; None if it is not."""
    link_path, _, link_query = link.partition("?")
    if link_path == path:
        return _query_form(query, link_query)
    if link_query != query or query:
        return None
    if (match := _EXTENSION.search(path)) and link_path.endswith(match[0]):
        middle = link_path[match.start() : -len(match[0])] if link_path.startswith(path[: match.start()]) else ""
        if found := _BEFORE_EXTENSION.fullmatch(middle):
            before, extension = _escape(found[1]), _escape(match[0])
            return PagingForm(f".+{before}[0-9]+{extension}", f"{before}([0-9]+)(?={extension}$)")
        return None
    if link_path.startswith(path) and (found := _AT_END.fullmatch(link_path[len(path) :])):
        before, after = _escape(found[1]), _escape(found[3].removesuffix("/"))
        if not before and not path.endswith("/"):
            return None  # /item/5 → /item/51 is another item
        slash = "/?" if found[3].endswith("/") else ""
        start = "(?<=/)" if path.endswith("/") else ""
        return PagingForm(f".+{start}{before}[0-9]+{after}{slash}", f"{start}{before}([0-9]+){after}{slash}$")
    return None


def _query_form(query: str, link_query: str) -> PagingForm | None:
    """Return the query key that *link_query* has more than *query*, if its value is a number."""
    own = query_parts(query) if query else []
    more = [pair for pair in query_parts(link_query) if pair not in own]
    if len(more) != 1 or [pair for pair in query_parts(link_query) if pair in own] != own:
        return None
    key, _, value = more[0].partition("=")
    if not re.fullmatch(r"[0-9]{1,6}", value) or any(pair.partition("=")[0] == key for pair in own):
        return None
    name = _escape(key)
    return PagingForm(f".+[?&;]{name}=[0-9]+(?:[&;].*)?", f"[?&;]{name}=([0-9]+)(?=[&;]|$)")


def _escape(text: str) -> str:
    return re.escape(text).replace(r"\-", "-")


# ---------------------------------------------------------------------------- evidence


def _judge(
    name: str, pairs: Sequence[tuple[str, str]], stored: Mapping[str, StoredPage], wrapper: Wrapper, *, trusted: bool
) -> dict[str, Any]:
    """Return the share of target pages with a further page that shows something of the list which they don't.

    Those with the most further pages are asked: a site may link each comment by …/comment-page-1/, split or not. Where
    none was pre-crawled, the share of target pages that link to one by a number or a word like "next".
    """
    by_parent: dict[str, list[str]] = defaultdict(list)
    for parent, url in pairs:
        by_parent[parent].append(url)
    parents = sorted(by_parent, key=lambda parent: (-len(by_parent[parent]), parent))
    fetched = [parent for parent in parents if any(url in stored for url in by_parent[parent])][:A_DOZEN]
    if fetched:
        votes = [_goes_on(name, stored[parent], by_parent[parent], stored, wrapper) for parent in fetched]
    else:
        votes = [
            any(_reads_like_paging(text) for _, text in _anchors(stored[parent], by_parent[parent]))
            for parent in parents[:A_DOZEN]
        ]
    share = 1.0 if trusted else round(sum(votes) / len(votes), 3)
    return {"looked_at": len(votes), "share": share, "by": "items" if fetched else "link texts"}


def _goes_on(
    name: str, parent: StoredPage, urls: Sequence[str], stored: Mapping[str, StoredPage], wrapper: Wrapper
) -> bool:
    """Say whether one of the further pages has items that *parent* lacks, and nothing of another record."""
    own = wrapper.extract(page_html(parent), parent.url)
    known = _items(own.get(name))
    for url in [url for url in urls if url in stored][:SEVERAL]:
        further = wrapper.extract(page_html(stored[url]), url)
        texts = [(value, own[field]) for field, value in further.items() if isinstance(value, str) and own[field]]
        same = sum(here == there for here, there in texts)
        if 2 * same >= len(texts) and any(item not in known for item in _items(further.get(name))):
            return True
    return False


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _anchors(page: StoredPage, urls: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Address and text of the links on a page that lead to one of *urls*."""
    wanted = frozenset(urls)
    for anchor in parse_html(page.html, page.charset or None).iter("a"):
        url = join_url(page.url, anchor.get("href") or "")
        if url in wanted:
            yield url, " ".join("".join(anchor.itertext()).split())


def _reads_like_paging(text: str) -> bool:
    return text.strip("[]() ").isdecimal() or (len(text) <= NAME_LENGTH and _NEXT.search(text) is not None)


def _counts_from_zero(form: PagingForm, pairs: Sequence[tuple[str, str]], stored: Mapping[str, StoredPage]) -> bool:
    """Say whether the link with the text "2" leads to the page numbered 1."""
    cut = re.compile(form.cut)
    votes: Counter[bool] = Counter()
    urls = {url for _, url in pairs}
    for parent in [stored[parent] for parent in dict.fromkeys(parent for parent, _ in pairs)][:A_DOZEN]:
        for url, text in _anchors(parent, urls):
            match = cut.search(url)
            if match and text.isdecimal():
                votes[int(text) == int(match[1]) + 1] += 1
    return votes[True] > votes[False]

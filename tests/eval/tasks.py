"""What is scored: each task is one page class of one real site, with the record that should come out of each page.

A task's fields hold text (""), lists ([]) or lists of records; None means that the truth is not known there, so the
page's field is not scored. Choices made here, once:

- scipydoc: `desc_start` is left out, since it is a cut first sentence that nobody would type as a sample; a null
  `type` is not scored; quotes and dashes are folded on both sides, as the truth has them. A summary that the truth
  does not name is not known: those pages do begin with a sentence, which numpydoc took for something else.
- gitrknows: `pingbacks` (a count) and `depth` are not text on the page and are left out.
- recipes: a value that stands nowhere on its page, not even in structured data (the truth's makers cleaned it), is
  not scored; nor is a missing author, for it means that the truth's makers found none, not that the page names
  none. Each site with three pages or more is a task of its own.
- listpages: a site whose paging links a person has marked (next, previous, numbered) on three pages or more gives a
  list task: the field is the list of the absolute URLs of them all, which is what the paging bar holds. Equal URLs
  count once, since "next" repeats a number and some bars stand above and below. One site is left out, whose pages
  are of two classes.
"""

from __future__ import annotations

import html as html_entities
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from lxml import etree
from lxml import html as lxml_html

from tests.eval.corpora import corpora_root, page_file, read_rows
from tests.eval.cut_off import completed
from tests.eval.scoring import fold, fold_typography, fold_url

HOSTS = {
    "booksamillion": "http://www.booksamillion.com",
    "gitrknows": "http://gitrknowswow.com",
    "quotes": "http://quotes.toscrape.com",
    "scipydoc": "https://docs.scipy.org",
    "w3school": "http://www.w3school.com.cn",
}
_TEXT: str = ""
_LIST: tuple[()] = ()
_GROUPS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    (
        "booksamillion",
        "product",
        dict.fromkeys(
            (
                "title",
                "isbn_13",
                "isbn_10",
                "publisher",
                "publication_date",
                "page_count",
                "retail_price",
                "online_price",
                "club_price",
            ),
            _TEXT,
        )
        | {"author": _LIST},
    ),
    ("quotes", "author", dict.fromkeys(("name", "born_date", "born_location", "description"), _TEXT)),
    ("quotes", "quotelist", {"quotes": ("text", "author", "tags")}),
    *(
        (
            "gitrknows",
            group,
            {
                "title": _TEXT,
                "date": _TEXT,
                "author": _TEXT,
                "content": _TEXT,
                "categories": _LIST,
                "tags": _LIST,
                "comments": ("author", "date", "text"),
            },
        )
        for group in ("post", "post-comment-page")
    ),
    (
        "w3school",
        "cssref",
        dict.fromkeys(("title", "definition", "default", "inherited", "version", "js_syntax"), _TEXT)
        | {"values": ("value", "desc")},
    ),
    ("w3school", "phpfunc", dict.fromkeys(("title", "definition", "syntax"), _TEXT) | {"params": ("name", "desc")}),
    ("w3school", "jsmethod", dict.fromkeys(("title", "definition", "syntax"), _TEXT) | {"params": ("name", "desc")}),
    ("w3school", "tagattr", dict.fromkeys(("title", "definition", "syntax"), _TEXT) | {"values": ("value", "desc")}),
    *(
        (
            "scipydoc",
            group,
            {"name": _TEXT, "summary": _TEXT, "params": ("name", "type"), "returns": ("name", "type")},
        )
        for group in ("function", "method")
    ),
)
"""Corpus, truth group, and the shape of each field: "" text, () list, (names…) records with those sub-fields."""

TWO_CLASSES = frozenset({"www.pcbheaven.com"})
"""List page sites with a forum and a file listing: nobody would give two such pages as samples of one class."""

EDITED = (
    "booksamillion/product",
    "quotes/author",
    "quotes/quotelist",
    "gitrknows/post",
    "w3school/cssref",
    "w3school/tagattr",
    "scipydoc/function",
)

LOOKED_AT = (
    "booksamillion/product",
    "quotes/",
    "w3school/cssref",
    "w3school/phpfunc",
    "gitrknows/post",
    "scipydoc/function",
    *("cloudchem/product", "commonsmath/class", "nomura/entry", "ruststd/fn", "ruststd/struct", "tipshop/game"),
    *(f"recipes/{initial}" for initial in "adglrtu"),
    *(f"listpages/{initial}" for initial in "defgj"),
)
"""Beginnings of the names of tasks whose mistakes one reads to improve; all others are only scored."""


@dataclass(frozen=True, slots=True)
class EvalPage:
    """One page: its original URL, where its bytes lie, and what should come out of it."""

    url: str
    file: Path
    truth: Mapping[str, Any]
    cut_off: Mapping[str, Any] = field(default_factory=dict)
    """Fields of which the truth cuts texts off, as it has them."""

    @property
    def html(self) -> bytes:
        """The bytes as the site sent them."""
        return self.file.read_bytes()

    def sample_fields(self) -> dict[str, Any]:
        """Return what a person would type for this page: the fields it has, and texts to their end."""
        whole = dict(self.truth)
        if self.cut_off:
            whole |= completed(dict(self.cut_off), parse(decode(self.html)))
        return {name: _typed(value) for name, value in whole.items() if value}


@dataclass(frozen=True, slots=True)
class Task:
    """One page class. `suite` is the line of the table it counts into; `truth_file` names what is hashed."""

    name: str
    suite: str
    truth_file: str
    pages: tuple[EvalPage, ...]
    folding: Callable[[str], str] = fold
    unique: bool = False
    """Whether equal items of a list count once."""
    edited: bool = False
    """Whether pages are damaged before extraction; samples never are."""
    sparse: bool = False
    """Whether fields exclude each other: samples that show every field between them go before those that share most."""

    @property
    def looked_at(self) -> bool:
        """Say whether the task's mistakes may be read; else it only tells whether what was learned there holds."""
        return self.name.startswith(LOOKED_AT) and self.name != "gitrknows/post-comment-page"

    @property
    def fields(self) -> tuple[str, ...]:
        """All field names, in truth order."""
        return tuple(self.pages[0].truth)

    def kind(self, name: str) -> str:
        """Say whether field *name* is "text", "list" or "records"."""
        value = next((page.truth[name] for page in self.pages if page.truth[name]), "")
        if isinstance(value, str):
            return "text"
        return "records" if isinstance(value[0], dict) else "list"


def load_tasks(wanted: Iterable[str] = ()) -> list[Task]:
    """Return the tasks whose name or suite starts with one of *wanted* (all for none)."""
    from tests.eval.more_sites import more_tasks

    prefixes = tuple(wanted)
    tasks = [*site_tasks(), *more_tasks(), *recipe_tasks(), *listpage_tasks(), *edit_tasks()]
    return [task for task in tasks if not prefixes or task.name.startswith(prefixes)]


@cache
def site_tasks() -> tuple[Task, ...]:
    """Return one task for each page class of the five sites."""
    return tuple(_site_task(*group) for group in _GROUPS)


def edit_tasks() -> tuple[Task, ...]:
    """Return the tasks of the edit robustness test: page classes of every site, damaged before extraction."""
    return tuple(
        replace(task, name=f"edits/{task.name}", suite="edits", edited=True)
        for task in site_tasks()
        if task.name in EDITED
    )


def _site_task(corpus: str, group: str, shape: Mapping[str, Any]) -> Task:
    name = f"{corpus}/{group}"
    pages = tuple(
        EvalPage(HOSTS[corpus] + row["url"], page_file(corpus, row["url"]), _shaped(corpus, row, shape))
        for row in read_rows(f"{corpus}/truth.jsonl")
        if row["group"] == group
    )
    folding = fold_typography if corpus == "scipydoc" else fold
    return Task(name, name, f"{corpus}/truth.jsonl", pages, folding)


def _shaped(corpus: str, row: Mapping[str, Any], shape: Mapping[str, Any]) -> dict[str, Any]:
    """Cut a truth row to the shape of its group."""
    unknown = {"summary"} - row.keys() if corpus == "scipydoc" else set()
    return {name: None if name in unknown else _cut(row.get(name), parts) for name, parts in shape.items()}


def _cut(value: Any, parts: Any) -> Any:
    if parts == _TEXT and isinstance(parts, str):
        return value or ""
    if not parts:
        return list(value or [])
    return [{part: record.get(part, "") for part in parts} for record in value or []]


def _typed(value: Any) -> Any:
    """Leave out of a sample's records what is empty or unknown."""
    if isinstance(value, str) or isinstance(value[0], str):
        return value
    return [{key: part for key, part in record.items() if part} for record in value]


@cache
def recipe_tasks() -> tuple[Task, ...]:
    """Return a task for each recipe site with three pages or more."""
    sites: dict[str, list[EvalPage]] = defaultdict(list)
    for row in read_rows("pages/truth-recipes.jsonl"):
        file = corpora_root() / "pages" / row["file"]
        truth = {name: row[name] or None for name in ("title", "author")}
        truth |= {name: row[name] or [] for name in ("ingredients", "instructions")}
        sites[row["domain"]].append(EvalPage(row["url"], file, truth))
    return tuple(
        Task(f"recipes/{site}", "recipes", "pages/truth-recipes.jsonl", tuple(map(_only_what_is_there, pages)))
        for site, pages in sites.items()
        if len(pages) >= 3
    )


def _only_what_is_there(page: EvalPage) -> EvalPage:
    text = page_characters(page)
    truth = {
        name: value if value is not None and stands_in(value, text) else None for name, value in page.truth.items()
    }
    return EvalPage(page.url, page.file, truth)


@cache
def listpage_tasks() -> tuple[Task, ...]:
    """Return a task for each site with marked page links on three pages or more."""
    sites: dict[str, list[EvalPage]] = defaultdict(list)
    for row in read_rows("pages/truth-listpages.jsonl"):
        if row["css_page"] and (links := list(_marked_links(row))):
            file = corpora_root() / "pages" / row["file"]
            sites[urlsplit(row["url"]).netloc].append(EvalPage(row["url"], file, {"page_links": links}))
    return tuple(
        Task(f"listpages/{site}", "listpages", "pages/truth-listpages.jsonl", tuple(pages), fold_url, unique=True)
        for site, pages in sites.items()
        if len(pages) >= 3 and site not in TWO_CLASSES
    )


def _marked_links(row: Mapping[str, Any]) -> Iterator[str]:
    text = (corpora_root() / "pages" / row["file"]).read_bytes().decode(row["encoding"], "replace")
    tree = parse(text)
    bases = tree.xpath("//base/@href")
    base = urljoin(row["url"], bases[0]) if bases else row["url"]
    marks = ", ".join(row[name] for name in ("css_prev", "css_page", "css_next") if row[name])
    for element in tree.cssselect(marks):
        if element.tag == "a" and (href := element.get("href")):
            yield urljoin(base, href.strip())


def parse(text: str) -> Any:
    """Parse decoded HTML with lxml, whatever encoding it declares."""
    parser = lxml_html.HTMLParser(encoding="utf-8", huge_tree=True)
    return lxml_html.document_fromstring(text.encode("utf-8", "replace") or b"<html></html>", parser=parser)


def decode(body: bytes) -> str:
    """Decode a corpus page: they are UTF-8 or a Chinese encoding that GB18030 covers."""
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return body.decode("gb18030", "replace")


def page_characters(page: EvalPage) -> str:
    """Return all characters of a page but white space: its text, its attributes, and its JSON-LD unescaped."""
    tree = parse(decode(page.html))
    parts = [tree.text_content(), *tree.xpath("//@content|//@href|//@title|//@alt")]
    parts.extend(_json_texts(tree))
    return squeeze("".join(parts))


def _json_texts(tree: Any) -> Iterator[str]:
    for script in tree.xpath("//script[@type='application/ld+json']/text()"):
        try:
            data = json.loads(script, strict=False)
        except ValueError:
            continue
        yield from (plain(text) for text in _strings(data))


def _strings(data: Any) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict):
        for value in data.values():
            yield from _strings(value)
    elif isinstance(data, list):
        for value in data:
            yield from _strings(value)


def plain(text: str) -> str:
    """Resolve entities (twice, as sites escape twice) and drop tags of a JSON-LD text."""
    text = html_entities.unescape(html_entities.unescape(text))
    if "<" in text:
        try:
            return str(parse(text).text_content())
        except etree.ParserError:
            return ""
    return text


def squeeze(text: str) -> str:
    """Drop all white space, and fold typography: for "does it stand there", not for equality."""
    return re.sub(r"\s+", "", fold_typography(text))


def stands_in(value: Any, characters: str) -> bool:
    """Say whether every text of *value* stands in the squeezed *characters* of a page."""
    if isinstance(value, str):
        return squeeze(value) in characters
    if isinstance(value, dict):
        return all(stands_in(part, characters) for part in value.values() if part is not None)
    return all(stands_in(part, characters) for part in value)

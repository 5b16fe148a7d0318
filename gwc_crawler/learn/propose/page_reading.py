"""A page as a proposal sees it: elements of two pages built alike have the same `form`, whatever their number."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from gwc_crawler.extract.fields import overlap
from gwc_crawler.extract.nodes import UNSEEN, text_of
from gwc_crawler.extract.page_view import PageView
from gwc_crawler.learn.degrees import SEVERAL, SHORT_WORD
from gwc_crawler.learn.texts.text_index import DEEPEST, TextIndex
from gwc_crawler.page.charset import detect_charset
from gwc_crawler.page.parse import parse_html

CHROME = frozenset({"nav", "footer", "aside", "form", "select", "button", "option", "head"})
"""Elements that are never searched for a record's values."""
OUTER = ("nav", "footer", "aside")

_CHROME_NAME = re.compile(
    r"(?:^|[-_])(?:nav|navbar|navigation|menu|sidebar|footer|bread-?crumbs?|crumbs?|hot|cookie|popup|modal|widget|social|share)(?:$|[-_])",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d{2,}")
_CATEGORY = re.compile(r"(?:product_)?(?:cat|category|tag|brand|pa|author)[-_]\w")
"""Classes of blogs and shops that say what a thing is about, not how it is shown."""
_TURN = re.compile(r"(?:^|[-_])(?:odd|even|alt|alternate|first|last|active|current|selected)(?:$|[-_])")


class ReadPage(PageView):
    """One page. `url`: its address, after redirects."""

    def __init__(self, url: str, body: bytes, content_type: str = "") -> None:
        self.body, self.content_type = body, content_type
        self.charset = detect_charset(body, content_type)
        super().__init__(parse_html(body, self.charset), url)
        self._texts: dict[Any, str] = {}
        self._counts: dict[Any, int] = {}

    @property
    def html(self) -> str:
        """The page decoded, as learning takes it."""
        return self.body.decode(self.charset or "utf-8", errors="replace")

    @cached_property
    def index(self) -> TextIndex:
        """All visible text with its nodes."""
        return TextIndex(self.tree)

    def text(self, element: Any) -> str:
        """Return the visible text inside an element as a reader sees it, remembered."""
        if element not in self._texts:
            self._texts[element] = text_of(element, apart=True)
        return self._texts[element]

    def count(self, element: Any) -> int:
        """Return how many elements stand right inside an element, remembered: to count them takes a walk."""
        if element not in self._counts:
            self._counts[element] = len(element)
        return self._counts[element]

    @cached_property
    def forms(self) -> dict[Any, str]:
        """Element → its form: names and classes from the body down, without numbers."""
        forms: dict[Any, str] = {}
        stack = [(self.tree, "", 0)]
        while stack:
            node, above, depth = stack.pop()
            form = f"{above}/{own_form(node)}"
            forms[node] = form
            if depth < DEEPEST:
                seen = (child for child in node if isinstance(child.tag, str) and child.tag not in UNSEEN)
                stack.extend((child, form, depth + 1) for child in seen)
        return forms

    @cached_property
    def by_form(self) -> dict[str, list[Any]]:
        """Form → its elements in the page's order."""
        found: dict[str, list[Any]] = defaultdict(list)
        for node in self.tree.iter():
            if (form := self.forms.get(node)) is not None:
                found[form].append(node)
        return found

    @cached_property
    def texts(self) -> Counter[str]:
        """The texts of its text nodes, and how often each stands there."""
        return Counter(" ".join(chunk.text.split()) for chunk in self.index.chunks)

    @cached_property
    def slugs(self) -> list[str]:
        """Return the names in its address, letters and digits alone: the path's last part, the values of the query.

        >>> ReadPage("http://a.example/p/Big-Shoe.html?q=A+Hat&n=7", b"").slugs
        ['bigshoe', 'ahat']
        """
        parts = urlsplit(self.url)
        last = re.sub(r"\.[A-Za-z]{2,5}$", "", unquote(parts.path.rstrip("/").rpartition("/")[2]))
        found = (letters_of(one) for one in (last, *(value for _, value in parse_qsl(parts.query))))
        return [one for one in found if len(one) >= SHORT_WORD]

    @cached_property
    def title(self) -> str:
        """Return the text of its <title>."""
        found = next(iter(self.tree.iter("title")), None)
        return " ".join("".join(found.itertext()).split()) if found is not None else ""

    def is_chrome(self, element: Any) -> bool:
        """Say whether an element stands in a menu, a form, a footer, or the like."""
        return any(_is_chrome(one) for one in (element, *element.iterancestors()))

    def leaves(self) -> Iterator[Any]:
        """Yield elements that hold a text of their own."""
        seen = set()
        for chunk in self.index.chunks:
            if chunk.parent not in seen:
                seen.add(chunk.parent)
                yield chunk.parent


def _is_chrome(element: Any) -> bool:
    if element.tag in CHROME:
        return True
    if element.tag in ("body", "html", "main", "article"):
        return False
    names = f"{element.get('id') or ''} {element.get('class') or ''}"
    return any(_CHROME_NAME.search(name) for name in names.split()) and not element.xpath("boolean(.//h1)")


def own_form(element: Any) -> str:
    """Name, id and the first two classes of an element, without what counts; later ones tell a thing's categories.

    >>> from lxml import html
    >>> own_form(html.fromstring("<p class='post-123 big' id='comment-77'>x</p>"))
    'p#comment-.post-.big'
    """
    if element.tag in ("html", "body"):
        return str(element.tag)
    tokens = (_NUMBER.sub("", _beginning(token)) for token in (element.get("class") or "").split())
    names = list(dict.fromkeys(one for one in tokens if not (_TURN.search(one) or _CATEGORY.match(one))))
    own = _NUMBER.sub("", _beginning(element.get("id") or ""))
    return str(element.tag) + (f"#{own}" if own else "") + "".join(f".{name}" for name in names[:2])


def _beginning(name: str) -> str:
    """Return an id or a class without the name of the thing that it is made of.

    >>> _beginning("post-how-to-make-tea"), _beginning("post-茶"), _beginning("main-menu")
    ('post-', 'post-', 'main-menu')
    """
    if name.isascii() and " " not in name and len(re.findall(r"(?<=[^_-])[_-](?=[^_-])", name)) <= SEVERAL:
        return name
    found = re.match(r"[A-Za-z]+[-_]", name)
    return found[0] if found else "*"


def likeness(one: ReadPage, other: ReadPage) -> float:
    """Return how alike two pages are built, from 0 to 1: the share of forms that both have, by how much they hold."""
    return overlap(set(one.by_form), set(other.by_form))


def letters_of(text: str) -> str:
    """Return the letters and digits of a text, small."""
    return "".join(sign for sign in text.casefold() if sign.isalnum())


def names_of(element: Any) -> str:
    """Return id, classes, itemprop, property and rel of the element as one text."""
    return " ".join(filter(None, (element.get(name) for name in ("id", "class", "itemprop", "property", "rel"))))


def around(element: Any, levels: int = 2) -> str:
    """Return the same of an element and those around it."""
    return " ".join(filter(None, map(names_of, islice((element, *element.iterancestors()), levels))))


def inside(element: Any, *tags: str) -> bool:
    """Say whether an element is, or stands in, one of these."""
    return element.tag in tags or any(one.tag in tags for one in element.iterancestors())


def differs(element: Any, page: ReadPage, other: ReadPage) -> bool:
    """Say whether another page built alike does not say the same in the same form."""
    text = page.text(element)
    return all(other.text(one) != text for one in other.by_form.get(page.forms.get(element, ""), ()))


_OF_THE_SITE = re.compile(
    r"Organi[sz]ation|WebSite|Person|ListItem|Breadcrumb|SiteNav|ImageObject|Comment|Review|Rating|Offer|SearchAction|WP"
)


def structured_values(page: ReadPage, *properties: str) -> list[str]:
    """Return the values that JSON-LD, microdata and RDFa give for a property of the page's main thing."""
    found = []
    for address, values in page.structured.values().items():
        family, _, place = address.partition(":")
        kind, _, path = place.partition("/")
        if family in ("jsonld", "microdata", "rdfa") and path in properties and not _OF_THE_SITE.match(kind):
            found += values[:1]
    return found

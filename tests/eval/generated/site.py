"""A grammar → the whole site: its pages by address, which of them are targets, and what stands there.

site = build_site(draw_grammar(7))
site.pages["/products/blue-kettle.html"], site.targets["/products/blue-kettle.html"]["title"]
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from html import escape, unescape

from tests.eval.generated.addresses import Addresses
from tests.eval.generated.grammar import Grammar
from tests.eval.generated.markup import Style, link
from tests.eval.generated.wide import widen
from tests.eval.generated.words import LANGUAGES, Words

ORIGIN = "http://generated.example"

_PLAIN = ("about", "contact", "terms", "help", "jobs", "press", "privacy", "imprint")
_WHOLE_VERSIONS = ("colour", "slash", "case")
_OWN_LABELS = 6
"""Kinds of pages at most, each with a label of its own."""
_IN_PATH = re.compile(r"^/\(S\((\w+)\)\)")
HREF = re.compile(r'href="(/[^"]*)"')


@dataclass
class Site:
    """Addresses are paths with query; `targets` has the record of each, `versions` those that repeat a target."""

    grammar: Grammar
    pages: dict[str, str] = field(default_factory=dict)
    targets: dict[str, dict[str, str]] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    others: dict[str, list[str]] = field(default_factory=dict)
    """Pages of other kinds: "siblings", "articles", "lists"."""
    either: set[str] = field(default_factory=set)
    """Targets in another language than the samples': whoever takes them is right, and who leaves them out."""

    def address(self, path: str, session: str = "0123456789ab") -> str:
        """Return the URL under which a visitor meets a page: with a session where the site has them."""
        key = self.grammar.session
        if not path.startswith("/"):  # on another host
            return path
        return ORIGIN + (_with_session(path, key, session) if key else path)

    def fetch(self, url: str) -> str | None:
        """Return the page of a URL, None where there is none; a session in the URL goes into all links."""
        path = url.removeprefix(ORIGIN)
        key = self.grammar.session
        if not key:
            return self.pages.get(path)
        form = _IN_PATH if key == "/" else re.compile(rf"[?&]{key}=(\w+)")
        found = form.search(path)
        session = found[1] if found else hashlib.md5(path.encode()).hexdigest()[:12]
        if key == "/":
            plain = _IN_PATH.sub("", path)
        else:
            plain = re.sub(rf"([?&]){key}=\w+(&|$)", lambda match: match[1] if match[2] else "", path).rstrip("?&")
        page = self.pages.get(plain)
        return page and HREF.sub(lambda match: f'href="{escape(_with_session(match[1], key, session))}"', page)


def _with_session(path: str, key: str, session: str) -> str:
    """Put a session into a path: as its first directory, or as a key of its query."""
    path = unescape(path)
    return f"/(S({session})){path}" if key == "/" else f"{path}{'&' if '?' in path else '?'}{key}={session}"


@dataclass(frozen=True)
class _Kind:
    """What pages of a kind have: a label or heading is the same on all of them."""

    word: str
    labels: Sequence[str]
    headings: Sequence[str]
    shares: Sequence[float]


@dataclass(frozen=True)
class _Item:
    address: str
    name: str
    category: int
    facts: dict[str, str]
    text: str
    notes: dict[str, str]


def build_site(grammar: Grammar) -> Site:
    """Build all pages of a site; the same grammar gives the same site."""
    site = _Builder(grammar).build()
    widen(site, grammar)
    if grammar.twin:
        _add_twin(site, _Builder(replace(grammar, language=grammar.twin)).build())
    return site


def _add_twin(site: Site, other: Site) -> None:
    """Put the pages of *other* below a directory named after its language; the two lead to each other."""
    above = f"/{other.grammar.language}"
    site.pages = {
        path: page.replace("</body>", f"{link(above + '/', above)}</body>") for path, page in site.pages.items()
    }
    for path, page in other.pages.items():
        inside = HREF.sub(lambda match: f'href="{above}{match[1]}"', page)
        site.pages[above + path] = inside.replace("</body>", f"{link('/', '/')}</body>")
    site.either = {above + path for path in other.targets}


class _Builder:
    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        self.rng = random.Random(f"site {grammar.seed}")
        self.words: Words = LANGUAGES[grammar.language]
        self.style = Style(grammar.naming, grammar.fields_in, labelled=grammar.strangers > 0)
        self.categories = self.words.names(self.rng, grammar.categories)
        self.addresses = Addresses(grammar, self.categories)
        self.title = self.words.name(self.rng)
        self.kinds = [self._kind(number) for number in range(grammar.siblings + 2)]
        self.site = Site(grammar)
        self.used: set[str] = set()
        self.lists: list[tuple[str, str]] = []
        self.waiting_lists: list[tuple[int, int | None, str, list[_Item]]] = []
        self.tags: list[tuple[str, str]] = []
        self.waiting_tags: list[tuple[str, str, str]] = []

    def _kind(self, number: int) -> _Kind:
        """A kind's first label is its own and stands on all its pages; others it may share with further kinds."""
        rng = random.Random(f"kind {self.grammar.seed} {number}")
        labels, headings = list(self.words.labels), list(self.words.headings[1:])
        random.Random(f"labels {self.grammar.seed}").shuffle(labels)
        random.Random(f"headings {self.grammar.seed}").shuffle(headings)
        own = [labels[number], *rng.sample(labels[_OWN_LABELS:], self.grammar.values - 1)]
        headings = [self.words.headings[0], *headings[number * 2 : number * 2 + self.grammar.sections]]
        shares = [1.0, *(rng.choice((0.3, 0.6, 0.9)) for _ in headings[1:])]
        return _Kind(self.addresses.kinds[number], own, headings, shares)

    def build(self) -> Site:
        grammar = self.grammar
        items = [
            self._items(number, grammar.targets // (1 if number == 0 else 2)) for number in range(grammar.siblings + 1)
        ]
        strangers = self._items(len(items), int(grammar.targets * grammar.strangers), first=grammar.targets + 1)
        for number, some in enumerate(items):
            self._announce_lists(number, _mixed([*some, *strangers]) if number == 0 else some)
        self._announce_tags(items[0])
        self.plain = [(self.addresses.plain(word), self.words.chrome[2 + place % 4]) for place, word in
                      enumerate(_PLAIN[: grammar.plain_pages])]  # fmt: skip
        self.latest = [(item.address, item.name) for item in items[0][-5:]]
        for number, some in enumerate(items):
            for item in some:
                self._put_item(number, item, some)
        for item in strangers:
            self._put_item(len(items), item, strangers)
        self._put_others()
        return self.site

    def _items(self, number: int, count: int, first: int = 1) -> list[_Item]:
        kind = self.kinds[number]
        form = 0 if number > self.grammar.siblings else number
        found = []
        for place, bare_name in enumerate(self.words.names(self.rng, count)):
            name = self._branded(bare_name)
            category = self.rng.randrange(len(self.categories))
            facts = {
                label: self._value(label)
                for at, label in enumerate(kind.labels)
                if at == 0 or self.rng.random() >= self.grammar.absent
            }
            notes = {
                heading: self.words.paragraph(self.rng, self.rng.randint(1, 3))
                for heading, share in zip(kind.headings, kind.shares, strict=True)
                if self.rng.random() < share
            }
            text = self.words.paragraph(self.rng, self.rng.randint(1, 3))
            address = self.addresses.item(form, place + first, name, category)
            if address not in self.used:
                found.append(_Item(address, name, category, facts, text, notes))
            self.used.add(address)
        return found

    def _branded(self, name: str) -> str:
        """Begin half of the names with a maker's."""
        draw = random.Random(f"brand {self.grammar.seed} {name}")
        if not self.grammar.brands or draw.random() < 1 / 2:
            return name
        makers = self.words.names(random.Random(f"brands {self.grammar.seed}"), self.grammar.brands)
        return f"{draw.choice(makers)}{self.words.blank}{name}"

    def _value(self, label: str) -> str:
        rng, words = self.rng, self.words
        makers: Sequence[Callable[[], str]] = (
            lambda: f"{rng.choice('$€¥')}{rng.randint(2, 400)}.{rng.choice(('00', '50', '95', '99'))}",
            lambda: f"{rng.randint(1990, 2020)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}",
            lambda: rng.choice(words.people),
            lambda: f"{rng.choice('ABCDEFGH')}{rng.choice('KLMNPQ')}-{rng.randint(1000, 99999)}",
            lambda: words.name(rng),
            lambda: words.nouns[rng.randrange(12)].capitalize(),
            lambda: f"{rng.randint(2, 90)} × {rng.randint(2, 90)} cm",
            lambda: rng.choice(words.adjectives[:9]),
            lambda: f"{rng.randint(1, 60)},{rng.randint(0, 9)} kg",
        )
        place = list(words.labels).index(label)
        return makers[place]() if place < len(makers) else rng.choice(words.adjectives[place : place + 6])

    def _announce_lists(self, number: int, items: Sequence[_Item]) -> None:
        """Say which lists a kind has: one of each category where they are targets, else one of all."""
        groups: Sequence[int | None] = range(len(self.categories)) if number == 0 else (None,)
        for group in groups:
            members = [item for item in items if group is None or item.category == group]
            name = self.words.name(random.Random(f"list {number}")) if group is None else self.categories[group]
            self.lists.append((self.addresses.list_page(number, group, 1), name))
            self.waiting_lists.append((number, group, name, members))

    def _announce_tags(self, items: Sequence[_Item]) -> None:
        """Put further lists of targets, each with a share of them."""
        rng = random.Random(f"tags {self.grammar.seed}")
        for place, name in enumerate(self.words.names(rng, self.grammar.tags)):
            members = rng.sample(list(items), min(len(items), rng.randint(2, 15)))
            address = self.addresses.tag_list(place, name)
            self.tags.append((address, name))
            content = f"<h1>{escape(name)}</h1>{self.style.named('div', 'list', ''.join(map(self._card, members)))}"
            self.waiting_tags.append((address, name, content))

    def _put_others(self) -> None:
        for number, group, name, members in self.waiting_lists:
            self._put_list_pages(number, group, name, members)
        for address, name, content in self.waiting_tags:
            self._put(address, name, content)
        landings = self._put_landings()
        grammar, words = self.grammar, self.words
        names = words.names(self.rng, grammar.articles)
        articles = [(self.addresses.article(place + 1, name), name) for place, name in enumerate(names)]
        self.site.others["articles"] = [address for address, _ in articles]
        self.site.others["lists"] = [address for address, _ in self.lists]
        for address, name in articles:
            self._put(address, name, self._article(name))
        for address, name in self.plain:
            body = "".join(f"<p>{words.paragraph(self.rng, 3)}</p>" for _ in range(3))
            self._put(address, name, self.style.named("div", "text", f"<h1>{name}</h1>{body}"))
        welcome = f"<h1>{escape(self.title)}</h1><p>{words.paragraph(self.rng, 2)}</p>"
        shelves = self.style.links("home-lists", self.lists) + self.style.links("home-news", [*landings, *articles])
        shelves += self.style.links("home-tags", self.tags)
        self._put("/", self.title, self.style.named("div", "home", welcome + shelves))

    def _put_landings(self) -> list[tuple[str, str]]:
        """Put pages that somebody wrote one by one: prose, a few cards, no fields."""
        rng, words = random.Random(f"landings {self.grammar.seed}"), self.words
        shown = next(members for *_, members in self.waiting_lists if members)
        put = []
        for place, name in enumerate(words.names(rng, self.grammar.landings)):
            address = self.addresses.landing(place, f"{name}{words.blank}{words.chrome[6]}")
            if address in self.used:
                continue
            cards = "".join(self._card(item) for item in rng.sample(shown, 1))
            prose = "".join(f"<p>{words.paragraph(rng, 4)}</p>" for _ in range(3))
            self._put(address, name, self.style.named("div", "landing", f"<h2>{escape(name)}</h2>{prose}{cards}"))
            put.append((address, name))
        return put

    def _put_list_pages(self, number: int, group: int | None, name: str, members: Sequence[_Item]) -> None:
        size = self.grammar.page_size
        pages = max(1, -(-len(members) // size))
        first = self.addresses.list_page(number, group, 1)
        for page in range(1, pages + 1):
            cards = "".join(self._card(item) for item in members[(page - 1) * size : page * size])
            turns = [(self.addresses.list_page(number, group, other), str(other)) for other in range(1, pages + 1)]
            pager = self.style.links("pager", turns) if pages > 1 else ""
            sorts = ""
            if self.grammar.sort_links and page == 1:
                joint = "&" if "?" in first else "?"
                sorted_by = [f"{first}{joint}sort={key}" for key in ("name", "price")]
                sorts = self.style.links("sorting", [(one, one.rpartition("=")[2]) for one in sorted_by])
            head = f"<h1>{escape(name)}</h1>"
            if self.grammar.introduced:
                head += self.style.named("p", "item-text", escape(self.words.paragraph(self.rng, 2)))
            content = f"{head}{sorts}{self.style.named('div', 'list', cards)}{pager}"
            content = self.style.named("div", "item", content) if self.grammar.introduced else content
            self._put(self.addresses.list_page(number, group, page), name, content)
            if sorts:
                for one in sorted_by:
                    self._put(one, name, content)

    def _card(self, item: _Item) -> str:
        if self.grammar.whole_entries:
            return (
                self._content(0, item)
                .replace("h1>", "h2>")
                .replace(f">{escape(item.name)}<", f">{link(item.address, item.name)}<", 1)
            )
        return self.style.named("div", "card", f"<h3>{link(item.address, item.name)}</h3><p>{item.text[:60]}</p>")

    def _article(self, name: str) -> str:
        rng, words = self.rng, self.words
        byline = f"{rng.choice(words.people)}, {rng.randint(1, 28)}.{rng.randint(1, 12)}.{rng.randint(2001, 2019)}"
        prose = "".join(f"<p>{words.paragraph(rng, 4)}</p>" for _ in range(rng.randint(2, 5)))
        comments = "".join(
            f"<li><i>{rng.choice(words.people)}</i><p>{words.sentence(rng)}</p></li>" for _ in range(rng.randint(0, 3))
        )
        said = f"<h4>{words.chrome[12]}</h4><ol>{comments}</ol>" if comments else ""
        head = f"<header><h1>{escape(name)}</h1><em>{byline}</em></header>"
        return self.style.named("article", "story", f"{head}{prose}{said}")

    def _put_item(self, number: int, item: _Item, others: Sequence[_Item]) -> None:
        """Put the page of an item; of a target also what belongs to it."""
        grammar, addresses = self.grammar, self.addresses
        content = self._content(number, item)
        further: list[tuple[str, str]] = []
        version = ""
        if number == 0:
            self.site.targets[item.address] = {
                "title": item.name,
                **_english(self.words, item.facts),
                "text": item.text,
            }
            if grammar.versions != "none" and self.rng.random() < grammar.version_share:
                version = addresses.version(item.address)
            if version == item.address:  # numbers have no capitals
                version = ""
            if version:
                further.append((version, self.words.chrome[11]))
            further += self._put_company(item)
        elif number <= grammar.siblings:
            self.site.others.setdefault("siblings", []).append(item.address)
        elsewhere = self.rng.sample(list(others), min(grammar.related, len(others)))
        more = self.style.links("item-more", further) if further else ""
        if elsewhere:
            near = [(one.address, one.name) for one in elsewhere]
            more += self.style.named(
                "div", "related", f"<h4>{self.words.chrome[7]}</h4>{self.style.links('related-list', near)}"
            )
        self._put(item.address, item.name, self._crumbs(number, item) + content + more)
        if version:
            self.site.versions[version] = item.address
            head = f'<link rel="canonical" href="{escape(item.address)}">' if grammar.canonical else ""
            bare = f"<body>{link(item.address, self.title)}{content}</body>"
            self.site.pages[version] = self._document(item.name, head, bare)
            if grammar.versions in _WHOLE_VERSIONS:
                self._put(version, item.name, self._crumbs(number, item) + content, head)

    def _content(self, number: int, item: _Item) -> str:
        style, kind = self.style, self.kinds[number]
        role = kind.word if self.grammar.naming == "semantic" and number > self.grammar.siblings else "item"
        facts = style.fields(role, list(item.facts.items()))
        notes = "".join(f"<h2>{escape(head)}</h2><p>{escape(text)}</p>" for head, text in item.notes.items())
        text = style.named("p", f"{role}-text", escape(item.text))
        if number > self.grammar.siblings:  # a stranger: written by another template
            return style.named(
                "section", f"{role}-page", f"<h1>{escape(item.name)}</h1>{notes}<blockquote>{text}</blockquote>{facts}"
            )
        state = self._state(item) if self.grammar.states else ""
        return style.named("div", role, f"<h1>{escape(item.name)}</h1>{state}{facts}{text}{notes}")

    def _state(self, item: _Item) -> str:
        """Say in what state an item is: of two elements one, and one or two more that may be missing."""
        draw, words, style = random.Random(f"state {self.grammar.seed} {item.address}"), self.words, self.style
        place = words.chrome[8], self.categories[item.category]
        parts = [
            style.named("a", "item-sound", words.chrome[9])
            if draw.random() < 1 / 3
            else style.named("span", "item-silent", words.chrome[11]),
            style.named("strong", "item-sold", words.chrome[12]) if draw.random() < 1 / 8 else "",
            style.named("p", "item-line", escape(": ".join(place))) if draw.random() < 1 / 2 else "",
        ]
        return "".join(parts)

    def _put_company(self, item: _Item) -> list[tuple[str, str]]:
        """Put what a target has besides: a page of the same name elsewhere, pages below it."""
        found = []
        if self.grammar.mirrors:
            address = self.addresses.mirror(item.address)
            rows = "".join(
                f"<tr><td>{self.words.name(self.rng)}</td><td>{self.words.sentence(self.rng)}</td></tr>"
                for _ in range(4)
            )
            caption = f"{self.addresses.mirror_word}: {item.name}"
            self._put(
                address,
                caption,
                f"<h2>{escape(caption)}</h2><table><caption>{escape(item.name)}</caption>{rows}</table>",
            )
            found.append((address, self.addresses.mirror_word))
        if self.grammar.parts:
            address = self.addresses.part(item.address)
            prose = "".join(f"<p>{self.words.paragraph(self.rng, 3)}</p>" for _ in range(3))
            self._put(address, item.name, self.style.named("div", "item", f"<h1>{escape(item.name)}</h1>{prose}"))
            found.append((address, "2"))
        if self.grammar.subpages:
            for word in ("reviews", "photos"):
                address = self.addresses.below(item.address, word)
                entries = "".join(f"<li>{self.words.sentence(self.rng)}</li>" for _ in range(self.rng.randint(1, 6)))
                body = f"<h2>{escape(item.name)}: {word}</h2>{self.style.named('ol', word, entries)}"
                self._put(address, f"{item.name} {word}", body + link(item.address, item.name))
                found.append((address, word))
        return found

    def _crumbs(self, number: int, item: _Item) -> str:
        if not self.grammar.breadcrumbs:
            return ""
        above = (self.addresses.list_page(0, item.category, 1), self.categories[item.category])
        return self.style.links("crumbs", [("/", self.words.chrome[0]), above if number == 0 else self.lists[-1]])

    def _put(self, address: str, title: str, content: str, head: str = "") -> None:
        words, style = self.words, self.style
        menu = style.links("menu", [("/", words.chrome[0]), *self.plain[:4], self.lists[0]])
        search = f'<form action="/search"><input name="q"><button>{words.chrome[1]}</button></form>'
        header = style.named("div", "header", link("/", self.title) + menu + search)
        aside = ""
        if self.grammar.sidebar:
            shelves = f"<h4>{words.chrome[8]}</h4>{style.links('side-lists', self.lists)}"
            newest = f"<h4>{words.chrome[6]}</h4>{style.links('side-latest', self.latest)}"
            aside = style.named("div", "sidebar", shelves + newest)
        footer = style.named("div", "footer", f"<p>© 2019 {escape(self.title)}</p>{style.links('foot', self.plain)}")
        main = style.named("div", "main", content)
        self.site.pages[address] = self._document(title, head, f"<body>{header}{main}{aside}{footer}</body>")

    def _document(self, title: str, head: str, body: str) -> str:
        start = f'<!DOCTYPE html><html lang="{self.words.code}"><head><meta charset="utf-8">'
        return f"{start}<title>{escape(title)} – {escape(self.title)}</title>{head}</head>{body}</html>"


def _mixed(items: Sequence[_Item]) -> list[_Item]:
    """Return all in the order of their names: strangers stand among the targets."""
    return sorted(items, key=lambda item: item.name)


def _english(words: Words, facts: dict[str, str]) -> dict[str, str]:
    """Name the fields alike in every language."""
    names = LANGUAGES["en"].labels
    return {names[list(words.labels).index(label)].lower(): value for label, value in facts.items()}

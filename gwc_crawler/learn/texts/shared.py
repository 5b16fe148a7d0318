"""Shared features of the sample pages: names in attributes, texts that can serve as labels, headings of sections.

A class or id counts only if several pages have it and it does not look like a number or a hash; a label is a short
text that several pages share and that is no sample value.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from copy import copy
from functools import cached_property
from itertools import chain, islice, pairwise
from typing import Any

from lxml import etree

from gwc_crawler.extract.fields import squeeze
from gwc_crawler.learn.degrees import A_HANDFUL, LABEL_LENGTH, NAME_LENGTH, SEVERAL, VERY_MANY
from gwc_crawler.learn.texts.text_index import Chunk, TextIndex, heading_chunk, label_text, prefix_ends, xml_fold

CHANCE = re.compile(r"\d{3}|(?=[a-zA-Z]*\d)(?=.*[A-Za-z])(?=(?:.*\d){3})[A-Za-z0-9]{8,}")
"""Names that count or hash something: they name one page or one row, not a kind of thing."""
NUMBERED = re.compile(r"([A-Za-z][A-Za-z_-]*[:_-])(?=[^\W_]*\d\D*\d)[^\W_]{3,}$")
"""A word and the number, or hash, of a thing."""
BEGINS = "^"
"""Behind an attribute's name: a value begins so."""
TELLING = frozenset(
    {
        *("itemprop", "property", "rel", "role", "name", "headers"),
        *("scope", "type", "aria-label", "title", "alt", "for"),
        *("align", "valign", "width", "bgcolor", "color", "size"),
    }
)
"""Attributes, besides id, class and data-*, whose value may identify an element."""
COUNTING = re.compile(r"(?:^|[-_])(?:odd|even|alt|first|last)(?:$|[-_])|^(?:odd|even)[A-Z]|(?:Odd|Even)$")
"""Class names that tell a row's turn, not its kind: "even", "row-odd", "evenRow"."""
SWITCH = re.compile(r"(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])")


def reads_made(name: str) -> bool:
    """Say whether a class name looks made by a build tool: it changes between letters and digits inside a word.

    >>> reads_made("css-1b07bg1"), reads_made("et3p2gv0"), reads_made("recipe-title"), reads_made("col-md-8")
    (True, True, False, False)
    """
    return any(len(part) >= 5 and len(SWITCH.findall(part)) >= 2 for part in re.split("[-_]+", name))


def names_of(element: Any) -> Iterable[tuple[str, str]]:
    """Return the (attribute, value) pairs of an element that may tell it apart; class tokens one by one.

    Of a class or id that numbers a thing also what it begins with: `post_` of "post_40512".
    """
    for name, value in element.attrib.items():
        if name == "class":
            for token in value.split():
                yield "class", token
                if numbered := NUMBERED.match(token):
                    yield f"{name}{BEGINS}", numbered[1]
        elif (name == "id" or name in TELLING or name.startswith("data-")) and 0 < len(value) <= NAME_LENGTH:
            yield name, value
            if name == "id" and (numbered := NUMBERED.match(value)):
                yield f"{name}{BEGINS}", numbered[1]


def beginning_of(name: str) -> str:
    """Return the part of a class name before the first hyphen, "" if it has none."""
    return name.partition("-")[0] if "-" in name else ""


_STRUCK = "self::del or self::s or self::strike or contains(@class,'line-through') or contains(@style,'line-through')"
NOT_STRUCK = f"[not(ancestor-or-self::*[{_STRUCK}])]"
"""The test for what is not struck out, as an old price is."""
STRUCK_AROUND = etree.XPath(f"boolean(ancestor-or-self::*[{_STRUCK}])")
STRUCK_WITHIN = etree.XPath(f"boolean(ancestor-or-self::*[{_STRUCK}] or descendant::*[{_STRUCK}])")
NO_LABEL = re.compile(
    r"\d\D+(?:19|20)\d\d(?!\d)|(?<!\d)(?:19|20)\d\d\D{1,3}\d{1,2}\D|[。，；]$|^[.,;]\s+\S|^[。，；]\s*\S"
)
"""Pages of one day have its date in common, and others how a sentence ends, or goes on: these are no labels."""
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "dt", "th", "legend", "caption", "summary", "strong", "b"})
LABEL_TAGS = frozenset({"dt", "th", "b", "strong", "label"})
_BOUND = re.compile(r"(?<=\S) |(?<=[^\W\d])(?=\d)|(?<=[\u3400-\u9fff])(?=[\u3400-\u9fffA-Za-z])")
"""Matches the end of a label without a sign: a blank, the place before a digit or behind a Chinese character."""


_COLON = re.compile("[:：]")


class Shared:
    """Counts over the sample pages and some further ones.

    Args:
        values: all values of the samples.
        listed: values that are items of lists.
        further: the trees of more pages: they show labels that a page may have twice, and texts behind their numbers.
    """

    def __init__(
        self, pages: Sequence[TextIndex], values: Iterable[str], listed: Iterable[str] = (), further: Sequence[Any] = ()
    ) -> None:
        self.pages, self._further = pages, further
        self._values = {squeeze(value) for value in values}
        self._listed = {squeeze(value) for value in listed}
        self.least = 1 if len(pages) == 1 else 2
        self._leads = _Leads(pages, lambda: self._short_further)
        self._telling: dict[tuple[str, str], tuple[str, ...]] = {}
        self._rare: frozenset[tuple[str, str]] = frozenset()
        self._in_rows = False

    def with_values(self, values: Iterable[str], is_called: Callable[[str], Any]) -> Shared:
        """The same for a field with these *values*: a heading that several pages have may lead to it, though listed.

        Where one field lists the headings of a page, they still say what stands under them; so do the names of a table
        that another field holds, right before the values, or that *is_called* as the field is. The title of a page is
        no such heading, though others show it; one that is called so is. So may a class be that one page alone has.
        """
        own = {squeeze(value) for value in values}
        least = {True: self.least, False: SEVERAL}
        times = self._headings.items()
        headings = {squeeze(text) for text, count in times if count >= least[bool(is_called(text))]}
        labels = (one for one, count in self._labels.items() if count >= self.least)
        named = {squeeze(text) for text in labels if is_called(text)}
        free = (headings | named | self._right_before(own)) & self._listed - own
        called = frozenset(pair for pair in self._rare_classes if is_called(pair[1]))
        if self._values.isdisjoint(free) and not called:
            return self
        shared = copy(self)
        shared._telling = {}
        shared._values = self._values - free
        shared._rare = called
        return shared

    @cached_property
    def _rare_classes(self) -> list[tuple[str, str]]:
        """Return the classes that a single page has; [] if there are too many: a tool has made them."""
        rare = [pair for pair, count in self._names.items() if count < self.least and pair[0] == "class"]
        return rare if len(rare) <= VERY_MANY else []

    def _right_before(self, values: Collection[str]) -> frozenset[str]:
        """Return the texts right before the texts that are one of the values, on each page that has such."""
        texts = ([page.text[one.start : one.end] for one in page.chunks] for page in self.pages)
        pages = (frozenset(one for one, other in pairwise(some) if other in values) for some in texts)
        before = list(filter(None, pages)) if self._listed else []
        return frozenset.intersection(*before) if before else frozenset()

    @cached_property
    def _headings(self) -> Counter[str]:
        """The texts of headings, and on how many pages they stand."""
        counts: Counter[str] = Counter()
        for page in self.pages:
            around = ((chunk, (chunk.parent, *islice(chunk.parent.iterancestors(), 2))) for chunk in page.chunks)
            counts.update({label_text(chunk) for chunk, some in around if any(one.tag in HEADINGS for one in some)})
        return counts

    def with_rows(self, rows: Iterable[Iterable[Any]]) -> Shared:
        """Return the same counts for elements in records: a name also identifies a thing if two of the *rows* have it,
        which are given by their top elements.
        """
        counts: Counter[tuple[str, str]] = Counter()
        for row in rows:
            counts.update({pair for top in row for one in top.iter(etree.Element) for pair in names_of(one)})
        shared = copy(self)
        shared._telling, shared._in_rows = {}, True
        shared._rare = self._rare | {pair for pair, count in counts.items() if count > 1}
        return shared

    @cached_property
    def _names(self) -> Counter[tuple[str, str]]:
        counts: Counter[tuple[str, str]] = Counter()
        for page in self.pages:
            counts.update({pair for element in page.spans for pair in names_of(element)})
        return counts

    @cached_property
    def _labels(self) -> Counter[str]:
        """The short texts, and on how many pages they stand."""
        return Counter(one for page in self.pages for one in set(page.said_in(LABEL_LENGTH)))

    @cached_property
    def _short_further(self) -> list[list[str]]:
        """The short texts of each further page."""
        short = f"//text()[string-length() <= {LABEL_LENGTH}]"
        return [list(map(xml_fold, tree.xpath(short))) for tree in self._further]

    @cached_property
    def has_struck(self) -> bool:
        """Whether something on the pages is struck out."""
        return any(map(STRUCK_WITHIN, [*(page.root for page in self.pages), *self._further]))

    def is_prefix(self, text: str) -> bool:
        """Say whether texts on several pages begin with *text* and a value after it: the value is not within it."""
        return self._leads.prefixes[text] >= self.least and not any(map(squeeze(text).startswith, self._values))

    def words_before(self, text: str) -> list[str]:
        """Return the words before a value at the beginning of its text, with no sign between: "Sensitivity ISO 400"."""
        begun = self._leads.words_before(text)
        return [one for one in begun if not any(value.startswith(squeeze(one)) for value in self._values)]

    def is_ambiguous(self, chunk: Chunk) -> bool:
        """Say whether some page has this label more than once: then it may lead to the wrong place."""
        return label_text(chunk) in self._repeated

    @cached_property
    def _repeated(self) -> set[str]:
        counts = map(Counter, [*(page.said_in(LABEL_LENGTH) for page in self.pages), *self._short_further])
        return {text for here in counts for text, count in here.items() if count > 1 and text}

    def is_name(self, pair: tuple[str, str]) -> bool:
        """Say whether (attribute, value) names a kind of thing on this site."""
        name, value = pair
        if (self._names[pair] < self.least and pair not in self._rare) or CHANCE.search(value):
            return False
        if name == f"class{BEGINS}" and beginning_of(value) in self._made_beginnings:
            return False
        return not (name == "class" and COUNTING.search(value)) and squeeze(value) not in self._values

    def pages_with(self, pair: tuple[str, str]) -> int:
        """Count the pages on which an element has (attribute, value)."""
        return self._names[pair]

    def telling_names(self, element: Any) -> tuple[str, ...]:
        """Return the element's id and classes as far as they name a kind of thing on this site."""
        key = element.get("id") or "", element.get("class") or ""
        if key not in self._telling:
            ids = (key[0],) if key[0] and self.is_name(("id", key[0])) else ()
            self._telling[key] = *ids, *sorted(token for token in key[1].split() if self.is_name(("class", token)))
        return self._telling[key]

    def is_made(self, pair: tuple[str, str]) -> bool:
        """Say whether a class name was made by a build tool: it says nothing, and the next build changes it."""
        return pair[0] == "class" and (reads_made(pair[1]) or beginning_of(pair[1]) in self._made_beginnings)

    @cached_property
    def _made_beginnings(self) -> frozenset[str]:
        """The beginnings of made names, if most names with that beginning are made: "css" of css-…."""
        names = [value for name, value in self._names if name == "class" and beginning_of(value)]
        all_names = Counter(map(beginning_of, names))
        made = Counter(beginning_of(name) for name in names if reads_made(name))
        return frozenset(one for one, count in made.items() if count >= A_HANDFUL and 2 * count >= all_names[one])

    def is_label(self, chunk: Chunk) -> bool:
        """Say whether a text node may be a label."""
        if chunk.end - chunk.start > LABEL_LENGTH:
            return False
        text = label_text(chunk)
        if not any(map(str.isalpha, text)) or self._is_one_of_values(text) or NO_LABEL.search(text):
            return False
        is_like_one = chunk.text.rstrip().endswith((":", "："))  # though only one page may have it
        is_like_one = is_like_one and (chunk.parent.tag in LABEL_TAGS or chunk.after is None)
        return is_like_one or self._labels[text] >= self.least

    def _is_one_of_values(self, text: str) -> bool:
        """Say whether a text is a value, or one behind its label ("Expires: never"); in a record also a part of it with
        a colon: "procedure:" before its name, where that is the record's kind."""
        said = squeeze(text)
        before, behind = said.rstrip(":："), _COLON.split(said, maxsplit=1)[-1]
        is_part = self._in_rows and before != said and before in self._listed
        is_behind = bool(behind) and behind in self._values
        return said in self._values or is_behind or (is_part and before in self._values)

    def may_be_label(self, chunk: Chunk) -> bool:
        """Say whether the text right before a value may be its label though no other page has it: of a rare field.

        It must be short, and stand in one of several rows, where others of its kind stand before other values.
        """
        text = label_text(chunk)
        is_short = len(text) <= LABEL_LENGTH // 2 and chunk.after is None
        are_words = any(map(str.isalpha, text)) and not any(map(str.isdigit, text))
        return is_short and are_words and not self._is_one_of_values(text) and _stands_in_rows(chunk.parent)

    def is_shared_text(self, label: str) -> bool:
        """Say whether several pages have a text node of just this label, and it is no sample value."""
        return self._labels[label] >= self.least and not self.is_value(label)

    def is_value(self, text: str) -> bool:
        """Say whether a sample has a text for a value."""
        return squeeze(text) in self._values

    def is_rare(self, chunk: Chunk) -> bool:
        """Say whether no other page has this label: it may be of a rare field, or no label at all."""
        return self._labels[label_text(chunk)] < self.least


def _stands_in_rows(element: Any) -> bool:
    """Say whether others of an element's name and class stand beside it or in the rows beside its own, as labels do."""
    row = element.getparent()
    if row is None:
        return False
    near = chain(islice(row.itersiblings(preceding=True), 3), islice(row.itersiblings(), 3))
    beside = islice(chain(row, *(other for other in near if other.tag == row.tag)), VERY_MANY)
    name = element.tag, element.get("class")
    return any(one is not element and (one.tag, one.get("class")) == name for one in beside)


# --- What texts begin with beside a value, as several pages have it: labels within a text -----------------------------


class _Leads:
    """Counts over pages; *further* gives the short texts of more pages, which show what else texts go on with."""

    def __init__(self, pages: Sequence[TextIndex], further: Callable[[], Iterable[Sequence[str]]]) -> None:
        self._pages, self._further = pages, further

    @cached_property
    def prefixes(self) -> Counter[str]:
        """What texts begin with, up to a sign behind which they go on, and on how many pages."""
        counts: Counter[str] = Counter()
        for page in self._pages:
            starts = (text[:LABEL_LENGTH] for text in page.said)
            counts.update({start[:end].strip() for start in starts for end in prefix_ends(start)})
        return counts

    def words_before(self, text: str) -> list[str]:
        """Return the words that begin this text and texts on several pages, with other continuations; longest first.

        The variety of continuations tells where a word ends (Harris, "From Phoneme to Morpheme", 1955, of letters);
        here of words, and counted over pages: a text that all pages have says nothing.
        """
        begun = (text[: bound.end()] for bound in _BOUND.finditer(text[: LABEL_LENGTH // 2]))
        return [one for one in begun if len(self._followers.get(one, ())) >= SEVERAL][::-1]

    @cached_property
    def _followers(self) -> dict[str, set[str]]:
        """The beginnings of texts, each with the next words of the texts that go on."""
        followers: dict[str, set[str]] = defaultdict(set)
        texts = chain.from_iterable(page.said for page in self._pages)
        for text in {*texts, *chain.from_iterable(self._further())}:
            bounds = [bound.end() for bound in _BOUND.finditer(text[: LABEL_LENGTH // 2])]
            for start, end in pairwise([*bounds, len(text)]):
                followers[text[:start]].add(text[start:end])
        return followers


# --- Headings of sections, and the words in them that say which section that is ---------------------------------------


def heading_before(node: Any, index: TextIndex, start: int) -> Any:
    """Return the sibling whose text ends where a value in *node* begins, if it is short: it may be its heading."""
    for beside in node.itersiblings(preceding=True):
        span = index.spans.get(beside)
        if span is not None and span[0] < span[1]:
            is_heading = span[1] == start and span[1] - span[0] <= LABEL_LENGTH
            return beside if is_heading else None
    return None


def heading_of(node: Any, index: TextIndex, shared: Shared) -> Chunk | None:
    """Return the words of an element that heads a section; None for one that heads none.

    Behind its words a heading may have two signs: a link's "¶", a counter.
    """
    span = index.spans.get(node, (0, 0))
    chunk = heading_chunk(index, span) if span[0] < span[1] else None
    return chunk if chunk is not None and shared.is_label(chunk) and span[1] - chunk.end <= 2 else None

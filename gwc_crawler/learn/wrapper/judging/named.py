"""Values at a label that has their field's name: "constructors" in the table headed "Constructor and Description".

Of ways to records that fit the samples and further pages alike, one by such a label says what the others happen to
do: where the label is missing there are no such records, and rows that are built like them belong to something else.
A single value of few possible ones may stand in two places of both samples by chance (what a function returns, and what
its first argument is): then the label says which is meant.

Source:
    None; the names that people give to fields are a source of their own, as in attribute labelling of web tables
    (Cafarella et al., "WebTables", 2008).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from operator import ne
from typing import Any

from gwc_crawler.extract import NO_AFFIXES, Finder, PageView, RowRule, select
from gwc_crawler.extract.fields import is_empty, squeeze
from gwc_crawler.items import Family
from gwc_crawler.learn.places import labels_in, quoted_in
from gwc_crawler.learn.texts import LONGEST_LABEL, xml_fold
from gwc_crawler.learn.wrapper.judging.candidates import OFTEN_FOUND, is_named, is_right_behind

MOST_SILENT = 0.15
"""On a greater share of the pages with such rows the label is missing: then it may just read otherwise there."""
LEAST_WORD = 4
"""Characters of a word that is looked for in labels; shorter ones stand in many."""
LONG_WORD = 5
"""Characters of a word that may as well begin another: "params" and "Parameters", "implements" and "Implemented"."""
_NAMELESS = (Family.CLASS, Family.TAG, Family.PATH, Family.LABEL)
_LEAST_OTHER, _LEAST_CALLED = 0.3, 0.25
"""On so many further pages the two must read different values, of a label that is the field's name on fewer."""
_MOSTLY = 0.8
"""On so many of the pages that have a field's name for a label there must be something behind it."""
_MOST_LABELS = 8
"""So many texts that end in a field's name are tried for its label, on all pages each: the most frequent ones."""
_FEW_WORDS = 3
"""A text of so many words says what a field is called, though one is short."""
_LONGER_TIMES, _LONGER_MORE = 3, 20
"""A text so much longer than all others of the field is a remark."""
_OWN_CLASS = re.compile(r'\[(?:contains\(concat\(" ",@class," "\)," |@id=")([^"]*?) ?"\)?\]$')
_COUNTED = re.compile(r"\[(?:[2-9]|\d\d|last\(\))\]|//(?:dd|li|td|p)$")
"""How a path counts elements, or takes the first of many."""
_WORD = re.compile(r"[^\W\d_]+")


def by_its_name(name: str, ways: Sequence[RowRule], pages: Sequence[PageView]) -> Sequence[RowRule]:
    """Those of the *ways* to records that go by a label with the field's name, if they read what all do; else all.

    Behind them those by a class that says so, too, if no further page has such rows without the label: it may read
    otherwise there. Where it does, with more behind it ("Variants (non-exhaustive)"), those by what it reads there.

    Args:
        name: of the field.
        ways: best first.
        pages: further pages.
    """
    named = [one for one in ways if one.rows.family is Family.LABEL and has_name(name, one.rows.path)]
    read = [(_rows(ways, page), _rows(named, page)) for page in pages] if named else []
    speaking = [(rows, by_label) for rows, by_label in read if rows]
    silent = sum(not by_label for _, by_label in speaking)
    same = all(rows == by_label for rows, by_label in speaking if by_label)
    if not named or not same or silent > MOST_SILENT * len(speaking):
        return ways
    if silent:
        without = [page for page, (rows, by_label) in zip(pages, read, strict=True) if rows and not by_label]
        return [*named, *_by_longer_labels(name, named, without)]
    return [*named, *(one for one in ways if _is_by_name(name, one))]


def _by_longer_labels(name: str, ways: Sequence[RowRule], pages: Sequence[PageView]) -> Iterator[RowRule]:
    """The ways by their labels as these read on other pages, with more behind them."""
    labels = {label: one for one in reversed(ways) for label in quoted_in(one.rows.path) if _in_words(name, [label])}
    texts = Counter(text for page in pages for text in {" ".join(one.split()) for one in page.tree.itertext()})
    for label, way in labels.items():
        longer = [one for one, _ in texts.most_common() if one.startswith(f"{label} ") and len(one) <= LONGEST_LABEL]
        rows = way.rows
        for text in longer[:_MOST_LABELS] if labels_in(rows.path) == [label] else ():
            if '"' not in text:
                path = rows.path.replace(f'normalize-space()="{label}"', f'normalize-space()="{text}"')
                other = replace(way, rows=replace(rows, path=path))
                if any(other.read(page) for page in pages):
                    yield other


def _is_by_name(name: str, way: RowRule) -> bool:
    """Whether a way goes by a class or an id that has a word of a field's name."""
    return way.rows.family in (Family.CLASS, Family.ID) and _in_words(name, quoted_in(way.rows.path))


def at_its_label(
    name: str, best: Finder, finders: Sequence[Finder], pages: Sequence[PageView], twins: Sequence[str] = ()
) -> list[Finder]:
    """Those of the *finders* that go by a label which is the field's name, where the *best* one reads something else.

    None if that has a name of the markup's, or if no label is there on nearly all further pages that it reads. Where it
    counts elements ("the last date"), those right behind a label that say the same where they speak. Of a
    field that has another one's values on all samples, any that go by something with a word of its own name: the
    source package is called as the package is, and its link has "/source/".

    Args:
        name: of the field.
        best: the finder that came first without regard to names; all *finders* fit the samples.
        pages: further pages.
        twins: the names of the fields that have the same values on all samples.
    """
    if not twins and (led := _instead_of_counting(name, best, finders, pages)):
        return led
    named = [one for one in finders if one.family is Family.LABEL and is_called(name, one.path)]
    if twins and not named:
        told = [(one, quoted_in(one.path)) for one in finders if one.family is not Family.STRUCTURED]
        own = [(one, texts) for one, texts in told if _in_words(name, texts)]
        named = [one for one, texts in own if not any(_in_words(twin, texts) for twin in twins)]
    is_told = (best.family not in _NAMELESS and not twins) or name.casefold() in best.path.casefold()
    if not named or best in named or is_told:
        return []
    first = min(named, key=lambda one: one.cost)
    read = [(mine, first.first(page)) for page in pages if (mine := best.first(page)) is not None]
    differ = ne if twins else _differ
    other = [theirs for mine, theirs in read if theirs is not None and differ(mine, theirs)]
    silent = sum(theirs is None for _, theirs in read)
    if silent > MOST_SILENT * len(read) or any(theirs and theirs.endswith(("…", "...")) for _, theirs in read):
        return []
    return named if other and len(other) >= (0.0 if twins else _LEAST_CALLED) * len(read) else []


def under_its_heading(name: str, best: Finder, finders: Sequence[Finder], pages: Sequence[PageView]) -> list[Finder]:
    """Those of the *finders* that go by a single label with the field's name, for a field that a sample lacks; where
    no label has it, by a class or id of what they read.

    One sample with one value has it in many places by chance, and the name alone says which is meant: none if further
    pages lack it, or if the *best* one has a name of the markup's, or mostly reads the same place.
    """
    if best.family not in _NAMELESS or name.casefold() in best.path.casefold() or has_name(name, best.path):
        return []
    by_label = [one for one in finders if one.family is Family.LABEL and len(labels_in(one.path)) == 1]
    in_class = [one for one in finders if is_in_its_class(name, one)]
    for named, least in (([one for one in by_label if has_name(name, one.path)], 0.5), (in_class, _LEAST_OTHER)):
        first = min(named, key=lambda one: one.cost, default=None)
        read = [(theirs, best.every(page)) for page in pages if first and (theirs := first.every(page))]
        other = sum(not mine or _differ(letters(mine[0]), letters(theirs[0])) for theirs, mine in read)
        if other > least * len(read):
            return named
    return []


def _instead_of_counting(name: str, best: Finder, finders: Sequence[Finder], pages: Sequence[PageView]) -> list[Finder]:
    """Those right behind a label, where the best one counts elements and says the same wherever they speak.

    The label is missing where the field is: the last date, or what the eighth row says, is then another one. If the
    label does not have a word of the field's name, the rows may as well have it in other words: then what they say
    there has to be something new.
    """
    near = [one for one in finders if is_right_behind(one) and one.cut == best.cut]
    near.sort(key=lambda one: one.cost)
    named = [one for one in near if has_name(name, one.path)]
    if not near or best.family is Family.LABEL or not _COUNTED.search(best.path):
        return []
    led = named or near
    pairs = [(led[0].first(page), best.first(page)) for page in pages]
    known = {theirs for theirs, _ in pairs} - {None}
    same = all(theirs == mine for theirs, mine in pairs if theirs is not None)
    silent = [mine for theirs, mine in pairs if theirs is None]
    is_another = bool(named) or not silent or not known.issuperset(silent)
    least = OFTEN_FOUND if named else _MOSTLY
    return led if same and is_another and len(pages) - len(silent) >= least * len(pages) > 0 else []


def is_in_its_class(name: str, finder: Finder) -> bool:
    """Whether all of an element is read whose own class or id has a word of a field's name."""
    own = _OWN_CLASS.search(finder.path) if finder.family in (Family.CLASS, Family.ID) else None
    return own is not None and finder.cut == NO_AFFIXES and _in_words(name, [own[1]])


def is_called_by_its_class(name: str, finder: Any) -> bool:
    """Whether an element is read whose own class or id is a field's name but for signs: "unitPrice" of "unit_price"."""
    own = _OWN_CLASS.search(str(getattr(finder, "path", "")))
    is_whole = getattr(finder, "cut", None) == NO_AFFIXES
    return own is not None and is_whole and is_name_of(name, own[1])


def is_name_of(name: str, text: str) -> bool:
    """Whether a class or an id is a field's name but for signs and capitals."""
    return letters(text).casefold() == letters(name).casefold() != ""


def is_marked_up(name: str, finder: Finder) -> bool:
    """Whether a word of a field's name stands in a path, or names the attribute that is read."""
    return _in_words(name, [finder.path, finder.read])


def under_its_name(
    name: str,
    finders: Sequence[Finder],
    read: Callable[[Finder, PageView], Any],
    samples: Sequence[PageView],
    pages: Sequence[PageView],
) -> list[Finder]:
    """What reads, where the *finders* find nothing on further pages, behind a label that ends in the field's name.

    "Size" on both samples, "Bottle size" on others: the same way from the label to the value, and never another value
    where the finders have one. Labels that both have a word of the name have to be alike (`_is_said_in`).

    Args:
        finders: the chosen ones.
        read: gives what a finder finds on a page.
        pages: further pages.
    """

    def found_by(ways: Sequence[Finder], page: PageView) -> Any:
        return next((found for one in ways if not is_empty(found := read(one, page))), None)

    known = {page: found_by(finders, page) for page in (*samples, *pages)}
    silent = [page for page in pages if known[page] is None]
    spoken = [*samples, *(page for page in pages if known[page] is not None)]
    by_label = [(one, labels[0]) for one in finders if len(labels := labels_in(one.path)) == 1]
    if not silent or not by_label:
        return []
    counts = Counter(text for page in silent for text in _texts_called(name, page))
    for label in [text for text, _ in counts.most_common() if '"' not in text][:_MOST_LABELS]:
        for one, old in sorted(by_label, key=lambda pair: pair[0].cost):
            if name_in(name, old) and not _is_said_in(old, label):
                continue
            other = replace(one, path=one.path.replace(f'normalize-space()="{old}"', f'normalize-space()="{label}"'))
            new = [found for page in silent if (found := found_by([other], page)) is not None]
            if len(new) < max(1, _MOSTLY * counts[label]) or not _are_as_short(new, [known[page] for page in spoken]):
                continue
            if all(found_by([other], page) in (None, known[page]) for page in spoken):
                return [other]
    return []


def _is_said_in(label: str, other: str) -> bool:
    """Whether two labels end in the same word, or one has all words of the other.

    "Release date" and "Air date", "Size" and "Bottle sizes"; not "Implemented Interfaces" and "Enclosing interface".
    """
    mine, theirs = (_WORD.findall(text.casefold()) for text in (label, other))
    one, two = set(map(_stem, mine)), set(map(_stem, theirs))
    return mine[-1:] == theirs[-1:] or one <= two or two <= one


def _are_as_short(new: Sequence[Any], known: Sequence[Any]) -> bool:
    """Whether values may be a field's whose other ones are *known*: no sentence where these are names."""
    longest, usual = (max((len(text) for one in some for text in _items(one)), default=0) for some in (new, known))
    return longest <= _LONGER_TIMES * usual + _LONGER_MORE


def _items(value: Any) -> Sequence[str]:
    return [value] if isinstance(value, str) else value or []


def under_its_class(
    name: str,
    finders: Sequence[Finder],
    tried: Sequence[Finder],
    read: Callable[[Finder, PageView], Any],
    pages: Sequence[PageView],
) -> list[Finder]:
    """What reads, where a label leads to nothing on further pages, an element by its class or id.

    On the pages of another language the label is another one, the class is the same. Elsewhere that has to have the
    field's name; and it gives nothing else where the *finders* give something.

    Args:
        finders: the chosen ones.
        tried: all that fit the samples.
        read: gives what a finder finds on a page.
        pages: further pages.
    """
    known = [next((found for one in finders if not is_empty(found := read(one, page))), None) for page in pages]
    pairs = list(zip(pages, known, strict=True))
    spoken, silent = ([page for page, found in pairs if (found is None) is none] for none in (False, True))
    if finders[0].family is not Family.LABEL or not silent:
        return []
    texts = cache(_texts)
    for one in sorted(tried, key=lambda one: one.cost):
        in_class = one.family in (Family.CLASS, Family.ID) and is_named(one)
        new = [page for page in silent if not is_empty(read(one, page))] if in_class else []
        if not new or any(found is not None and read(one, page) != found for page, found in pairs):
            continue
        if _in_words(name, quoted_in(one.path)) or (spoken and _are_of_other_pages(one, new, spoken, texts)):
            return [one]
    return []


def _are_of_other_pages(
    finder: Finder,
    pages: Sequence[PageView],
    others: Sequence[PageView],
    texts: Callable[[PageView], frozenset[str]],
) -> bool:
    """Whether *pages* have hardly a text that all *others* have, as those of another language: nor what stands before
    the elements that a finder reads."""
    shared = frozenset.intersection(*map(texts, others))
    if any(2 * len(shared & texts(page)) >= len(shared) for page in pages):
        return False
    step = f"({finder.path})[1]/preceding::text()[normalize-space()][1]"
    before = {xml_fold(str(text)) for page in pages for text in select(step, page, first=True)}
    return all(before.isdisjoint(texts(page)) for page in others)


def _texts(page: PageView) -> frozenset[str]:
    return frozenset(xml_fold(text) for text in page.tree.itertext() if not text.isspace())


def _texts_called(name: str, page: PageView) -> set[str]:
    """The texts on a page that are a field's name or end in it ("Bottle size"), as they stand but for white space."""
    found = (" ".join(text.split()) for text in page.tree.itertext() if len(text.strip()) <= LONGEST_LABEL)
    wanted = _stems(name)
    return {text for text in found if wanted and _stems(text)[-len(wanted) :] == wanted}


def has_words(label: str, text: str) -> bool:
    """Whether a text has the words of a label and no others, in the singular or the plural, in capitals or not.

    >>> has_words("Event category:", "Event Categories"), has_words("Movies", "Movie"), has_words("Event", "Events of")
    (True, True, False)
    """
    return _stems(text) == _stems(label) != []


def _stems(text: str) -> list[str]:
    return [_stem(word) for word in _WORD.findall(text)]


def _differ(one: str, other: str) -> bool:
    """Whether two texts are different values, not one with more around it than the other."""
    short, long = sorted((squeeze(one), squeeze(other)), key=len)
    return short not in long


def letters(text: str) -> str:
    """The letters and digits of a text."""
    return "".join(filter(str.isalnum, text))


def is_called(name: str, path: str) -> bool:
    """Whether a label that *path* asks for says nothing but a field's name, in the singular or the plural.

    >>> is_called("returns", '//dt[text()[normalize-space()="Return:"]]/following-sibling::dd[1]')
    True
    >>> is_called("returns", '//dt[text()[normalize-space()="Return type"]]/following-sibling::dd[1]')
    False
    """
    return any(has_words(name, label) for label in labels_in(path))


def has_name(name: str, path: str) -> bool:
    """Whether a label that *path* asks for has a word of a field's name, in the singular or the plural.

    >>> has_name("constructors", '//th[text()[normalize-space()="Constructor and Description"]]/..')
    True
    >>> has_name("params", '//h2[text()[normalize-space()="Parameters"]]/following-sibling::dl')
    True
    """
    return _in_words(name, labels_in(path))


def calls(name: str, text: str) -> bool:
    """Whether a heading or a class says a field's name: among few words as one of them, however short it is.

    >>> calls("msc", "msc-classes"), calls("author", "Authors and contributors"), calls("use", "How to use it in tests")
    (True, True, False)
    """
    words = [word.casefold() for word in _WORD.findall(text)]
    return bool(name_in(name, text)) or (len(words) <= _FEW_WORDS and name.casefold() in words)


def name_in(name: str, text: str) -> str:
    """The first word of a text that is one of a field's name or begins with it, as it stands there, "" for none.

    >>> name_in("methods", "Required Methods"), name_in("params", "Template Parameters"), name_in("params", "Notes")
    ('Methods', 'Parameters', '')
    """
    return next((word for word in _WORD.findall(text) if _in_words(name, [word])), "")


def _in_words(name: str, texts: Sequence[str]) -> bool:
    words = {_stem(word) for text in texts for word in _WORD.findall(text)}
    asked = [_stem(word) for word in _WORD.findall(name) if len(word) >= LEAST_WORD]
    return any(
        word in words or (len(word) >= LONG_WORD and any(one.startswith(word) for one in words)) for word in asked
    )


def _stem(word: str) -> str:
    plain = word.casefold().removesuffix("s")
    return f"{plain[:-2]}y" if plain.endswith("ie") and len(plain) >= LEAST_WORD else plain


def _rows(ways: Sequence[RowRule], page: PageView) -> list[Any]:
    """What the first way that finds anything reads."""
    return next((found for one in ways if (found := one.read(page))), [])

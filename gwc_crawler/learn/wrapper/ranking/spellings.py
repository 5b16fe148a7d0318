"""What stands behind a label as some pages write it otherwise: "See Also" on the samples, "See also:" elsewhere."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from gwc_crawler.extract import EACH_AFTER, LEVELS, Finder, PageView, select, text_of
from gwc_crawler.items import Family, is_empty
from gwc_crawler.learn.places import labels_in
from gwc_crawler.learn.texts import LONGEST_LABEL
from gwc_crawler.learn.wrapper.ranking.named import WORD, name_in, stem, stems

_HEADED = re.compile(
    r'//(?:h[1-6]|strong|b)\[text\(\)\[normalize-space\(\)="[^"]*"\]\](?:/\.\.|/parent::[a-z0-9]+)*'
    r"(/following-sibling::\*\[1\]\[self::.*)?$"
)
"""How the path reads of a heading, or of bold words, or of what stands right behind."""
_LABEL_STEP = re.compile(r"(//)[a-z][a-z0-9]*(\[text\(\)\[normalize-space\(\)=)")
_ALONE = "not(preceding-sibling::node()[normalize-space()]) and not(following-sibling::node()[normalize-space()])"
_HAN, _LATIN = re.compile(r"[\u2e80-\u9fff]{2,}"), re.compile(r"[A-Za-z]{2,}")
_MOST_SPELLINGS = 3
_MOSTLY = 0.8
"""On so many of the pages that have a field's name for a label there must be something behind it."""
_MOST_LABELS = 8
"""So many texts that end in a field's name are tried for its label, on all pages each: the most frequent ones."""
_LONGER_TIMES, _LONGER_MORE = 3, 20
"""A text so much longer than all others of the field is a remark."""


def by_other_spellings(
    finders: Sequence[Finder],
    read: Callable[[Finder, PageView], Any],
    pages: Sequence[PageView],
) -> list[Finder]:
    """What the first of the *finders* gives by its label as some further pages write it: "See also", "See Also:".

    The same words in the singular or the plural, in capitals or not, in one language or two, in another element (a
    link), or a heading of another level, where none of the finders gives anything.
    """
    labels = labels_in(finders[0].path)
    if finders[0].family is not Family.LABEL or len(labels) != 1:
        return []
    silent = [page for page in pages if all(is_empty(read(one, page)) for one in finders)]
    beside = {text for page in pages if page not in silent for text in _texts_like(labels[0], page)}
    texts = Counter(text for page in silent for text in _texts_like(labels[0], page) - beside)
    found = []
    for text, _ in texts.most_common(_MOST_SPELLINGS):
        for step in (r"\g<0>", r"\1*\2")[: 2 if _is_written_as(text, labels[0]) else 1]:
            other = _respelled(finders[0], labels[0], text, step)
            if any(not is_empty(read(other, page)) for page in silent):
                found.append(other)
                break
    at_any_level = _at_any_level(finders[0], labels[0], pages)
    found += [one for one in at_any_level if any(not is_empty(read(one, page)) for page in silent)]
    return found


def _respelled(finder: Finder, label: str, text: str, step: str) -> Finder:
    """A finder by another label, whose element is as *step* replaces it."""
    path = finder.path.replace(f'normalize-space()="{label}"', f'normalize-space()="{text}"')
    return replace(finder, path=_LABEL_STEP.sub(step, path, count=1))


def _is_written_as(text: str, label: str) -> bool:
    """Whether a text begins with a capital, and ends with a sign, where a label does: then it may be one.

    So may one with a colon behind it.
    """
    ends_so = text[-1].isalnum() is label[-1].isalnum() or text.endswith((":", "："))
    return text[0].isupper() is label[0].isupper() and ends_so


def _at_any_level(finder: Finder, label: str, pages: Sequence[PageView]) -> list[Finder]:
    """The finder of what stands below a heading, whatever level that has, or bold words alone in their paragraph.

    [] where a page has several: then it heads parts of the page as well.
    """
    headed = _HEADED.match(finder.path)
    if headed is None or bool(headed[1]) is finder.read.startswith(("after:", EACH_AFTER)):
        return []
    levels = " or ".join(f"parent::{tag}" for tag in sorted(LEVELS))
    bold = f"(parent::strong or parent::b) and ../../self::p and parent::*[{_ALONE}]"
    text = f'//text()[normalize-space()="{label}"][{levels} or ({bold})]'
    if any(len(select(text, page)) > 1 for page in pages):
        return []
    return [replace(finder, path=f"{text}/ancestor::*[following-sibling::*][1]{headed[1] or ''}")]


def _texts_like(label: str, page: PageView) -> set[str]:
    """The texts on a page with the words of a label, written otherwise, or in two languages as others there are."""
    found = (" ".join(text.split()) for text in page.tree.itertext() if len(text.strip()) <= LONGEST_LABEL)
    others = {text for text in found if text != label and '"' not in text}
    headings = {" ".join(text_of(one).split()) for one in page.tree.iter(*LEVELS)}
    in_two = {text for text in (label, *headings) if _HAN.search(text) and _LATIN.search(text)}
    are_usual = label in in_two or len(in_two) > 1
    translated = {text for text in others & headings if are_usual and _are_translated(label, text)}
    return translated | {text for text in others if stems(text) == stems(label) != []}


def _are_translated(label: str, other: str) -> bool:
    """Whether one of two labels has two languages, and the other the words of one of these.

    >>> [_are_translated("描述", one) for one in ("DESCRIPTION 描述", "描述 2", "描述信息 Notes")]
    [True, False, False]
    """
    pairs = [("".join(_HAN.findall(text)), "".join(_LATIN.findall(text)).casefold()) for text in (label, other)]
    return any(map(all, pairs)) and any(mine == theirs != "" for mine, theirs in zip(*pairs, strict=True))


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
    mine, theirs = (WORD.findall(text.casefold()) for text in (label, other))
    one, two = set(map(stem, mine)), set(map(stem, theirs))
    return mine[-1:] == theirs[-1:] or one <= two or two <= one


def _are_as_short(new: Sequence[Any], known: Sequence[Any]) -> bool:
    """Whether values may be a field's whose other ones are *known*: no sentence where these are names."""
    longest, usual = (max((len(text) for one in some for text in _items(one)), default=0) for some in (new, known))
    return longest <= _LONGER_TIMES * usual + _LONGER_MORE


def _items(value: Any) -> Sequence[str]:
    return [value] if isinstance(value, str) else value or []


def _texts_called(name: str, page: PageView) -> set[str]:
    """The texts on a page that are a field's name or end in it ("Bottle size"), as they stand but for white space."""
    found = (" ".join(text.split()) for text in page.tree.itertext() if len(text.strip()) <= LONGEST_LABEL)
    wanted = stems(name)
    return {text for text in found if wanted and stems(text)[-len(wanted) :] == wanted}

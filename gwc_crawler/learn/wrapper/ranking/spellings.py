"""What stands behind a label as some pages write it otherwise: "See Also" on the samples, "See also:" elsewhere."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from gwc_crawler.extract import EACH_AFTER, LEVELS, Finder, PageView, select, text_of
from gwc_crawler.extract.fields import is_empty
from gwc_crawler.items import Family
from gwc_crawler.learn.places import labels_in
from gwc_crawler.learn.texts import LONGEST_LABEL
from gwc_crawler.learn.wrapper.judging import has_words
from gwc_crawler.learn.wrapper.ranking.finer import as_it_should_be

_HEADED = re.compile(
    r'//(?:h[1-6]|strong|b)\[text\(\)\[normalize-space\(\)="[^"]*"\]\](?:/\.\.|/parent::[a-z0-9]+)*'
    r"(/following-sibling::\*\[1\]\[self::.*)?$"
)
"""How the path reads of a heading, or of bold words, or of what stands right behind."""
_LABEL_STEP = re.compile(r"(//)[a-z][a-z0-9]*(\[text\(\)\[normalize-space\(\)=)")
_ALONE = "not(preceding-sibling::node()[normalize-space()]) and not(following-sibling::node()[normalize-space()])"
_HAN, _LATIN = re.compile(r"[\u2e80-\u9fff]{2,}"), re.compile(r"[A-Za-z]{2,}")
_MOST_SPELLINGS = 3


def by_other_spellings(
    finders: Sequence[Finder],
    read: Callable[[Finder, PageView], Any],
    pages: Sequence[PageView],
    lists: Sequence[Finder] = (),
) -> list[Finder]:
    """What the first of the *finders* gives by its label as some further pages write it: "See also", "See Also:".

    The same words in the singular or the plural, in capitals or not, in one language or two, in another element (a
    link), or a heading of another level, where none of the finders gives anything. Behind "Directors" stand several,
    behind the samples' "Director" one alone: there the other ways to the samples' *lists* tell the items apart.
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
            spell = partial(_respelled, label=labels[0], text=text, step=step)
            other = spell(finders[0])
            if speaking := [page for page in silent if not is_empty(read(other, page))]:
                found.append(as_it_should_be([other], list(map(spell, lists)), speaking)[0] if lists else other)
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
    return translated | {text for text in others if has_words(label, text)}


def _are_translated(label: str, other: str) -> bool:
    """Whether one of two labels has two languages, and the other the words of one of these.

    >>> [_are_translated("描述", one) for one in ("DESCRIPTION 描述", "描述 2", "描述信息 Notes")]
    [True, False, False]
    """
    pairs = [("".join(_HAN.findall(text)), "".join(_LATIN.findall(text)).casefold()) for text in (label, other)]
    return any(map(all, pairs)) and any(mine == theirs != "" for mine, theirs in zip(*pairs, strict=True))

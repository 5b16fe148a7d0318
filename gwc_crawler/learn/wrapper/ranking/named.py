"""Match a field's name to labels and classes: "constructors" and "Constructor and Description", "unit_price".

Source:
    None; the names that people give to fields are a source of their own, as in attribute labelling of web tables
    (Cafarella et al., "WebTables", 2008).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import chain

from gwc_crawler.extract.locator import Locator
from gwc_crawler.extract.page_view import PageView
from gwc_crawler.learn.degrees import A_HANDFUL, LABEL_LENGTH, MANY, MOST, SEVERAL, SHORT_WORD
from gwc_crawler.learn.places.steps import labels_in
from gwc_crawler.learn.texts.text_index import xml_fold

WORD = re.compile(r"[^\W\d_]+")


def letters(text: str) -> str:
    """Return the letters and digits of a text."""
    return "".join(filter(str.isalnum, text))


def has_name(name: str, path: str) -> bool:
    """Say whether a label that *path* asks for has a word of a field's name, in the singular or the plural.

    >>> has_name("constructors", '//th[text()[normalize-space()="Constructor and Description"]]/..')
    True
    >>> has_name("params", '//h2[text()[normalize-space()="Parameters"]]/following-sibling::dl')
    True
    """
    return _in_words(name, labels_in(path))


def calls(name: str, text: str) -> bool:
    """Say whether a heading or a class says a field's name: among few words as one of them, however short it is.

    >>> calls("msc", "msc-classes"), calls("author", "Authors and contributors"), calls("use", "How to use it in tests")
    (True, True, False)
    """
    words = [word.casefold() for word in WORD.findall(text)]
    return bool(name_in(name, text)) or (len(words) <= SEVERAL and name.casefold() in words)


def name_in(name: str, text: str) -> str:
    """Return the first word of a text that is one of a field's name or begins with it, as it stands there, "" for none.

    >>> name_in("methods", "Required Methods"), name_in("params", "Template Parameters"), name_in("params", "Notes")
    ('Methods', 'Parameters', '')
    """
    return next((word for word in WORD.findall(text) if _in_words(name, [word])), "")


def _in_words(name: str, texts: Sequence[str]) -> bool:
    words = {stem(word) for text in texts for word in WORD.findall(text)}
    asked = [stem(word) for word in WORD.findall(name) if len(word) > SHORT_WORD]
    return any(
        word in words or (len(word) >= A_HANDFUL and any(one.startswith(word) for one in words)) for word in asked
    )


def stem(word: str) -> str:
    """Return a word in small letters, in the singular."""
    plain = word.casefold().removesuffix("s")
    return f"{plain[:-2]}y" if plain.endswith("ie") and len(plain) > SHORT_WORD else plain


def under_its_name(
    name: str, locators: Sequence[Locator], samples: Sequence[PageView], more: Sequence[PageView]
) -> list[Locator]:
    """Return the locator by a label as pages without a value write it: "Bottle size" on samples, "Size" on others.

    Both labels end in the field's name, and the samples' in the other one ("Old price" for "Price" is another thing),
    or it leads to lists that theirs leads to, too. Behind it something stands on most pages that have it, and nothing
    on samples or pages that the locators speak on.
    """
    called = _stems(name)
    by_label = [(one, labels[0]) for one in locators if len(labels := labels_in(one.path)) == 1]
    by_label = [(one, label) for one, label in by_label if called and _stems(label)[-len(called) :] == called]
    silent = [page for page in more if not any(one.every(page) for one in locators)] if by_label else []
    texts = chain.from_iterable({*map(xml_fold, page.tree.itertext())} for page in silent)
    others = Counter(text for text in texts if '"' not in text and _stems(text)[-len(called) :] == called)
    for label, count in others.most_common(MANY):
        for one, old in by_label:
            other = replace(one, path=one.path.replace(f'normalize-space()="{old}"', f'normalize-space()="{label}"'))
            usual, found = ({at: read for at in (*samples, *more) if (read := by.every(at))} for by in (one, other))
            is_shorter = _stems(old)[-len(_stems(label)) :] == _stems(label)
            is_usual = found.keys() <= {*silent} and len(found) >= MOST * count
            if is_usual and (is_shorter or _are_the_same_lists(usual.values(), found.values())):
                return [other]
    return []


def _are_the_same_lists(usual: Iterable[Sequence[str]], found: Collection[Sequence[str]]) -> bool:
    lists = [[*map(letters, read)] for read in usual if len(read) > 1]
    return sum([*map(letters, read)] in lists for read in found) >= MOST * len(found)


def _stems(text: str) -> list[str]:
    return [stem(word) for word in WORD.findall(text)] if len(text) <= LABEL_LENGTH else []

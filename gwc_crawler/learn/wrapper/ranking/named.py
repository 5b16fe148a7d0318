"""What a field's name says of labels and classes: "constructors" and "Constructor and Description", "unit_price".

Source:
    None; the names that people give to fields are a source of their own, as in attribute labelling of web tables
    (Cafarella et al., "WebTables", 2008).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gwc_crawler.learn.places.steps import labels_in

LEAST_WORD = 4
"""Characters of a word that is looked for in labels; shorter ones stand in many."""
LONG_WORD = 5
"""Characters of a word that may as well begin another: "params" and "Parameters", "implements" and "Implemented"."""
_FEW_WORDS = 3
"""A text of so many words says what a field is called, though one is short."""
WORD = re.compile(r"[^\W\d_]+")


def letters(text: str) -> str:
    """The letters and digits of a text."""
    return "".join(filter(str.isalnum, text))


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
    words = [word.casefold() for word in WORD.findall(text)]
    return bool(name_in(name, text)) or (len(words) <= _FEW_WORDS and name.casefold() in words)


def name_in(name: str, text: str) -> str:
    """The first word of a text that is one of a field's name or begins with it, as it stands there, "" for none.

    >>> name_in("methods", "Required Methods"), name_in("params", "Template Parameters"), name_in("params", "Notes")
    ('Methods', 'Parameters', '')
    """
    return next((word for word in WORD.findall(text) if _in_words(name, [word])), "")


def _in_words(name: str, texts: Sequence[str]) -> bool:
    words = {stem(word) for text in texts for word in WORD.findall(text)}
    asked = [stem(word) for word in WORD.findall(name) if len(word) >= LEAST_WORD]
    return any(
        word in words or (len(word) >= LONG_WORD and any(one.startswith(word) for one in words)) for word in asked
    )


def stem(word: str) -> str:
    """A word in small letters, in the singular."""
    plain = word.casefold().removesuffix("s")
    return f"{plain[:-2]}y" if plain.endswith("ie") and len(plain) >= LEAST_WORD else plain

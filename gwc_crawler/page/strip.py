"""HTML → HTML reduced to structure and text (TagStrip, algorithm 1); called last on a tree. The content of `noscript`
stays."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from lxml import etree
from lxml.html.defs import tags as TAGS  # a constant

from gwc_crawler.errors import InputError
from gwc_crawler.page.parse import parse_html
from gwc_crawler.page.walks import walk

STRIP_GROUPS: Mapping[str, tuple[str, ...]] = {
    "head": ("head", "title", "meta", "style"),
    "scripts": ("script",),
    "forms": ("input", "select", "option"),
    "empty": (),
    "others": ("object", "param", "img", "br"),
}
"""The paper's five groups → their tags. The doctype and comments are gone whatever is asked for: the parser leaves them
out. "empty" are text nodes of nothing but white space."""

_WHOLE = frozenset({"html", "body"})  # without them nothing would be left

_CUSTOM_TAG = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+")


@dataclass(frozen=True, slots=True)
class StripOptions:
    """The elements that are deleted with their content, and whether text nodes of white space are."""

    tags: tuple[str, ...] = tuple(tag for tags in STRIP_GROUPS.values() for tag in tags)
    empty_texts: bool = True

    @classmethod
    def of(cls, words: Iterable[str]) -> StripOptions:
        """Return the options for names of groups, and of tags; InputError says what was likely meant.

        >>> StripOptions.of(["scripts", "empty", "svg"])
        StripOptions(tags=('script', 'svg'), empty_texts=True)
        """
        chosen = [word.strip().lower() for word in words if word.strip()]
        for word in chosen:
            if word in _WHOLE:
                raise InputError(f"stripping {word!r} would leave nothing of a page; name what is to go from it")
            if not (word in STRIP_GROUPS or word in TAGS or _CUSTOM_TAG.fullmatch(word)):
                near = get_close_matches(word, [*STRIP_GROUPS, *sorted(TAGS)], 1)
                meant = f"; did you mean {near[0]!r}?" if near else ""
                raise InputError(f"{word!r} is no group ({', '.join(STRIP_GROUPS)}) and no tag of HTML{meant}")
        tags = dict.fromkeys(tag for word in chosen for tag in STRIP_GROUPS.get(word, (word,)))
        return cls(tuple(tags), "empty" in chosen)


_EMPTY_TEXT = re.compile(r">\s+<")
"""In serialised HTML this is an empty text node: "<" and ">" of texts and attributes are escaped, scripts are gone."""


def strip_tags(html: str | bytes, groups: Iterable[str] | None = None) -> str:
    """Strip a page of *groups* (`STRIP_GROUPS`) and further tags, None: of all five groups; InputError: there is no
    such.

    >>> strip_tags("<title>x</title><p>One<br>two <!-- no --> <b>three</b> </p> <script>4</script>")
    '<html><body><p>Onetwo  <b>three</b></p></body></html>'
    """
    return strip_tree(parse_html(html), ALL_GROUPS if groups is None else StripOptions.of(groups))


ALL_GROUPS = StripOptions()


def strip_tree(tree: Any, options: StripOptions = ALL_GROUPS) -> str:
    """Strip a parsed page and serialise what is left; *tree* is consumed: nobody may use it afterwards.

    Source:
        TagStrip, algorithm 1. Nothing is deleted, so no index can slip while deleting: the page is written without it
        in one walk (`walks`). Where scripts or styles are kept, and without the walk in C, libxml2 deletes all tags,
        and empty text nodes go from the serialised form, where one regular expression finds all.
    """
    fast: str | None = walk.stripped(tree, options.tags, options.empty_texts) if walk else None
    if fast is not None:
        return fast
    if options.tags:
        etree.strip_elements(tree, *options.tags, with_tail=False)
    html = etree.tostring(tree, encoding="utf-8", method="html", with_tail=False).decode()  # faster than "unicode"
    return _EMPTY_TEXT.sub("><", html) if options.empty_texts else html

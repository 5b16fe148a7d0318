"""Tree → the text that a reader sees: the visible text, and the text outside links.

Block elements set words apart, inline ones don't, scripts and their like are left out. One walk in C (`walks`); without
it, and for unusual trees, one inside libxslt, which says these rules as templates."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from hashlib import blake2b
from typing import Any

from lxml import etree

from gwc_crawler.field_types.table import RAW
from gwc_crawler.items import Page, PageKind, Record
from gwc_crawler.page.walks import HIDDEN, INLINE, walk

_HIDDEN_TAGS = frozenset(HIDDEN.split("|"))
_BREAK = "\x7f"  # ends a block in the paragraph walk: the control character that XML allows and text never has

_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
WIDE_COUNTS = 2.5


@cache
def _xslt(*templates: str) -> etree.XSLT:
    """Compile a walk over visible texts; *templates* say what block elements and links leave behind."""
    return etree.XSLT(
        etree.fromstring(f"""
            <xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
              <xsl:output method="text"/>
              <xsl:template match="/">
                <xsl:variable name="text"><xsl:apply-templates/></xsl:variable>
                <xsl:value-of select="normalize-space($text)"/>
              </xsl:template>
              <xsl:template match="{INLINE}"><xsl:apply-templates/></xsl:template>
              <xsl:template match="{HIDDEN}"/>
              {"".join(templates)}
            </xsl:stylesheet>""")
    )


def _block(mark: str) -> str:
    text = f"<xsl:text>{mark}</xsl:text>"
    return f'<xsl:template match="*">{text}<xsl:apply-templates/>{text}</xsl:template>'


_VISIBLE = (_block(" "),)
_OUTSIDE_LINKS = (_block(_BREAK), '<xsl:template match="a[@href]" priority="1"><xsl:text> </xsl:text></xsl:template>')

_OTHER_SPACES = "\xa0\u3000\u2002\u2003\u2028"  # white space that XPath's normalize-space leaves alone


def visible_text(tree: Any) -> str:
    """Return the text of the body without scripts, styles, templates and fallbacks, white space folded."""
    text = walk.folded_text(tree, " ", True) if walk else None
    if text is None:
        try:
            text = str(_xslt(*_VISIBLE)(tree))
        except etree.XSLTApplyError:  # more than some thousand levels of nesting
            return fold(" ".join(_deep_texts(tree, skipped=_HIDDEN_TAGS)))
    if text.isascii():
        return text
    return fold(text) if any(space in text for space in _OTHER_SPACES) else text


def text_outside_links(tree: Any) -> str:
    """Return the visible text without that of `a[href]`; keywords are searched for in it (GWC, *Initialise*, 1)."""
    return " ".join(paragraphs_outside_links(tree))


def paragraphs_outside_links(tree: Any, least: int = 1) -> list[str]:
    """Return the text outside links, cut at blocks; pieces of fewer than *least* characters are left out."""
    text = walk.folded_text(tree, _BREAK, False) if walk else None
    if text is None:
        try:
            text = str(_xslt(*_OUTSIDE_LINKS)(tree))
        except etree.XSLTApplyError:
            folded = map(fold, _deep_texts(tree, skipped=_HIDDEN_TAGS | {"a"}))
            return [line for line in folded if len(line) >= least]
    lines = [line for line in text.split(_BREAK) if len(line) >= least]
    if not text.isascii() and any(space in text for space in _OTHER_SPACES):
        lines = [line if line.isascii() else fold(line) for line in lines]
    return [stripped for line in lines if len(stripped := line.strip()) >= least]


def fold(text: str) -> str:
    """Fold every run of white space (also no-break and ideographic) into one blank, none at the ends.

    >>> fold(" From\\xa0Dead\\n to  Worse ")
    'From Dead to Worse'
    """
    return " ".join(text.split())


def _deep_texts(tree: Any, skipped: frozenset[str]) -> list[str]:
    """Return the texts of a tree too deep for libxslt's recursion, without those inside the *skipped* tags."""
    texts = []
    walk = etree.iterwalk(tree, events=("start", "end"))
    for event, element in walk:
        if event == "end":
            texts.append(element.tail)
        elif element.tag in skipped:
            walk.skip_subtree()
        else:
            texts.append(element.text)
    return [text for text in texts if text]


# --- What matters on a page, as one number: two fetches with the same number count as unchanged -----------------------

_ENCODER = json.JSONEncoder(sort_keys=True)
"""Kept: `json.dumps` with options makes one for each call, which takes longer than a record."""

_DIGITS = b"0123456789"

_OF_LINKS = frozenset({PageKind.DIRECTORY, PageKind.INDEX})


def content_signature(page: Page, record: Record | None = None) -> int:
    """Return 64 bits (signed) that stand for the content of a page that a crawl wants.

    - A page with a record: the values. Not its text, links or mark-up: an advert, a new layout, "seen by 5 others now"
      change no value. For a typed value not its text: "3 days ago" is "4 days ago" tomorrow, the date is the same.
    - A page that leads on (directory, index): the set of admitted links. Their order, captions and surroundings change
      by the minute on many sites; for a crawl only a new link is news.
    - Any other page of HTML: its visible text without digits, which leaves dates, counters and clocks out.
    - A file that is not HTML: its bytes.

    Cost: 3 to 50 µs.
    """
    if record is not None and record.rejected is None:
        return _digest(_ENCODER.encode(_lasting(record.fields)))
    if page.kind in _OF_LINKS and page.admitted:
        return _digest("\n".join(sorted(page.admitted)))
    if page.kind in (PageKind.BINARY, PageKind.SITEMAP):
        return _digest(page.body)
    # digits go from the bytes: from a text that is not ASCII that takes two hundred times as long
    return _digest(page.text.encode("utf-8", "surrogatepass").translate(None, _DIGITS))


def _lasting(value: Any) -> Any:
    """Return a value without the raw texts beside typed values, at any depth."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        raw = {name for name in value if name.endswith(RAW) and value.get(name.removesuffix(RAW)) is not None}
        return {name: _lasting(part) for name, part in value.items() if name not in raw}
    if isinstance(value, list):
        return [_lasting(part) for part in value]
    return value


def _digest(content: str | bytes) -> int:
    data = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "big", signed=True)


# --- Whether a page says anything that no page before has said: an endless calendar doesn't ---------------------------

_SENTENCE = re.compile(r"[.!?\u3002\uff01\uff1f;:|]+")
SENTENCES = 1_000_000  # sentences that are remembered; then all are forgotten, and every sentence is new again


class Sentences:
    """The sentences that the pages of a crawl have had so far, without digits."""

    def __init__(self) -> None:
        self._said: set[int] = set()

    def mark(self, text: str) -> int:
        """Return a number that stands for the new sentences of a visible text; 0 if there are none."""
        plain = text.encode("utf-8", "surrogatepass").translate(None, _DIGITS).decode("utf-8", "surrogatepass")
        new = {hash(one) for one in map(str.strip, _SENTENCE.split(plain)) if one} - self._said
        if len(self._said) > SENTENCES:
            self._said.clear()
        self._said |= new
        return hash(frozenset(new)) if new else 0


def text_weight(text: str) -> float:
    """Return how many signs a text counts for: a Chinese, Japanese or Korean one for two and a half.

    >>> text_weight("book"), text_weight("书")
    (4, 2.5)
    """
    return len(text) if text.isascii() else len(text) + (WIDE_COUNTS - 1) * len(_WIDE.findall(text))

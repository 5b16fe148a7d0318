"""Tree → what a reader sees: the visible text, and the text outside links.

Block elements set words apart, inline ones (`<em>中</em>国`) don't, scripts and their like are left out. One walk in C
(`walks`); without it, and for unusual trees, one inside libxslt, which says these rules as templates.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from lxml import etree

from gwc_crawler.page.walks import HIDDEN, INLINE, walk

_HIDDEN_TAGS = frozenset(HIDDEN.split("|"))
_BREAK = "\x7f"
"""Ends a block in the paragraph walk: the control character that XML allows and text never has."""


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
_OUTSIDE_LINKS = (
    _block(_BREAK),
    '<xsl:template match="a[@href]" priority="1"><xsl:text> </xsl:text></xsl:template>',
)

_OTHER_SPACES = "\xa0\u3000\u2002\u2003\u2028"
"""White space that XPath's normalize-space leaves alone."""


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
    """Return the visible text without that of `a[href]`: keywords are looked for here.

    Source:
        GWC, *Initialise*, step 1: link captions don't count.
    """
    return " ".join(paragraphs_outside_links(tree))


def paragraphs_outside_links(tree: Any, least: int = 1) -> list[str]:
    """Return the text of `text_outside_links` cut where block elements begin and end.

    Args:
        least: paragraphs with fewer characters are left out; most of a page's are short.
    """
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
    """Make every run of white space one space and take it off the ends."""
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

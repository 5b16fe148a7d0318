"""What stands behind a label in running text: lines behind one of their own, paragraphs behind a bold one. lxml in."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from gwc_crawler.extract.fields import fold
from gwc_crawler.extract.nodes.sections import LONGEST_LINE
from gwc_crawler.extract.nodes.texts import BREAKS, COLONS, UNSEEN, child_elements, text_of, text_of_raw

_MARK = "[◎●■◆★☆※▲△○□◇·•▪►▶]"
"""Signs with which each line of a list of facts may begin."""
SPACED_LABEL = (
    rf"(?:{_MARK} ?[^\W\d_]{{2,8}}|{_MARK}? ?[\u4e00-\u9fff](?:[\u3000\xa0 ]{{1,4}}[\u4e00-\u9fff]){{1,3}})(?=\u3000)"
)
"""A label without a colon, which a wide blank sets apart: "◎导　　演　", "◎上映日期　"."""

_PROSE = frozenset({"blockquote", "dl", "ol", "p", "pre", "table", "ul"})
_WIDE_BLANK = "\u3000"
_LABEL = re.compile(
    rf"(?=({_MARK}?))(?:{SPACED_LABEL}|{_MARK}? ?[^\W\d_][^\s:：]{{0,19}}(?: [^\s:：]{{1,19}}){{0,2}} ?[:：](?!//))"
)
"""How a line begins that says what follows: up to a colon or a wide blank (one is put behind a line for it)."""


def labelled(found: Any) -> list[str]:
    """The lines behind a label: of a text that begins with one, or behind an element with which a paragraph begins."""
    return _labelled_lines(found) if hasattr(found, "is_tail") else _labelled_paragraphs(found)


def _labelled_lines(text: Any) -> list[str]:
    """What follows up to the next line with a label, or a block; [] for a text that begins with none.

    Lines behind "◎主　演　" end at one that begins with the same mark, those behind "Cast:" at any other label.
    """
    raw = str(text).strip()
    label = _LABEL.match(raw + _WIDE_BLANK)
    if label is None:
        return []
    mark, parent = label[1], text.getparent()
    lines, line = [], [raw[label.end() :]]
    for one in parent.itersiblings() if text.is_tail else parent.iterchildren():
        begins = not any(map(str.strip, line))
        if one.tag in BREAKS:
            lines.append(fold("".join(line)))
            line, begins = [], True
            if one.tag != "br":
                break
        elif begins and not mark and _parted_by(one) == ":":
            break
        else:
            line.append(_text_within(one))
            begins = begins and not line[-1].strip()
        tail = (one.tail or "").strip()
        if begins and tail and (tail.startswith(mark) if mark else _LABEL.match(tail + _WIDE_BLANK)):
            break
        line.append(one.tail or "")
    return _filled([*lines, fold("".join(line))])


def _labelled_paragraphs(label: Any) -> list[str]:
    """The rest of a paragraph and those that follow it, up to a heading or one that begins with such an element.

    So does a line within the paragraph that begins with one: then only what stands before it is meant.
    """
    way, block = _parted_by(label), label.getparent()
    parts = [label.tail or ""]
    for one in label.itersiblings():
        begins = one.getprevious().tag == "br" and not (one.getprevious().tail or "").strip()
        if begins and one.tag == label.tag and _parted_by(one) == way:
            return _filled([_rest(parts)])
        parts += [" " if one.tag == "br" else _text_within(one), one.tail or ""]
    found = [_rest(parts)]
    for one in block.itersiblings("*") if block.tag == "p" else ():
        first = None if (one.text or "").strip() else next(child_elements(one), None)
        if one.tag not in _PROSE or (first is not None and first.tag == label.tag and _parted_by(first) == way):
            break
        found.append(text_of(one, apart=True))
    return _filled(found)


def _parted_by(label: Any) -> str:
    """What parts an element with which a line begins from what follows: ":", "br" for a line break, "" for nothing."""
    tail, behind = (label.tail or "").strip(), label.getnext()
    text = text_of(label) if isinstance(label.tag, str) else ""
    if text and len(text) <= LONGEST_LINE and (text.endswith(COLONS) or tail.startswith(COLONS)):
        return ":"
    return "br" if not tail and behind is not None and behind.tag == "br" else ""


def _text_within(one: Any) -> str:
    return text_of_raw(one) if isinstance(one.tag, str) and one.tag not in UNSEEN else ""


def _rest(parts: Iterable[str]) -> str:
    return fold("".join(parts)).lstrip(":： ")


def _filled(lines: Iterable[str]) -> list[str]:
    return [line for line in lines if line]

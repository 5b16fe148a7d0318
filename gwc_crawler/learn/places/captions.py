"""Labels that stand below their values, alone with them in a box: `<b>290</b><i>visits</i>`."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from gwc_crawler.learn.places.steps import step_name
from gwc_crawler.learn.texts import Chunk, Shared, TextIndex

CAPTIONED = "/preceding-sibling::node()[normalize-space()][1][self::"
"""How the path goes on from the label below a value."""
_LEAST_OTHERS, _NEAR = 2, 6
"""So many boxes with other captions have to stand among so many elements before and behind one."""


@dataclass(frozen=True, slots=True)
class Caption:
    """A label below its value, alone with it in a box: `<b>290</b><i>visits</i>`."""

    chunk: Chunk
    top: Any
    """What of the label's side stands in the box; None where that is the label itself, as a bare text."""
    beside: Any
    """The same of the value's side."""


def caption_of(node: Any, span: tuple[int, int], index: TextIndex, shared: Shared, scope: Any = None) -> Caption | None:
    """The label right behind a value, if a box holds the two and nothing else; None for none.

    What the record itself has twice is a unit; "No. 3" is another value.

    Args:
        node: the value's element, or that of its text.
        span: where the value stands in the page's text.
        scope: a row's, where each row may have the label.
    """
    if span[0] >= span[1]:
        return None
    number = index.chunk_at(span[1] - 1) + 1
    chunk = index.chunks[number] if number < len(index.chunks) else None
    if chunk is None or chunk.start != span[1] or any(map(str.isdigit, chunk.text)) or not shared.is_label(chunk):
        return None
    if scope is None and shared.is_ambiguous(chunk) and not shared.boxes_of_others(chunk):
        return None
    above = [node, *node.iterancestors()]
    box = next((one for one in (chunk.parent, *chunk.parent.iterancestors()) if one in above), None)
    if box is None or index.spans.get(box) != (span[0], chunk.end):
        return None
    if scope is None and not stands_among_others(box, chunk.text):
        return None
    label = [] if chunk.parent is box else [chunk.parent, *chunk.parent.iterancestors()]
    top, beside = (next((one for one in some if one.getparent() is box), None) for some in (label, above))
    return Caption(chunk, top, beside)


def stands_among_others(box: Any, caption: str, least: int = _LEAST_OTHERS) -> bool:
    """Whether several boxes of the same form stand beside one, with other captions: a status below a price is none."""
    form = box.tag, box.get("class")
    near = chain(islice(box.itersiblings(preceding=True), _NEAR), islice(box.itersiblings(), _NEAR))
    others = ([text for text in one.itertext() if text.strip()] for one in near if (one.tag, one.get("class")) == form)
    captions = {texts[-1].strip() for texts in others if len(texts) > 1}
    return len(captions - {caption.strip()}) >= least


def back_from(caption: Caption, says: str, lead: str) -> str:
    """The XPath of what of a caption stands beside its value: a text, an element, or one around that.

    Args:
        says: tests for the label's text.
        lead: begins the path.
    """
    if caption.top is None:
        return f"{lead}//text()[{says}]"
    climb, label = "", caption.chunk.parent
    while label is not caption.top:
        label, climb = label.getparent(), f"{climb}/.."
    return f"{lead}//{step_name(caption.chunk.parent)}[text()[{says}]]{climb}"

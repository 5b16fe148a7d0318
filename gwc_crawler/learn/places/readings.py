"""How much around a value belongs to it: what further pages show of a reading that fits all samples.

In: a finder that gives the samples' values, and further pages (or records). Out: the same finder, or one that reads on
over the paragraphs that follow, sets blocks apart, or leaves out what stands beside the value on some pages only.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from gwc_crawler.extract import (
    AS_SHOWN,
    ENUMERATION,
    LEVELS,
    NO_AFFIXES,
    RUN,
    RUNNING,
    SENTENCE_END,
    Finder,
    PageView,
    Run,
    child_elements,
    is_like_number,
    run_of,
    select,
    text_of,
)
from gwc_crawler.extract.fields import fold, same_text, squeeze
from gwc_crawler.items import Family
from gwc_crawler.learn.places.places import LEAST_PROSE, RUN_TAGS
from gwc_crawler.learn.places.steps import form_step, with_test
from gwc_crawler.learn.texts import ExampleContext

Spot = tuple[PageView, Any]
"""A page and what of it is read: None for all, or a record."""
READ_WHOLE = ("text", "apart")
HAS_TEXT = 'translate(normalize-space(),"\u00a0 ","")'
"""The test for an element that is not blank."""

LONG = 100
LONG_SENTENCES = 60
"""Characters from which on, on average, a page's texts are whole descriptions; if all have several sentences, fewer."""
BADGES = frozenset({"a", "abbr", "b", "button", "em", "i", "label", "mark", "small", "span", "strong", "sub", "sup"})
NAMES = BADGES | {"cite", "code", "dfn", "kbd", "samp", "tt", "var"}
"""Elements that may enumerate names."""
_SIGNS = frozenset("*&[] ")
"""What makes a pointer, a reference or an array of a type."""
_WHOLE = frozenset({"dt", "th"})
LONGEST_NAMED = 120
"""Characters up to which a text is taken for a name that badges may stand beside."""
LONGEST_BADGE = 20
LEAST_BADGES = 2
MOST_DIFFERENT = 0.5
"""At most this share of a badge's texts differ: "New", "Sale", "New"."""
STRUCK, MOST_INSIDE = frozenset({"del", "s", "strike"}), 40
_NOTE = re.compile(r"\[\s*(?:\w{1,2}|\w+ \d+)\s*\]")
"""What the mark of a footnote says: "[1]", "[a]", "[note 2]"."""
ACTIONS = frozenset({"a", "button", "input", "label", "select"})


def fitting_reading(finder: Finder, contexts: Sequence[ExampleContext], further: Sequence[Spot]) -> Finder:
    """The finder as further pages show that it should read; it gives the same on all samples."""
    if finder.family is Family.STRUCTURED or finder.split or finder.read not in READ_WHOLE:
        return finder
    if finder.cut != NO_AFFIXES:
        return finder if finder.cut.after or finder.cut.sentence else _with_its_line(finder, contexts, further)
    finder = _with_its_line(_past_empty(finder, contexts, further), contexts, further)
    finder = _enumerating(_reading_on(finder, contexts, further), contexts, further)
    finder = _without_struck(_of_its_cell(finder, contexts, further), contexts, further)
    finder = _without_badges(_set_apart(finder, contexts, further), contexts, further)
    return _without_notes(finder, contexts, further)


def width(text: str) -> int:
    """How many characters a text is wide; a Chinese or Japanese one says as much as two letters."""
    return len(text) + sum(sign >= "\u2e80" for sign in text)


def is_prose(contexts: Sequence[ExampleContext]) -> bool:
    """Whether the wanted texts are sentences rather than names."""
    present = [one.wanted for one in contexts if not one.empty]
    return sum(map(width, present)) >= LEAST_PROSE * len(present) > 0


def is_long(contexts: Sequence[ExampleContext]) -> bool:
    """Whether the wanted texts are whole descriptions: of a page's single sentence the first paragraph may be meant.

    In a record, where there is less to tell apart, prose is enough.
    """
    present = [one.wanted for one in contexts if not one.empty]
    if contexts[0].scope is not None:
        return is_prose(contexts)
    mean = sum(map(width, present)) / max(1, len(present))
    several = all(len(SENTENCE_END.findall(text)) > 1 for text in present)
    return mean >= LONG or (several and mean >= LONG_SENTENCES)


def _gives_the_same(finder: Finder, contexts: Sequence[ExampleContext]) -> bool:
    found = [(finder.first(one.at.page, one.scope) or "", one.wanted or "") for one in contexts]
    return all(same_text(value, wanted) for value, wanted in found)


def _past_empty(finder: Finder, contexts: Sequence[ExampleContext], further: Sequence[Spot]) -> Finder:
    """A finder of a paragraph; where further pages have empty ones before it, of the first that has a text."""
    path, first = (finder.path.removesuffix("[1]"), "[1]") if finder.path.endswith("[1]") else (finder.path, "")
    with_text = replace(finder, path=f"{with_test(path, HAS_TEXT)}{first}")
    pairs = [(select(finder.path, *spot, first=True), spot) for spot in further]
    empty = [(found[0], spot) for found, spot in pairs if found and _is_empty(found[0])]
    if not empty or not all(select(with_text.path, *spot, first=True)[:1] == [_next(node)] for node, spot in empty):
        return finder
    return with_text if _gives_the_same(with_text, contexts) else finder


def is_first_with_text(node: Any) -> bool:
    """Whether an element is a paragraph, and the first of its parent's that has a text, behind empty ones."""
    before = list(node.itersiblings("p", preceding=True)) if node.tag == "p" else []
    return bool(before) and all(map(_is_empty, before))


def _is_empty(node: Any) -> bool:
    return getattr(node, "tag", "") in RUN_TAGS and not text_of(node).strip()


def _next(node: Any) -> Any:
    """The paragraph right after empty ones that has a text, None if something else comes."""
    while node is not None and _is_empty(node):
        node = node.getnext()
    return node


def _reading_on(finder: Finder, contexts: Sequence[ExampleContext], further: Sequence[Spot]) -> Finder:
    """A finder of a paragraph; where further pages have more of its form right after it, it reads those, too.

    So does one of a block in a record that stands there with its likes alone (`<div>Deprecated.</div><div>Text`).
    """
    fills = _fills_its_cell(finder, contexts)
    if not (fills or is_long(contexts)) or any(_heads_are_paragraphs(one.scope) for one in contexts):
        return finder
    if contexts[0].scope is not None and not isinstance(contexts[0].scope, Run) and _leave_out(finder, contexts):
        return finder
    longer = replace(finder, read=RUN, cost=finder.cost + 0.3)
    firsts = [node for page, scope in further for node in select(finder.path, page, scope, first=True)]
    goes_on = fills or any(not isinstance(node, str) and _goes_on(node, finder.path) for node in firsts)
    if not goes_on or not _gives_the_same(longer, contexts):
        return finder
    present = [one for one in contexts if not one.empty]
    return longer if not fills or _exact(longer, present) >= _exact(finder, present) else finder


def _leave_out(finder: Finder, contexts: Sequence[ExampleContext]) -> bool:
    """Whether a heading stands behind the paragraph in each of the samples' records: the beginning alone is meant."""
    nodes = [node for one in contexts if not one.empty for node in one.at.select(finder.path, one.scope)[:1]]
    return all(not isinstance(node, str) and any(one.tag in LEVELS for one in node.itersiblings()) for node in nodes)


def _goes_on(node: Any, path: str) -> bool:
    run = run_of(node)
    return len(run) > 1 and (node.tag in RUN_TAGS or (path != "." and _fill(run)))


def _fills_its_cell(finder: Finder, contexts: Sequence[ExampleContext]) -> bool:
    """Whether in all sample records the block stands alone where it stands: what may come there belongs to it."""
    nodes = [node for one in contexts if not one.empty for node in one.at.select(finder.path, one.scope)[:1]]
    blocks = [node for node in nodes if not isinstance(node, str) and node.tag not in RUN_TAGS]
    is_inside = contexts[0].scope is not None and finder.path != "."
    return is_inside and len(blocks) == len(nodes) > 0 and all(_fill([one]) for one in blocks)


def _fill(run: Sequence[Any]) -> bool:
    """Whether blocks are all that their parent has."""
    parent = run[0].getparent()
    return run[0].tag not in NAMES and parent is not None and len(run) == sum(1 for _ in child_elements(parent))


def _with_its_line(finder: Finder, contexts: Sequence[ExampleContext], further: Sequence[Spot]) -> Finder:
    """A finder of a loose text, prose or a record's; where further pages have links in it, of all its line. So does one
    behind a label: in prose any word may be a link."""
    longer, of_a_record = replace(finder, read=RUNNING, cost=finder.cost + 0.3), contexts[0].scope is not None
    if finder.read != "text" or (not of_a_record and not is_prose(contexts)):
        return finder
    firsts = [node for page, scope in further for node in select(finder.path, page, scope, first=True)]
    is_led = finder.family is Family.LABEL and not of_a_record
    runs_on = is_led or any(finder.first(*spot) != longer.first(*spot) for spot in further)
    are_loose = all(isinstance(node, str) for node in firsts)
    return longer if runs_on and are_loose and _gives_the_same(longer, contexts) else finder


def _enumerating(finder: Finder, contexts: Sequence[ExampleContext], further: Sequence[Spot]) -> Finder:
    """A finder of one of several names; where further pages enumerate them ("str, optional"), it reads them all."""
    longer = replace(finder, read=ENUMERATION, cost=finder.cost + 0.3)
    if finder.read != "text" or all(finder.first(*spot) == longer.first(*spot) for spot in further):
        return finder
    firsts = [node for page, scope in further for node in select(finder.path, page, scope, first=True)]
    are_names = all(getattr(node, "tag", "") in NAMES for node in firsts)
    return longer if are_names and _gives_the_same(longer, contexts) else finder


def _of_its_cell(finder: Finder, contexts: Sequence[ExampleContext], further: Sequence[Spot]) -> Finder:
    """A finder of all that a cell holds; where further pages have signs of a type or its likes beside it, of the cell.

    A term or a header is one as a whole: so it is also where no further page has anything beside it.
    `<td><b>int</b></td>` on the samples, `<td><a><b>Node</b></a> *</td>` elsewhere; `<dt><i>one</i> <i>two</i></dt>`.
    """
    found = [
        (node, one.scope) for one in contexts if not one.empty for node in one.at.select(finder.path, one.scope)[:1]
    ]
    cells = {"" if isinstance(node, str) else _cell_of(node, scope) for node, scope in found}
    if finder.read != "text" or len(cells) != 1 or not (cell := cells.pop()):
        return finder
    longer = replace(finder, path=f"({finder.path})[1]/ancestor::{cell}[1]", cost=finder.cost + 0.3)
    if cell in _WHOLE and all(finder.first(*spot) == longer.first(*spot) for spot in further):
        longer = replace(longer, read="apart")
        return longer if _gives_the_same(longer, contexts) else finder
    pairs = [(finder.first(*spot), longer.first(*spot)) for spot in further]
    differ = [(spot, inner, text) for spot, (inner, text) in zip(further, pairs, strict=True) if inner != text]
    fits = all(inner and text and _belongs(finder, spot, inner, text) for spot, inner, text in differ)
    return longer if differ and fits and _gives_the_same(longer, contexts) else finder


def _belongs(finder: Finder, spot: Spot, inner: str, text: str) -> bool:
    """Whether what stands beside a value in its cell is signs of a type, or names in elements like its own.

    Further paragraphs are not: of what is said of a thing the first may be all that is meant.
    """
    if text.startswith(inner) and _SIGNS.issuperset(text.removeprefix(inner)):
        return True
    node = select(finder.path, *spot, first=True)[0]
    parent = node.getparent()
    likes = [one for one in child_elements(parent) if one.tag != "br"]
    is_whole = squeeze("".join(map(text_of, likes))) == squeeze(text)
    are_names = node.tag in NAMES and len(likes) > 1
    return are_names and is_whole and all(form_step(one) == form_step(node) for one in likes)


def _cell_of(node: Any, scope: Any) -> str:
    """The name of the outermost element in a record that has no text but a node's, "" if that is the node's own."""
    tops = scope.members if isinstance(scope, Run) else {scope}
    text, cell = text_of(node), node
    for above in node.iterancestors():
        if cell in tops or text_of(above) != text:
            break
        cell = above
    return "" if cell.tag == node.tag else str(cell.tag)


def _heads_are_paragraphs(scope: Any) -> bool:
    """Whether a record's own paragraphs can't be told from the head of the next one."""
    return isinstance(scope, Run) and scope.head.tag in RUN_TAGS


def _set_apart(finder: Finder, contexts: Sequence[ExampleContext], further: Sequence[Spot]) -> Finder:
    """A finder of an element; where further pages have blocks in it, their texts are set apart by blanks.

    Unless the samples have blocks there, too, and their values are typed without. In records, of which a few are seen,
    words are set apart anyhow; Chinese sentences have no blanks between them.
    """
    apart = replace(finder, read="apart")
    present = [one for one in contexts if not one.empty]
    are_words = contexts[0].scope is not None and all(width(one.wanted) == len(one.wanted) for one in present)
    if finder.read != "text" or (not are_words and all(finder.first(*spot) == apart.first(*spot) for spot in further)):
        return finder
    return apart if _exact(apart, present) >= _exact(finder, present) else finder


def _exact(finder: Finder, contexts: Sequence[ExampleContext]) -> int:
    """How many values come out as they were typed, but for the amount of white space."""
    return sum(finder.first(one.at.page, one.scope) == fold(one.wanted) for one in contexts)


def _without_badges(finder: Finder, contexts: Sequence[ExampleContext], further: Sequence[Spot]) -> Finder:
    """A finder of a short text, without what no sample has in it and further pages have with few texts: "New".

    What stands amid the text on some page is a part of it there: the n of "n? matches any string with an n".
    """
    if finder.drop or any(width(one.wanted) > LONGEST_NAMED for one in contexts if not one.empty):
        return finder
    usual = {
        _kind(inner)
        for one in contexts
        for node in one.at.select(finder.path, one.scope)[:1]
        for inner in _inside(node)
    }
    texts: dict[str, list[str]] = defaultdict(list)
    for page, scope in further:
        for node in select(finder.path, page, scope, first=True):
            for inner in _inside(node):
                if inner.tag in BADGES and _stands_outside(inner, node):
                    texts[_kind(inner)].append(text_of(inner))
                else:
                    usual.add(_kind(inner))
    badges = [
        kind for kind, found in texts.items() if kind not in usual and _are_badges(found) and len(found) < len(further)
    ]
    without = replace(finder, drop=tuple(badges), cost=finder.cost + 0.4)
    leaves_text = all(any(map(str.isalnum, without.first(*spot) or "")) for spot in further if finder.first(*spot))
    return without if badges and leaves_text else finder


def _without_struck(finder: Finder, contexts: Sequence[ExampleContext], further: Sequence[Spot]) -> Finder:
    """A finder of a number, without what is struck out in it on further pages, and on no sample: the old price; or of a
    heading, without what is set in small letters ("Closed"), if no sample's is."""
    given = [node for one in contexts if not one.empty for node in one.at.select(finder.path, one.scope)[:1]]
    seen = [node for spot in further for node in select(finder.path, *spot, first=True)]
    known = {inner.tag for node in given for inner in _inside(node)}
    of_a_heading = {"small"} if given and all(getattr(node, "tag", "") in LEVELS for node in given) else set()
    of_a_number = STRUCK if all(is_like_number(one.wanted) for one in contexts if not one.empty) else set()
    left_out = {inner.tag for node in seen for inner in _inside(node)} & (of_a_heading | of_a_number)
    without = replace(finder, drop=tuple(sorted(left_out)), cost=finder.cost + 0.1)
    is_lost = any(finder.first(*spot) and not without.first(*spot) for spot in further)
    return finder if finder.drop or not left_out or left_out & known or is_lost else without


def _without_notes(finder: Finder, contexts: Sequence[ExampleContext], further: Sequence[Spot]) -> Finder:
    """A finder of a text, without the marks of footnotes that further pages have in it ("[1]") and no sample has.

    Not where the same element has other text on some page, such as the 2 of km².
    """
    given = [node for one in contexts if not one.empty for node in one.at.select(finder.path, one.scope)[:1]]
    seen = [node for spot in further for node in select(finder.path, *spot, first=True)]
    notes = {_kind(inner) for node in seen for inner in _inside(node) if _is_note(inner)}
    others = {_kind(inner) for node in seen for inner in _inside(node) if not _is_note(inner)}
    marks = sorted(notes - others - {_kind(inner) for node in given for inner in _inside(node)} - {*finder.drop})
    return replace(finder, drop=(*finder.drop, *marks), cost=finder.cost + 0.1) if marks else finder


def _is_note(element: Any) -> bool:
    return element.tag == "sup" and _NOTE.fullmatch(text_of(element)) is not None


def _inside(node: Any) -> Iterator[Any]:
    if isinstance(node, str):
        return iter(())
    return (one for one in islice(node.iterdescendants(), MOST_INSIDE) if isinstance(one.tag, str))


def _kind(element: Any) -> str:
    """An element's name, with its first class if it has one."""
    return ".".join([element.tag, *(element.get("class") or "").split()[:1]])


def _stands_outside(inner: Any, node: Any) -> bool:
    """Whether an element is the first or last thing in *node*, with other text there that does not go on from it."""
    if inner.getparent() is not node:
        return False
    first = inner.getprevious() is None and not (node.text or "").strip()
    last = inner.getnext() is None and not (inner.tail or "").strip()
    goes_on = first and (inner.tail or "").lstrip()[:1].islower()
    return first != last and not goes_on


def _are_badges(texts: Sequence[str]) -> bool:
    short = all(0 < len(text) <= LONGEST_BADGE for text in texts)
    return short and len(texts) >= LEAST_BADGES and len(set(texts)) <= MOST_DIFFERENT * len(texts)


def is_rest_of_line(path: str, page: PageView) -> bool:
    """Whether the text next to a label is all that stands in its line: right behind it, or in an element beside it.

    That has another name than the label's, and is no link or button: these say what to do where there is no value.
    """
    text = next(iter(select(path, page, None, first=True)), None)
    if text is None or not any(map(str.isalnum, text)):
        return False
    element = text.getparent()
    label = element if text.is_tail else element.getprevious()
    if element is not label:
        is_alone = not len(element) and not (element.tail or "").strip()
        if not is_alone or label is None or label.tag == element.tag or (label.tail or "").strip():
            return False
    behind = element.getnext()
    return element.tag not in ACTIONS and (behind is None or behind.tag == "br")


def as_shown(finders: Sequence[Finder], contexts: Sequence[ExampleContext], further: Sequence[Spot]) -> list[Finder]:
    """The finders; where data come first, in the signs of the page's text if others read the same there in other signs.

    Unless the samples' values are typed in the signs of the data.
    """
    data, others = finders[0], list(finders[1:])
    if data.family is not Family.STRUCTURED or not others:
        return list(finders)
    typed = [(_spelled(data, others, (one.at.page, one.scope)), fold(one.wanted)) for one in contexts if not one.empty]
    by_page = sum(said != shown == wanted for (said, shown), wanted in typed)
    by_data = sum(shown != said == wanted for (said, shown), wanted in typed)
    differ = any(said != shown for said, shown in (_spelled(data, others, spot) for spot in further))
    if by_data > by_page or not (differ or by_page):
        return list(finders)
    return [replace(data, read=AS_SHOWN), *others]


def _spelled(data: Finder, others: Sequence[Finder], spot: Spot) -> tuple[str, str]:
    """What the data say on a page, and how its text has it."""
    said = data.first(*spot) or ""
    shown = (text for one in others if (text := one.first(*spot)) and said and same_text(text, said))
    return said, next(shown, said)

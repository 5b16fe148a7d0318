"""How much of a text is meant: the first text of an element or all of it, a paragraph or the whole section.

On the samples both read the same. Further pages show that texts go on; and the field's name may ask for the first
paragraph ("summary", "lead"), or for all that stands under a heading which is called so.

Source:
    None; the names that people give to fields are a source of their own (see `named`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, takewhile
from typing import Any

from gwc_crawler.extract import (
    BREAKS,
    LEVELS,
    NO_AFFIXES,
    RUN,
    Finder,
    PageView,
    heading_level,
    select,
    text_of,
)
from gwc_crawler.extract.fields import squeeze
from gwc_crawler.items import Family
from gwc_crawler.learn.places import AFTER, SECTION, attribute_test, is_long, is_prose, labels_in
from gwc_crawler.learn.texts import ExampleContext
from gwc_crawler.learn.wrapper.extent.closing import above_the_closing
from gwc_crawler.learn.wrapper.extent.sections import value_in_its_section
from gwc_crawler.learn.wrapper.judging import has_name, is_called, is_hidden, is_in_its_class, is_name_of, weight

_WORDS = frozenset({"abstract", "brief", "excerpt", "lead", "lede", "summary", "tagline", "teaser"})
_SIGNS = ("摘要", "导语", "導語", "导读", "導讀", "概要")
_WORD = re.compile(r"[a-z]+")
_BLOCKS = frozenset({"article", "blockquote", "dd", "div", "dt", "li", "p", "section", "td"})
_READ_WHOLE = ("text", "apart", RUN)
_HEADING = re.compile(r"//(?:h[1-6]\[[^/]*\]|[a-z][a-z0-9]*\[[^/]*\]/(?:\.\.|parent::h[1-6]))")
"""How the path of a heading reads, wherever it stands, and of one with its text in an element."""
_OFTEN = 0.3
"""So many of the pages that have the text must have it under its heading, which others may write otherwise."""
_BOXES = 0.15
"""Of a box that fewer further pages have, it is unlikely that both samples have one."""
_LEVELS_UP, _MOST_BESIDE = 3, 2
"""A box stands so many levels above the paragraph in it, with so many kinds of elements beside that."""
_OF_LINKS = ("aside", "div", "footer", "nav")
_SEVERAL = 3
"""On so many further pages one paragraph is all that is seen of a section: it is the rule."""
_HARDLY_EVER = 0.85
"""On so many pages no block may stand in a section of bare lines."""
_SELDOM = 0.2
"""On so many of the pages with a text its section may have more, or its beginning be missing: written otherwise."""


def asks_for_beginning(name: str) -> bool:
    """Whether a field's name says that of a longer text the beginning is meant.

    >>> [asks_for_beginning(name) for name in ("summary", "post_lead", "文章摘要", "leader", "description")]
    [True, True, True, False, False]
    """
    folded = name.casefold()
    return not _WORDS.isdisjoint(_WORD.findall(folded)) or any(sign in folded for sign in _SIGNS)


def as_much_as_asked(
    name: str,
    chosen: list[Finder],
    finders: Sequence[Finder],
    contexts: Sequence[ExampleContext],
    pages: Sequence[PageView],
) -> list[Finder]:
    """The chosen finders; first the beginning of what they read, or all of its section, where the name asks for it.

    Args:
        name: of the field.
        chosen: best first.
        finders: those that fit the samples.
        contexts: the samples.
        pages: further pages, without which nothing changes.
    """
    if chosen[0].cut.sentence:  # "div.description" is it, though on the samples a text begins with the same sentence
        own = min((one for one in finders if _is_its_box(name, one)), key=lambda one: one.cost, default=chosen[0])
        is_there = sum(own.first(page) is not None for page in pages) >= _BOXES * len(pages) > 0
        chosen = [own] if own is not chosen[0] and is_there else chosen
    if asks_for_beginning(name):
        return _beginning_first(chosen, finders, contexts, pages)
    if is_prose(contexts):
        chosen = _all_of_its_box(name, chosen, [one for one in contexts if not one.empty], pages)
    return _section_first(name, chosen, finders, [one for one in contexts if not one.empty], pages)


def _is_its_box(name: str, finder: Finder) -> bool:
    return finder.cut == NO_AFFIXES and is_in_its_class(name, finder)


def _all_of_its_box(
    name: str, chosen: list[Finder], contexts: Sequence[ExampleContext], pages: Sequence[PageView]
) -> list[Finder]:
    """The chosen finders; first all of the box that is called as the field, without what the samples have beside it.

    `<div class="description"><p>…</p><dl>…</dl></div>` on the samples, and elsewhere with further paragraphs and lists.
    """
    best = chosen[0]
    is_plain = best.cut == NO_AFFIXES and best.read in _READ_WHOLE and not best.drop
    if best.family is Family.STRUCTURED or not is_plain or is_in_its_class(name, best):
        return chosen
    boxes = [_box_around(name, best, one) for one in contexts]
    paths, kinds = {path for path, _ in boxes}, {kind for _, some in boxes for kind in some}
    if len(paths) != 1 or not (path := paths.pop()) or len(kinds) > _MOST_BESIDE:
        return chosen
    kinds |= {kind for page in pages for kind in (*_kinds_before(best, path, page), *_kinds_of_links(path, page))}
    whole = replace(best, family=Family.CLASS, path=path, read="apart", drop=tuple(sorted(kinds)))
    texts, found = _texts(whole, pages), _texts(best, pages)
    same = all(squeeze(whole.first(one.at.page) or "") == squeeze(one.wanted) for one in contexts)
    begun = all(text.startswith(part) for part, text in zip(found, texts, strict=True) if part)
    return [whole, *chosen] if same and begun and texts != found else chosen


def _box_around(name: str, finder: Finder, context: ExampleContext) -> tuple[str, frozenset[str]]:
    """The path of the box around what is read that is called as a field, "" for none; and the kinds of elements in it
    beside that."""
    node = next(iter(select(finder.path, context.at.page, None, first=True)), None)
    if node is None or isinstance(node, str) or node.tag != "p":
        return "", frozenset()
    index = context.at.index
    times = index.times
    for box in islice(node.iterancestors(), _LEVELS_UP):
        named = (("class", token) for token in (box.get("class") or "").split())
        pair = next((one for one in (*named, ("id", box.get("id") or "")) if is_name_of(name, one[1])), None)
        test = attribute_test(*pair) if pair is not None and times[pair] == 1 else None
        if test is not None:
            around = {node, *node.iterancestors()}
            beside = (one for outer in around if outer is box or box in outer.iterancestors() for one in outer)
            kinds = (_kind(one) for one in beside if one not in around and one.getparent() is not node and text_of(one))
            return f"//{box.tag}[{test}]", frozenset(kinds)
    return "", frozenset()


def _kinds_before(finder: Finder, box: str, page: PageView) -> Iterator[str]:
    """The kinds of elements in a box that stand before what a finder reads there: a line of code above the text."""
    node, outer = (next(iter(select(path, page, None, first=True)), None) for path in (finder.path, box))
    if node is None or outer is None or isinstance(node, str) or outer not in node.iterancestors():
        return
    for one in (node, *node.iterancestors()):
        if one is outer:
            return
        yield from (_kind(before) for before in one.itersiblings("*", preceding=True) if text_of(before))


def _kinds_of_links(box: str, page: PageView) -> Iterator[str]:
    """The kinds of the boxes in a box that say nothing but what they link to: "Next entry"."""
    for outer in select(box, page, None, first=True):
        boxes = [] if isinstance(outer, str) else [one for one in outer.iterchildren(*_OF_LINKS) if text_of(one)]
        yield from (_kind(one) for one in boxes if _says(one.iter("a")) == _says([one]))


def _says(elements: Iterable[Any]) -> str:
    return "".join(squeeze(text_of(one)) for one in elements)


def _kind(element: Any) -> str:
    return ".".join([element.tag, *(element.get("class") or "").split()[:1]])


def _section_first(
    name: str,
    chosen: list[Finder],
    finders: Sequence[Finder],
    contexts: Sequence[ExampleContext],
    pages: Sequence[PageView],
) -> list[Finder]:
    """The chosen finders; first all of the section of which the best one reads a part, if that is the field's.

    Both samples have one paragraph under "Compatibility", further pages have more. It belongs to the field if that is
    called as the heading is, or if a single one is the rule: where the samples are prose or code, or all is bare lines.
    Below a price stands what is no price. Where the heading is missing, no other section is read. What has the field's
    name in its class stays as it is, unless pages have several paragraphs of the class.
    """
    best = chosen[0]
    if best.family is Family.STRUCTURED or best.read.startswith(SECTION):
        return chosen
    if is_in_its_class(name, best):
        if not _comes_again(best, pages):
            return chosen
        best = replace(best, read="all")
    samples, found = [one.at.page for one in contexts], _texts(best, pages)
    sections = (one for one in finders if one.read.startswith(SECTION) and one.cut == NO_AFFIXES)
    headed = (one for one in sections if _HEADING.fullmatch(one.path) and _is_heading(one, samples[0]))
    for whole in (above_the_closing(one, samples, pages) for one in headed):
        texts = _texts(whole, pages)
        pairs = [(part, text) for part, text in zip(found, texts, strict=True) if part]
        more = sum(len(text) > len(part) for part, text in pairs)
        if has_name(name, whole.path):
            under_it = [(parts, text) for parts, text in zip(_parts(best, pages), texts, strict=True) if parts and text]
            heads = [node for page in pages for node in select(whole.path, page, None, first=True)]
            are_lines = more > 0 and all(map(_is_of_lines, heads))
            is_code = is_called(name, whole.path) and _is_code(best, samples) and all(map(_is_all_code, heads))
            is_often = len(under_it) > _OFTEN * len(pairs) and (are_lines or is_code or is_prose(contexts))
            if is_often and all(_has_in_order(text, parts) for parts, text in under_it):
                others = [one for one in chosen if _never_differ(texts, _texts(one, pages))]
                return [whole, *value_in_its_section(name, others, samples, pages)]
            continue
        is_of_its_label = best.cut == NO_AFFIXES and labels_in(best.path) == labels_in(whole.path)
        is_rare = more <= _SELDOM * len(pairs) if more else len(pairs) >= _SEVERAL
        is_the_rule = is_of_its_label and is_rare and is_prose(contexts)
        if is_the_rule and all(text.startswith(part) for part, text in pairs):
            return [whole, *chosen]
    return chosen


def _is_all_code(heading: Any) -> bool:
    """Whether nothing but code stands under a heading, up to the next one."""
    behind = takewhile(lambda one: one.tag not in LEVELS, heading.itersiblings("*"))
    return all(one.tag == "pre" or not text_of(one) for one in behind)


def _is_code(finder: Finder, pages: Sequence[PageView]) -> bool:
    """Whether a finder reads what stands as code: under "Synopsis" more may stand on other pages."""
    nodes = [node for page in pages for node in select(finder.path, page, None, first=True)]
    elements = [node.getparent() if isinstance(node, str) else node for node in nodes]  # type: ignore[attr-defined]
    return all(any(one.tag == "pre" for one in (node, *node.iterancestors())) for node in elements)


def _comes_again(finder: Finder, pages: Sequence[PageView]) -> bool:
    """Whether a finder reads a paragraph, and some pages have further ones of its class."""
    found = [select(finder.path, page, None) for page in pages]
    are_paragraphs = all(getattr(one, "tag", "") == "p" for some in found for one in some)
    return are_paragraphs and any(len(some) > 1 for some in found)


def _parts(finder: Finder, pages: Sequence[PageView]) -> list[list[str]]:
    """What a finder reads on each page: the paragraphs, one by one, of one that reads all."""
    if finder.read != "all" or finder.cut != NO_AFFIXES:
        return [[text] if text else [] for text in _texts(finder, pages)]
    nodes = (select(finder.path, page, None) for page in pages)
    return [
        [text for one in some if (text := squeeze(str(one) if isinstance(one, str) else text_of(one)))]
        for some in nodes
    ]


def _has_in_order(text: str, parts: Iterable[str]) -> bool:
    """Whether some parts stand in a text, one behind the other."""
    at = 0
    for part in parts:
        if (found := text.find(part, at)) < 0:
            return False
        at = found + len(part)
    return True


def _is_heading(finder: Finder, page: PageView) -> bool:
    """Whether a finder goes by a heading, or by what begins with one and holds the buttons beside it, too."""
    nodes = select(finder.path, page, None, first=True)
    return all(not isinstance(node, str) and heading_level(node) for node in nodes)


def _is_of_lines(heading: Any) -> bool:
    """Whether no block stands under a heading, up to the next one."""
    behind = takewhile(lambda one: one.tag not in LEVELS, heading.itersiblings("*"))
    return all(one.tag == "br" or one.tag not in BREAKS or not text_of(one) for one in behind)


def _never_differ(texts: Sequence[str], others: Sequence[str]) -> bool:
    return all(one == other for one, other in zip(texts, others, strict=True) if one and other)


def _beginning_first(
    chosen: list[Finder], finders: Sequence[Finder], contexts: Sequence[ExampleContext], pages: Sequence[PageView]
) -> list[Finder]:
    """The chosen finders; first one of a block with which begins what they read, and which is all on the samples.

    Rather one inside what they read: where they are silent, it is, too. Of these, what reads no more stays. On some
    further pages it must be less than the whole, unless that is what no reader sees, which other pages may write
    otherwise.
    """
    whole = _texts(chosen[0], pages)
    blocks = [
        one
        for one in [replace(one, read="text") if one.read == RUN else one for one in (*chosen, *finders)]
        if one.family is not Family.STRUCTURED and one.read in _READ_WHOLE and one.cut == NO_AFFIXES and not one.split
    ]
    samples = [one.at.page for one in contexts]
    blocks = [one for one in blocks if _texts(one, samples) == _texts(chosen[0], samples)]
    path, cut_off = chosen[0].path, is_hidden(chosen[0])
    for one in sorted(dict.fromkeys(blocks), key=lambda one: (not one.path.startswith(path), -weight(one))):
        begun = _texts(one, pages)
        pairs = [(first, text) for first, text in zip(begun, whole, strict=True) if first != text]
        missing = sum(not first for first, _ in pairs)
        is_less = len(pairs) > missing or cut_off
        if not is_less or missing > _SELDOM * len(pages) or not _are_blocks(one, pages):
            continue
        if all(text.startswith(first) or (cut_off and text and first.startswith(text)) for first, text in pairs):
            return [one, *(other for other in chosen if _texts(other, pages) == begun)]
    return chosen


def longer_first(
    chosen: list[Finder], finders: Sequence[Finder], contexts: Sequence[ExampleContext], pages: Sequence[PageView]
) -> list[Finder]:
    """The chosen finders; first what reads more than the best one, where that always gives its beginning.

    Args:
        chosen: best first.
        finders: those that fit the samples.
        contexts: the samples.
        pages: further pages; on some it must read more. Without any nothing changes.
    """
    return _with_the_longer(_running_on(chosen, contexts, pages), finders, contexts, pages) if pages else chosen


def _running_on(chosen: list[Finder], contexts: Sequence[ExampleContext], pages: Sequence[PageView]) -> list[Finder]:
    """The best one, if it takes a part of an element's first text, of the whole element where texts run on.

    "Name — list of names" may go on behind a link on other pages: "Name — list of <a>names</a> and values". What
    merely ends with an element may end with a remark; behind a label it may be all: `Stock: <em>sold out</em>`.
    """
    first = chosen[0]
    element, _, step = first.path.partition("/text()")
    if not step or "/" in step or not first.cut.before or first.cut.after:
        return chosen
    is_labelled = step.startswith("[starts-with(")
    whole = replace(first, path=f"{element}{step}" if is_labelled else element)
    runs_on = any(
        (one.tail or "").strip() or (is_labelled and first.first(page) is None and whole.first(page))
        for page in pages
        for node in select(whole.path, page, None, first=True)
        for one in node
    )
    samples = all(whole.first(one.at.page) == first.first(one.at.page) for one in contexts)
    begun = all((whole.first(page) or "").startswith(first.first(page) or "") for page in pages)
    return [whole, *chosen[1:]] if runs_on and samples and begun else chosen


def _with_the_longer(
    chosen: list[Finder], finders: Sequence[Finder], contexts: Sequence[ExampleContext], pages: Sequence[PageView]
) -> list[Finder]:
    """First what reads more than the best one, where that always gives its beginning and at times no more.

    Of a text node its element, unless the page's data have the text alone; of an attribute what its element shows; of
    a first sentence its paragraph, where there is one; of a long text its section, and of what stands right behind a
    heading, in no element: of a short one the first paragraph may be all that is meant.
    """
    best = chosen[0]
    firsts = _texts(best, pages)
    by_section = best.read != SECTION and (is_long(contexts) or _are_bare_lines(best, pages))
    is_text = "/text()" in best.path
    element = best.path.partition("/text()")[0] if is_text or best.read.startswith("@") else ""
    paragraph = f"{best.path}/p" if best.cut.sentence else ""
    longer = [
        one
        for one in finders
        if (by_section and one.read == SECTION)
        or (one.path == element and not one.cut.after[:1].isalnum())
        or (one.path == paragraph and one.read == best.read and one.cut == NO_AFFIXES)
    ]
    for whole in sorted(longer, key=lambda one: one.cost):
        texts = _texts(whole, pages)
        pairs = list(zip(firsts, texts, strict=True))
        is_paragraph = whole.path == paragraph
        begun = all(text.startswith(first) or (is_paragraph and not text) for first, text in pairs if first)
        if not begun or not (is_paragraph or any(len(text) > len(first) > 0 for first, text in pairs)):
            continue
        if not (is_text and whole.path == element and _is_said_alone(firsts, texts, finders, pages)):
            return [whole, *chosen]
    return chosen


def _are_bare_lines(finder: Finder, pages: Sequence[PageView]) -> bool:
    """Whether a finder reads what stands right behind a heading, in no element, and hardly ever a block below it."""
    if not finder.path.endswith(AFTER):
        return False
    texts = (node for page in pages for node in select(finder.path, page, None, first=True))
    heads = [node.getparent() for node in texts if isinstance(node, str)]  # type: ignore[attr-defined]
    return sum(map(_is_of_lines, heads)) >= _HARDLY_EVER * len(heads)


def _is_said_alone(
    firsts: Sequence[str], texts: Sequence[str], finders: Sequence[Finder], pages: Sequence[PageView]
) -> bool:
    """Whether data or an attribute have the first of two texts wherever these differ, and none has the other.

    The heading is "The Big Short <small>: Inside …</small>", and the data have "The Big Short".
    """
    differ = [n for n, (first, text) in enumerate(zip(firsts, texts, strict=True)) if first != text]
    said = [[_texts(one, [pages[n]])[0] for n in differ] for one in finders if is_hidden(one)]
    return [firsts[n] for n in differ] in said and [texts[n] for n in differ] not in said


def _texts(finder: Finder, pages: Sequence[PageView]) -> list[str]:
    return [squeeze(finder.first(page) or "") for page in pages]


def _are_blocks(finder: Finder, pages: Sequence[PageView]) -> bool:
    nodes = (node for page in pages for node in select(finder.path, page, None, first=True))
    return all(getattr(node, "tag", "") in _BLOCKS for node in nodes)

"""Where the best finder reads but the beginning of what is meant: the first text of an element, a paragraph of more.

On the samples both read the same; further pages show that texts go on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gwc_crawler.extract import NO_AFFIXES, Finder, PageView, select
from gwc_crawler.extract.fields import squeeze
from gwc_crawler.learn.places import SECTION, ExampleContext, is_long
from gwc_crawler.learn.wrapper.ranking.candidates import is_hidden


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
    a first sentence its paragraph, where there is one; of a long text its section: of a short one the first paragraph
    may be all that is meant.
    """
    best = chosen[0]
    firsts = _read(best, pages)
    by_section = best.read != SECTION and is_long(contexts)
    is_text = "/text()" in best.path
    element = best.path.partition("/text()")[0] if is_text or best.read.startswith("@") else ""
    paragraph = f"{best.path}/p" if best.cut.sentence else ""
    longer = [
        one
        for one in finders
        if (by_section and one.read == SECTION)
        or one.path == element
        or (one.path == paragraph and one.read == best.read and one.cut == NO_AFFIXES)
    ]
    for whole in sorted(longer, key=lambda one: one.cost):
        texts = _read(whole, pages)
        pairs = list(zip(firsts, texts, strict=True))
        is_paragraph = whole.path == paragraph
        begun = all(text.startswith(first) or (is_paragraph and not text) for first, text in pairs if first)
        if not begun or not (is_paragraph or any(len(text) > len(first) > 0 for first, text in pairs)):
            continue
        if not (is_text and whole.path == element and _is_said_alone(firsts, texts, finders, pages)):
            return [whole, *chosen]
    return chosen


def _is_said_alone(
    firsts: Sequence[str], texts: Sequence[str], finders: Sequence[Finder], pages: Sequence[PageView]
) -> bool:
    """Whether data or an attribute have the first of two texts wherever these differ, and none has the other.

    The heading is "The Big Short <small>: Inside …</small>", and the data have "The Big Short".
    """
    differ = [n for n, (first, text) in enumerate(zip(firsts, texts, strict=True)) if first != text]
    said = [[_read(one, [pages[n]])[0] for n in differ] for one in finders if is_hidden(one)]
    return [firsts[n] for n in differ] in said and [texts[n] for n in differ] not in said


def _read(finder: Finder, pages: Sequence[PageView]) -> list[str]:
    return [squeeze(finder.first(page) or "") for page in pages]

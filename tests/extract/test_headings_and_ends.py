"""Headings on other levels, sections of a line, and the links below the last section that close all pages."""

from __future__ import annotations

from gwc_crawler.extract.page_view import PageView
from tests.extract.pages import learned, sentence, word
from tests.extract.test_facts_and_paths import Samples
from tests.extract.test_told_by_itself import SEVERAL

# The first heading, whatever its level


def chapter(n: int, level: str = "h3", below: str = "") -> str:
    return f"<html><body><div id=all><{level}>{word(n)}</{level}><p>{sentence(n)}</p>{below}</div></body></html>"


def deeper(n: int) -> str:
    """A chapter as the samples are; every third has another level, and a heading of the samples' one further down."""
    below = f"<h4>Notes on {word(n + 3)}</h4><p>{sentence(n + 5)}</p>"
    return chapter(n, "h2", below) if n % 3 == 0 else chapter(n, "h4")


def test_another_field_stays_on_its_level() -> None:
    samples: Samples = [(chapter(n, "h4"), {"subtitle": word(n)}) for n in (1, 2)]
    wrapper = learned(samples, [*map(deeper, SEVERAL), *(chapter(n, "h3") for n in (41, 42))])
    assert wrapper.extract(deeper(60)).get("subtitle") != word(60)


# A section of one line


# What closes all pages

ENDS = (("Use", "Notes", "See also"), ("See also", "Use", "Notes"), ("Notes", "See also", "Use"))
"""The sections in three orders; the samples are of the first one."""


def told(n: int, head: str) -> str:
    return f"{sentence(n, head)} {sentence(n + 7, 'More')}"


def manual(n: int, order: int, closing: str) -> str:
    shown = "".join(
        f"<h2>{head}</h2><p>{sentence(n, head)}</p><ul><li>{sentence(n + 7, 'More')}</li></ul>" for head in ENDS[order]
    )
    return f"<html><body><div id=all><h1>{word(n)}</h1>{shown}{closing}</div></body></html>"


def test_a_link_with_which_only_some_sections_end_is_theirs() -> None:
    def one(n: int, order: int) -> str:
        return manual(n, order, f"<p><a href=/{n}>The {word(n)}</a></p>" if n % 2 else "")

    samples: Samples = [(one(n, 0), {"use": told(n, "Use")}) for n in (1, 2)]
    wrapper = learned(samples, [one(n, n % 3) for n in SEVERAL])
    assert wrapper.extract(one(61, 2))["use"] == f"{told(61, 'Use')} The {word(61)}"


# Words with which values begin


def module(n: int, code: str) -> str:
    """A module's page, with contents; few have a synopsis."""
    use = {"Synopsis": f"<pre><code>  {code}</code></pre>"} if code else {}
    parts = {"Name": f"<p>Foo::{word(n)} - {word(n + 2)}</p>", **use, "Description": f"<p>{sentence(n)}</p>"}
    contents = "".join(f"<li><a href='#{head}'>{head}</a></li>" for head in parts)
    shown = "".join(f"<h1 id={head}>{head}</h1>{text}" for head, text in parts.items())
    return f"<html><body><ul>{contents}</ul>{shown}</body></html>"


# What stands in the other sections


def parts(n: int, *heads: str) -> PageView:
    shown = "".join(
        f"<div class=part><h2>{head}</h2><div class=box><p>{sentence(n + at, head)}</p></div></div>"
        for at, head in enumerate(heads)
    )
    return PageView.parse(f"<html><body><h1>{word(n)}</h1>{shown}</body></html>", f"http://a.test/{n}")

"""Headings on other levels, sections of a line, and the links below the last section that close all pages."""

from __future__ import annotations

from gwc_crawler.extract import PageView
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


def of_code(n: int, kind: str) -> str:
    """A page of a manual: a paragraph, code or loose words say name and purpose."""
    line = f"Text::{word(n)} - wraps {word(n + 3).lower()}"
    linked = f"<a href=/{n}>Text::{word(n)}</a> - wraps <a href=/to/{n}>{word(n + 3).lower()}</a>"
    said = {
        "p": f"<p>{line}</p>",
        "pre": f"<pre><code>{line}</code></pre>",
        "links": f"<p>{linked}</p>",
    }[kind]
    rest = f"<h1>DESCRIPTION</h1><p>{sentence(n)}</p><pre><code>{word(n)}</code></pre>"
    return f"<html><body><ul><li><a href=#n>NAME</a></ul><h1>NAME</h1>{said}{rest}</body></html>"


def named(n: int) -> dict[str, str]:
    return {"name": f"Text::{word(n)}", "purpose": f"wraps {word(n + 3).lower()}"}


def test_the_only_line_under_a_heading_is_read_whatever_element_it_stands_in() -> None:
    samples: Samples = [(of_code(1, "p"), named(1)), (of_code(2, "pre"), named(2))]
    kinds = ("p", "pre", "links")
    wrapper = learned(samples, [of_code(n, kinds[n % 3]) for n in SEVERAL])
    for kind in kinds:
        found = wrapper.extract(of_code(60, kind))
        assert {name: found.get(name) for name in named(60)} == named(60)


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


def test_a_section_that_few_pages_have_need_not_begin_as_it_does_on_both_samples() -> None:
    samples: Samples = [
        (module(n, f"use Foo::{word(n)};"), {"name": f"Foo::{word(n)}", "synopsis": f"use Foo::{word(n)};"})
        for n in (1, 2)
    ]
    codes = ("use Foo::{};", "", "", "", "my $x = {};", "", "", "")
    wrapper = learned(samples, [module(n, codes[n % 8].format(word(n))) for n in SEVERAL])
    assert wrapper.extract(module(61, "my $x = it;"))["synopsis"] == "my $x = it;"
    assert wrapper.extract(module(61, "use Foo::It;"))["synopsis"] == "use Foo::It;"
    assert wrapper.extract(module(61, "")).get("synopsis") is None


# What stands in the other sections


def parts(n: int, *heads: str) -> PageView:
    shown = "".join(
        f"<div class=part><h2>{head}</h2><div class=box><p>{sentence(n + at, head)}</p></div></div>"
        for at, head in enumerate(heads)
    )
    return PageView.parse(f"<html><body><h1>{word(n)}</h1>{shown}</body></html>", f"http://a.test/{n}")

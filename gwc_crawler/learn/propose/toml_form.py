"""A proposal → the text of a site file, with comments that tell what each guess rests on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gwc_crawler.errors import advice
from gwc_crawler.items import is_empty
from gwc_crawler.learn.propose.guess import FieldProposal
from gwc_crawler.learn.propose.site import Proposal
from gwc_crawler.page.json_page import is_json
from gwc_crawler.sites.toml_text import toml_key, toml_string, toml_value
from gwc_crawler.urls import host_of

LONGEST_WHY = 90
_ELEMENT = re.compile(r"<(?:\w+ )?([^<>]+)>")
"""Matches the clue for a member of JSON: an element that has its key as its class."""


def site_text(proposal: Proposal, name: str) -> str:
    """Return the whole TOML text of a site file to be called *name*."""
    return "\n".join(_lines(proposal, name)) + "\n"


def _lines(proposal: Proposal, name: str) -> Iterator[str]:
    yield f"# {host_of(proposal.entry)}: proposed from two of its pages."
    yield "# Look whether the values are right; name the fields as you like, delete what you don't want."
    yield advice(f"# Then: scrapy crawl {name}")
    yield ""
    yield "# Where the crawl starts."
    yield f"entry = [{toml_string(proposal.entry)}]"
    yield ""
    if proposal.keywords and proposal.are_keywords_wanted:
        yield f"keywords = {toml_string(proposal.keywords)}"
        yield ""
    elif proposal.keywords:
        yield "# Words that these pages say and the front page does not. They need not be right: the samples tell more."
        yield f"# keywords = {toml_string(proposal.keywords)}"
        yield ""
    for number, page in enumerate(proposal.pages[:2]):
        yield "[[samples]]"
        yield f"url = {toml_string(page.url)}"
        yield "[samples.fields]"
        for one in proposal.fields:
            yield from _field(one, number, of_json=is_json(page.content_type))
        yield ""
    yield from _types(proposal.fields)
    if proposal.left_out:
        yield "# Left out, as it can't be learned from these two pages:"
        for one in proposal.left_out:
            yield f"# {toml_key(one.name)}: {_one_line(one.problem)} ({_one_line(one.why)})"


def _field(one: FieldProposal, number: int, *, of_json: bool) -> Iterator[str]:
    value = one.values[number]
    if number == 0:
        yield "# " + _one_line(_ELEMENT.sub(r"\1", one.why) if of_json else one.why)
    if is_empty(value) or value is None:
        yield f"# {toml_key(one.name)}: this page does not have it"
    else:
        yield f"{toml_key(one.name)} = {toml_value(value)}"


TYPED = {"price": "price", "date": "date"}


def _types(fields: Sequence[FieldProposal]) -> Iterator[str]:
    typed = [one.name for one in fields if one.name in TYPED and isinstance(one.values[0] or one.values[1], str)]
    if typed:
        yield "# Switch on to have numbers and dates beside the texts; see docs/site-files.md."
        yield "# [types]"
        yield from (f'# {name} = "{TYPED[name]}"' for name in typed)
        yield ""


def _one_line(text: str) -> str:
    plain = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    return plain if len(plain) <= LONGEST_WHY else plain[: LONGEST_WHY - 1] + "…"

"""A reference with two kinds of entries that share a template and are called otherwise, as manuals have them."""

from __future__ import annotations

from typing import Any

from tests.conftest import Project
from tests.extract.pages import sentence, word
from tests.site_server import SiteServer

KINDS = ("method", "signal")
ENTRIES = 60
"""Of each kind: the first one's are numbered from 0, the second one's from 100."""


def numbers(kind: str) -> range:
    """The numbers of a kind's entries."""
    first = 100 * KINDS.index(kind)
    return range(first, first + ENTRIES)


def address(form: str, kind: str, number: int) -> str:
    """The path of an entry; *form* has {kind} and {word}."""
    return form.format(kind=kind, word=word(number).lower())


def fields(number: int) -> dict[str, Any]:
    """What a person sees on the page of an entry."""
    return {"title": word(number), "lead": sentence(number), "params": [word(number + n) for n in (77, 78, 79)]}


def reference(form: str, *, own_parts: bool = False) -> dict[str, tuple[str, list[str]]]:
    """Path → page and its links: a front page, a list of each kind, the entries.

    Args:
        own_parts: whether each kind has parts that the other has not.
    """
    lists = {f"/{kind}s.html": [address(form, kind, number) for number in numbers(kind)] for kind in KINDS}
    site = {"/": (_list(list(lists)), list(lists))}
    site |= {path: (_list(entries), ["/", *entries]) for path, entries in lists.items()}
    for kind in KINDS:
        for number in numbers(kind):
            site[address(form, kind, number)] = _entry(kind, number, own_parts=own_parts), ["/"]
    return site


COMMENT = "# how many\npages = 400  # at most\n"


def learn_reference(project: Project, site: SiteServer, form: str) -> str:
    """Serve a reference, learn it as "ref" by two methods as samples; what was printed."""
    for path, (html, links) in reference(form).items():
        site.bodies[path], site.links[path] = (html.encode(), "text/html; charset=utf-8"), links
    samples = "".join(
        f'[[samples]]\nurl = "{site.url}{address(form, "method", number)}"\n[samples.fields]\n'
        + "".join(f"{name} = {value!r}\n" for name, value in fields(number).items())
        for number in (3, 9)
    )
    project.write_site("ref", f'entry = ["{site.url}/"]\n{samples}[learn]\n{COMMENT}')
    outcome = project.scrapy("learn", "ref")
    assert outcome.code == 0, outcome.err
    return outcome.out


def _list(links: list[str]) -> str:
    items = "".join(f"<li><a href={one}>{one}</a></li>" for one in links)
    return f"<html><head><title>All</title></head><body><h1>All</h1><ul>{items}</ul></body></html>"


def _entry(kind: str, number: int, *, own_parts: bool) -> str:
    seen = fields(number)
    rows = "".join(f"<tr><td>{one}</td></tr>" for one in seen["params"])
    own = f"<div class={kind}box><h3>{kind.title()} notes</h3><p>{kind}</p></div><p class={kind}nav>In</p>"
    return (
        f"<html><head><title>{seen['title']}</title></head><body><a href=/>Home</a><div class=main>"
        f"<h1>{seen['title']}</h1><p class=lead>{seen['lead']}</p><table class=params>{rows}</table>"
        f"{own if own_parts else ''}</div></body></html>"
    )

"""One site file for a family of sites of one make, told by their hosts, crawled with the knowledge of one of them.

In: a site file with `[template] hosts = ["*.example.com"]` and a host that matches. Out: the member's `Site`, and
the template's knowledge with the host in place of its own. Called by the loader and by `scrapy work`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from gwc_crawler.errors import KnowledgeError
from gwc_crawler.knowledge.model import Knowledge, UrlClass
from gwc_crawler.sites.keys import take_table, take_texts
from gwc_crawler.sites.schema import Site
from gwc_crawler.sites.toml_text import Notes
from gwc_crawler.urls import host_of

_PATTERN = re.compile(r"[\w*-]+(\.[\w*-]+)*(:[\d*]+)?")
_PORT = re.compile(r"(.*\.\w+|localhost)-(\d{1,5})")

_REGEX_KEYS = frozenset({"regex", "cut", "target"})  # under these keys a knowledge file holds regular expressions


def member_of(template: Site, host: str) -> Site | None:
    """Return the site of *host* as a member of *template*'s family; None if no pattern takes it, or it is its own.

    A member has the template's file in everything but the name, which is its host's, and the entries' host. Pages of
    the samples are not its own, and it does not get the template's credentials.
    """
    own = host_of(template.entry[0])
    if host == own or not any(_host_regex(pattern).fullmatch(host) for pattern in template.family):
        return None

    def moved(urls: Iterable[str]) -> tuple[str, ...]:
        return tuple(urlsplit(url)._replace(netloc=host).geturl() for url in urls)

    listed, name = template.sitemap, host.replace(":", "-")
    member = replace(template, name=name, entry=moved(template.entry), hosts=(), template=template.name, family=())
    sitemap = listed if isinstance(listed, bool) else moved(listed)
    return replace(member, sitemap=sitemap, access=template.access.of_others())


def member_host(name: str) -> str:
    """Return the host that a member's name stands for; a host stands for itself.

    >>> member_host("b.example.com-8080"), member_host("b.example.com"), member_host("127.0.0.1:80")
    ('b.example.com:8080', 'b.example.com', '127.0.0.1:80')
    """
    port = _PORT.fullmatch(name)
    return f"{port[1]}:{port[2]}" if port else name


def member_knowledge(knowledge: Knowledge, template: str, site: Site) -> Knowledge:
    """Return the knowledge from the host *template*, adapted to *site*: its host in every pattern and example.

    Raises KnowledgeError: a target filter doesn't name the template's host as it is, so it can't serve another.
    """
    host = host_of(site.entry[0])
    data = _swapped(asdict(knowledge), _host_in_text(template), host)
    swapped = Knowledge.from_json({**data, "site": site.name, "evidence": {**data["evidence"], "template": template}})
    for before, after in zip(knowledge.targets, swapped.targets, strict=True):
        if before.regex == after.regex or not _same_examples(before, after):
            raise KnowledgeError(
                f"the target filter {before.regex!r} does not name the host {template!r} as it is, so what was learned "
                f"there can't serve {host}; name the class with `[learn] target`, or learn {host} by itself"
            )
    return swapped


def read_family(data: Mapping[str, Any], entry: Sequence[str], notes: Notes) -> tuple[str, ...]:
    """Return the host patterns of [template], () if there is none; note their faults."""
    table = take_table(data, "template", notes)
    if "template" not in data:
        return ()
    patterns = []
    for path, text in take_texts(table, "hosts", notes, ("template", "hosts")):
        pattern = text.strip().lower()
        labels = pattern.partition(":")[0].split(".")
        plain = sum("*" not in label for label in labels)
        if not _PATTERN.fullmatch(pattern):
            hint = "write it like '*.example.com' or 'shop-*.example.com:8080'"
            notes.mistake(path, f"{text!r} in [template] is no host pattern; {hint}")
        elif plain < 2 and labels[-1] != "localhost":
            hint = "at least two names between its dots have to be without *"
            notes.mistake(path, f"{text!r} in [template] would take in strangers' sites; {hint}")
        else:
            patterns.append(pattern)
    if not table.get("hosts"):
        notes.mistake(("template",), '[template] needs hosts = ["*.example.com"]: which sites it serves')
    if len({host_of(url) for url in entry}) > 1:
        notes.mistake(("template",), "[template] needs all entries on one host, which others are put in the place of")
    return tuple(dict.fromkeys(patterns))


@cache
def _host_regex(pattern: str) -> re.Pattern[str]:
    """`*` stands for one or more characters of a name between two dots; in a port, for digits."""
    name, colon, port = pattern.partition(":")
    return re.compile(re.escape(name).replace(r"\*", r"[\w-]+") + colon + port.replace("*", "[0-9]+"))


@cache
def _host_in_text(host: str) -> re.Pattern[str]:
    """Return the *host* of a URL, in a text or escaped in a regex, and no longer one that begins or ends like it."""
    letters = "".join(char if char.isalnum() else rf"(?:\\?{re.escape(char)}|\[{char}\])" for char in host)
    return re.compile(rf"(?<=//){letters}(?!\\?[\w.:-]|\[[.:-]\])")


def _swapped(value: Any, old: re.Pattern[str], host: str, key: str = "") -> Any:
    if isinstance(value, str):
        escaped = re.escape(host).replace(r"\-", "-")
        return old.sub(lambda found: escaped if key in _REGEX_KEYS or "\\" in found[0] else host, value)
    if isinstance(value, Mapping):
        return {name: _swapped(inner, old, host, name) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_swapped(inner, old, host, key) for inner in value]
    return value


def _same_examples(before: UrlClass, after: UrlClass) -> bool:
    """Say whether the swapped filter takes the swapped examples as the old one took the old ones."""
    return all(
        bool(re.fullmatch(before.regex, old)) == bool(re.fullmatch(after.regex, new))
        for old, new in zip(before.examples, after.examples, strict=True)
    )

"""The links of a page and the addresses they lead to: hrefs, handlers, forms, and pages that only forward.

A form that is sent by GET and lets one choose is a directory of its own: each choice is a page that no link leads to.
Forms that want something typed, a password or a file are left alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice, product
from math import prod
from typing import Any, TypeAlias
from urllib.parse import quote, urlencode

from lxml import etree

from gwc_crawler.page.charset import detect_charset
from gwc_crawler.page.outline import refresh_href
from gwc_crawler.page.parse import parse_html
from gwc_crawler.urls import join_url

# --- Links that no href says ------------------------------------------------------------------------------------------

_ELEMENTS = etree.XPath("//*[@data-href or @onclick]")

_LITERAL = re.compile(
    r"""(?:(?<![\w$])(?:location|location\.href)\s*=(?!=)\s*|
           (?<![\w$])location\.(?:assign|replace)\s*\(\s*|
           (?<![\w$])window\.open\s*\(\s*)
        (?:'([^'\\<>\n]*)'|"([^"\\<>\n]*)")\s*(?![\s+.\[])""",
    re.VERBOSE,
)
"""Matches a literal address; one followed by `+` is only a beginning."""


def hidden_links(tree: Any) -> list[str]:
    """Return the addresses that elements have beside hrefs, as they are written, in page order.

    >>> hidden_links(etree.HTML('''<tr data-href="/a"><td onclick="location.href='b.html'">
    ... <a onclick="window.open('c?x=1', 'w'); return false" href="#">c</a><p onclick="location='/d/' + id">'''))
    ['/a', 'b.html', 'c?x=1']
    """
    links = []
    for element in _ELEMENTS(tree):
        handler = element.get("onclick", "")
        if len(handler) > MAX_URL_LENGTH:  # a program
            handler = ""
        links += [element.get("data-href"), *(found[1] or found[2] for found in _LITERAL.finditer(handler))]
    return list(filter(None, links))


# --- One href of a page → an absolute, normalised URL, or None if it leads to no page; `reader` judges it -------------

MAX_URL_LENGTH = 2083  # longer URLs are no links: no browser of the time took them, and traps grow them

_LEADS_NOWHERE = re.compile(r"\s*(?:#|$|(?!https?:)[a-z][a-z0-9+.-]*:)", re.IGNORECASE)
"""A place on the page itself, nothing at all, or a scheme that is not the web's."""
_BINARY = re.compile(
    r"\.(?:jpe?g|png|gif|webp|bmp|ico|svg|tiff?|mp[34g]|mpe?g|avi|mov|wmv|wav|flv|swf|webm|ogg|m4[av]|"
    r"zip|rar|7z|gz|tgz|bz2|xz|tar|iso|exe|msi|dmg|apk|ipa|deb|rpm|jar|bin|"
    r"pdf|docx?|xlsx?|pptx?|ps|epub|mobi|chm|css|js|json|woff2?|ttf|eot)$",
    re.IGNORECASE,
)


def resolve_href(base: str, href: str, charset: str = "utf-8") -> str | None:
    """Make one href absolute and normalised, its query escaped in the page's charset; None if it leads to no page."""
    if _LEADS_NOWHERE.match(href) or len(href) > MAX_URL_LENGTH:
        return None
    if "\\" in href:
        path, question, query = href.partition("?")
        href = path.replace("\\", "/") + question + query
    if not href.isascii() and "?" in href:
        path, _, query = href.partition("?")
        query, hash_, fragment = query.partition("#")
        written_in = sent_charset(charset)
        escaped = "".join(one if one.isascii() else quote(one, encoding=written_in, errors="replace") for one in query)
        href = f"{path}?{escaped}{hash_}{fragment}"
    url = join_url(base, href)
    return url if url and len(url) <= MAX_URL_LENGTH else None


@cache
def sent_charset(charset: str) -> str:
    """Return the charset in which a page of *charset* sends its queries: UTF-8 if it can't be written.

    Source:
        WHATWG, Encoding Standard, *get an output encoding*: UTF-16 and charsets unknown to browsers become UTF-8.
    """
    try:
        "".encode(charset)
        "-".encode(charset)
    except (LookupError, UnicodeError):
        return "utf-8"
    return "utf-8" if charset.lower().startswith(("utf-16", "utf-32")) else charset


def leads_to_binary(url: str) -> bool:
    """Tell whether the path of a URL ends like that of an image, archive, document or other file that is no page."""
    return _BINARY.search(url.partition("?")[0]) is not None


Pair: TypeAlias = tuple[str, str]
Choice: TypeAlias = list[Pair]

_LEFT_OUT = frozenset({"submit", "button", "image", "reset", "checkbox", "radio"})
_PRIVATE = frozenset({"password", "file"})
_TYPED = frozenset({"", "text", "search", "email", "tel", "url", "number", "date"})
MOST_FORMS = 20
MOST_CHOICES = 12  # maximum numbers of forms of a page, and of choices in a form, that are looked at


def form_links(tree: Any, charset: str, most: int) -> list[str]:
    """Return the addresses of a page's forms and jump menus as hrefs, each combination of choices once.

    Args:
        charset: the page's, in which a browser writes what it sends.
        most: addresses of one form at most. With more combinations each choice is varied by itself, the others as they
            are set; a form with more options than that is left alone.

    Source:
        T-Spider, *deep sources*: pages behind a form are generated from its options.

    >>> from lxml import etree
    >>> form_links(etree.HTML('''<form action="/find"><select name=c><option value=1>A<option value=2>B</select>
    ... <input type=hidden name=k value="x y"></form>'''), "utf-8", 10)
    ['/find?c=1&k=x+y', '/find?c=2&k=x+y']
    """
    links = [link for form in islice(tree.iter("form"), MOST_FORMS) for link in _of_form(form, charset, most)]
    links += [link for menu in tree.iter("select") for link in _of_menu(menu, most)]
    return list(dict.fromkeys(links))


def _of_form(form: Any, charset: str, most: int) -> list[str]:
    if form.get("method", "get").strip().lower() != "get":
        return []
    choices = _choices(form)
    varied = [one for one in choices if len(one) > 1]
    if not varied or len(choices) > MOST_CHOICES:
        return []
    action = (form.get("action") or "").partition("#")[0].partition("?")[0]
    sent, errors = sent_charset(charset), "xmlcharrefreplace"
    return [f"{action}?{urlencode(pairs, encoding=sent, errors=errors)}" for pairs in _combinations(choices, most)]


def _choices(form: Any) -> list[Choice]:
    """Return for each field of a form the values it can send, the preset first; [] if a person has to type one."""
    choices: list[Choice] = []
    radios: dict[str, Choice] = {}
    for field in form.iter("input", "select", "textarea"):
        name, kind = field.get("name"), field.get("type", "").strip().lower()
        if kind in _PRIVATE or field.tag == "textarea":
            return []
        if not name or field.get("disabled") is not None:
            continue
        if field.tag == "select":
            choices.append([(name, value) for value in _options(field)] or [(name, "")])
        elif kind == "radio":
            if name not in radios:
                choices.append(radios.setdefault(name, []))
            if (pair := (name, field.get("value", "on"))) not in radios[name]:
                radios[name].insert(0 if field.get("checked") is not None else len(radios[name]), pair)
        elif kind not in _LEFT_OUT or (kind == "checkbox" and field.get("checked") is not None):
            if kind in _TYPED and field.get("required") is not None:
                return []
            choices.append([(name, field.get("value", "on" if kind == "checkbox" else ""))])
    return choices


def _options(select: Any) -> list[str]:
    values: list[str] = []
    for option in select.iter("option"):
        if option.get("disabled") is None:
            value = option.get("value")
            value = " ".join("".join(option.itertext()).split()) if value is None else value
            values.insert(0 if option.get("selected") is not None else len(values), value)
    return list(dict.fromkeys(values))


def _combinations(choices: list[Choice], most: int) -> Iterator[tuple[Pair, ...]]:
    if prod(map(len, choices)) <= most:
        yield from product(*choices)
    elif sum(len(choice) - 1 for choice in choices) < most:
        first = tuple(choice[0] for choice in choices)
        yield first
        for place, choice in enumerate(choices):
            yield from ((*first[:place], pair, *first[place + 1 :]) for pair in choice[1:])


def _of_menu(menu: Any, most: int) -> list[str]:
    handler = menu.get("onchange", "")
    if "location" not in handler and "open(" not in handler:
        return []
    values = [option.get("value", "").strip() for option in menu.iter("option")]
    links = [value for value in values if "/" in value or "?" in value or "." in value]
    return links if len(links) <= most else []


# --- Whether a page only leads on: where a browser would be before anybody has read it --------------------------------

_HEAD_BYTES = 4096  # the same as in Scrapy's MetaRefreshMiddleware
_SCRIPT = r"""(?:\s|<!--|//|["']use\ strict["'];?)*
    (?:(?:window|self|top|parent|document)\.)*location(?:\.href)?
    (?:\s*=\s*|\.(?:replace|assign)\s*\(\s*)
    (?:'([^'\\\n]*)'|"([^"\\\n]*)")\s*\)?\s*;?(?:\s|return\s+(?:true|false);?|//|-->)*"""
_LEAVES = re.compile(_SCRIPT, re.VERBOSE)  # a script that does nothing else, under no condition
_HINTS = (
    (
        b"refresh",
        re.compile(
            rb"<meta\b(?=[^>]*http-equiv\s*=\s*[\"']?\s*refresh)"
            rb"[^>]*content\s*=\s*(?:[\"'][\s\d.]*[^\s\d.\"']|[\d.]+[^\s\d./>])"
        ),
    ),
    (b"location", re.compile(rb"<script[^>]*>" + _SCRIPT.encode() + b"</script", re.VERBOSE)),
)
"""A word that most pages lack and that is found fast, and a pattern of a forward, in lower case: not a page that
reloads itself, nor a script with a condition, as sites have them on all pages."""
_SECONDS = re.compile(r"\s*([0-9]{0,9})")
_MOST_SECONDS = 100  # the same as Scrapy's METAREFRESH_MAXDELAY: a page that stays longer is there to be read


def leads_on_to(url: str, body: bytes, content_type: str, refresh: str = "") -> str | None:
    """Return where a page leads on to, with nothing else to click; *refresh*: the header like a meta refresh."""
    head = body[:_HEAD_BYTES].lower()
    if not refresh and not any(word in head and hint.search(head) for word, hint in _HINTS):
        return None
    charset = detect_charset(body, content_type)
    tree = parse_html(body, charset)
    base = resolve_href(url, next(iter(tree.xpath("//base/@href")), ""), charset) or url
    metas = [meta for meta in tree.iter("meta") if meta.get("http-equiv", "").strip().lower() == "refresh"]
    for content in (refresh, *(meta.get("content", "") for meta in metas if not _is_hidden(meta))):
        there = resolve_href(base, href, charset) if (href := refresh_href(content)) else None
        seconds = int("0" + _SECONDS.findall(content)[0])
        if there is not None and (not seconds or (seconds <= _MOST_SECONDS and _is_all_there_is(tree, base, there))):
            return there
    for script in tree.iter("script"):
        if (found := _LEAVES.fullmatch(script.text or "")) and not _is_hidden(script):
            return resolve_href(base, found[1] or found[2] or "", charset)
    return None


def _is_hidden(element: Any) -> bool:
    return next(element.iterancestors("noscript", "template"), None) is not None


def _is_all_there_is(tree: Any, base: str, there: str) -> bool:
    return all(resolve_href(base, link.get("href")) in (there, None) for link in tree.iterfind(".//a[@href]"))

"""Forms → the addresses they lead to: `deep = true` in a site file asks for them.

A form that is sent by GET and lets one choose is a directory of its own: each choice is a page that no link leads to.
So is a menu that jumps to the address of the chosen option. Forms that want something typed, a password or a file are
left alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, TypeAlias
from urllib.parse import urlencode

from gwc_crawler.page.links.hrefs import sent_charset

Pair: TypeAlias = tuple[str, str]
Choice: TypeAlias = list[Pair]

_LEFT_OUT = frozenset({"submit", "button", "image", "reset", "checkbox", "radio"})
_PRIVATE = frozenset({"password", "file"})
_TYPED = frozenset({"", "text", "search", "email", "tel", "url", "number", "date"})
MOST_FORMS = 20
MOST_CHOICES = 12
"""Of forms on a page, and of what can be chosen in one, more are looked at by nobody."""


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
    links: dict[str, None] = {}
    for number, form in enumerate(tree.iter("form")):
        if number == MOST_FORMS:
            break
        links.update(dict.fromkeys(_of_form(form, charset, most)))
    for menu in tree.iter("select"):
        links.update(dict.fromkeys(_of_menu(menu, most)))
    return list(links)


def _of_form(form: Any, charset: str, most: int) -> list[str]:
    if form.get("method", "get").strip().lower() != "get":
        return []
    choices = _choices(form)
    varied = [one for one in choices if len(one) > 1]
    if not varied or len(choices) > MOST_CHOICES:
        return []
    action = (form.get("action") or "").partition("#")[0].partition("?")[0]
    return [f"{action}?{_encoded(pairs, charset)}" for pairs in _combinations(choices, most)]


def _choices(form: Any) -> list[Choice]:
    """Return for each field of a form what it can send, what is set first; [] where a person has to type something."""
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
            _put(radios[name], (name, field.get("value", "on")), first=field.get("checked") is not None)
        elif kind not in _LEFT_OUT or (kind == "checkbox" and field.get("checked") is not None):
            if kind in _TYPED and field.get("required") is not None:
                return []
            choices.append([(name, field.get("value", "on" if kind == "checkbox" else ""))])
    return choices


def _put(choice: Choice, pair: Pair, *, first: bool) -> None:
    if pair not in choice:
        choice.insert(0 if first else len(choice), pair)


def _options(select: Any) -> list[str]:
    """Return the values that a select can send, the one that is set first."""
    values: list[str] = []
    for option in select.iter("option"):
        if option.get("disabled") is None:
            value = option.get("value")
            value = " ".join("".join(option.itertext()).split()) if value is None else value
            values.insert(0 if option.get("selected") is not None else len(values), value)
    return list(dict.fromkeys(values))


def _combinations(choices: list[Choice], most: int) -> Iterator[tuple[Pair, ...]]:
    count = 1
    for choice in choices:
        count *= len(choice)
    if count <= most:
        yield from product(*choices)
    elif sum(len(choice) - 1 for choice in choices) < most:
        first = tuple(choice[0] for choice in choices)
        yield first
        for place, choice in enumerate(choices):
            yield from ((*first[:place], pair, *first[place + 1 :]) for pair in choice[1:])


def _encoded(pairs: tuple[Pair, ...], charset: str) -> str:
    return urlencode(pairs, encoding=sent_charset(charset), errors="xmlcharrefreplace")


def _of_menu(menu: Any, most: int) -> list[str]:
    """Return the addresses in the options of a menu that jumps where it is set."""
    handler = menu.get("onchange", "")
    if "location" not in handler and "open(" not in handler:
        return []
    values = [option.get("value", "").strip() for option in menu.iter("option")]
    links = [value for value in values if "/" in value or "?" in value or "." in value]
    return links if len(links) <= most else []

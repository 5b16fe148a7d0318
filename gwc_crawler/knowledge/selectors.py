"""Check selectors that a person wrote, and locate their faults: CSS, XPath, JMESPath, regular expressions."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from gwc_crawler.errors import nearest

SELECTED = "selected"  # the kind of rules that read a field by a person's selectors

XPATH_FUNCTIONS = frozenset(
    {
        *("last", "position", "count", "id", "local-name", "namespace-uri", "name", "string", "concat", "starts-with"),
        *("contains", "substring-before", "substring-after", "substring", "string-length", "normalize-space"),
        *("translate", "boolean", "not", "true", "false", "lang", "number", "sum", "floor", "ceiling", "round"),
        *("text", "node", "comment", "processing-instruction"),
    }
)
"""The functions of XPath 1.0 and its tests for nodes."""

PARSEL_FUNCTIONS = XPATH_FUNCTIONS | {
    *("has-class", "re:test", "re:match", "re:replace"),
    *("set:difference", "set:has-same-node", "set:intersection", "set:leading", "set:trailing", "set:distinct"),
}
"""Further functions of parsel; `re` and `set` are its namespaces."""

_NAMESPACES = {"re": "http://exslt.org/regular-expressions", "set": "http://exslt.org/sets"}
_OPERATORS = frozenset({"and", "or", "div", "mod"})
_XPATH_WORD = re.compile(r""""[^"]*+"|'[^']*+'|(\$?[^\W\d][\w.-]*+(?::[^\W\d][\w.-]*+)?+)(\s*+\()?+""")
_XPATH_REGEX = re.compile(r"""re:(?:test|match|replace)\s*\([^"',]*,\s*(?:"([^"]*)"|'([^']*)')""")
_ENDLESS_REGEX = re.compile(r"\((?:\?:|\?P<\w+>)?(?:\[[^\]]*\]|\\.|[^\\()\[\]])[+*]\)(?:[+*]|\{[0-9]*,\})")
_CSS_PLACE = re.compile(r" at (\d+)>")
_CSS_NAME = re.compile(r"::?[\w-]+")
_QUOTE_NAMES = 'a name with other signs than letters, digits and _ stands in double quotes: "@type"'


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault, as the end of a sentence, and its character in the selector (from 0), if that is known."""

    text: str
    at: int | None = None


def selector_fault(kind: str, selector: str) -> Fault | None:
    """Say what is wrong with a selector of a kind: "css", "xpath", "jmespath" or "regex"; None if nothing is."""
    if not selector.strip():
        return Fault("is empty")
    return _FAULTS[kind](selector)


def css_fault(selector: str) -> Fault | None:
    """Say what is wrong with CSS as parsel knows it: with `::text` and `::attr(name)`."""
    from cssselect import SelectorError
    from lxml import etree  # a command that only reports on a site needs no HTML parser
    from parsel import css2xpath

    try:
        etree.XPath(css2xpath(selector))
    except (SelectorError, etree.XPathSyntaxError, ValueError, RecursionError) as error:
        told = str(error)
        name = _CSS_NAME.search(told)
        place = _CSS_PLACE.search(told)
        at = int(place[1]) if place else selector.find(name[0]) if name else -1
        known = _css_names(element=name[0].startswith("::")) if name and told.endswith("unknown") else ()
        hint = f" ({nearest(name[0].strip(':'), known)})" if name and known else ""
        return Fault(f"is no CSS selector: {told[:1].lower() + told[1:]}{hint}", at if at >= 0 else None)
    return None


@cache
def _css_names(*, element: bool) -> tuple[str, ...]:
    from cssselect import HTMLTranslator

    if element:
        return ("attr", "text")
    found = re.findall(r"xpath_(\w+)_(?:pseudo|function)\b", " ".join(dir(HTMLTranslator)))
    return (*(name.replace("_", "-") for name in found), "not", "is", "has")


def xpath_fault(selector: str) -> Fault | None:
    """Say what is wrong with an XPath as parsel knows it."""
    from lxml import etree  # as above
    from parsel import Selector

    if (fault := plain_xpath_fault(selector, PARSEL_FUNCTIONS, _NAMESPACES)) is not None:
        return fault
    for found in _XPATH_REGEX.finditer(selector):
        if (fault := regex_fault(found[1] or found[2] or "")) is not None:
            return Fault(f"has in {found[0]} a text that {fault.text}", found.start())
    try:
        Selector(root=etree.Element("html")).xpath(selector)
    except ValueError as error:
        return Fault(f"can't be evaluated ({error})")
    return None


def plain_xpath_fault(
    selector: str, functions: Set[str] = XPATH_FUNCTIONS, namespaces: Mapping[str, str] | None = None
) -> Fault | None:
    """Say what is wrong with an XPath that calls no other functions and has no other prefixes than these."""
    from lxml import etree  # as above

    try:
        compiled_xpath(selector, is_plain=namespaces is None)
    except (etree.XPathSyntaxError, ValueError) as error:
        last = error.error_log.last_error if isinstance(error, etree.XPathSyntaxError) else None
        return Fault(f"is no XPath ({error})", last.column if last else None)
    faults = (_word_fault(word, functions, namespaces or {}) for word in _XPATH_WORD.finditer(selector))
    return next(filter(None, faults), None)


@lru_cache(maxsize=4_096)
def compiled_xpath(selector: str, *, is_plain: bool = True) -> Any:
    """Return the compiled form of an XPath, *is_plain*: without parsel's namespaces; raises what lxml raises."""
    from lxml import etree  # as above

    return etree.XPath(selector, namespaces=None if is_plain else _NAMESPACES)


def _word_fault(word: re.Match[str], functions: Set[str], namespaces: Mapping[str, str]) -> Fault | None:
    name = word[1] or ""
    prefix, colon, rest = name.partition(":")
    if word[2] and name not in functions and name not in _OPERATORS:
        text = f"calls the unknown function {name!r} ({nearest(name, sorted(functions), 'known functions')})"
        return Fault(text, word.start())
    if colon and prefix not in namespaces:
        hint = f"elements of HTML have none: write {rest}, or *[name()={name!r}]"
        return Fault(f"has the unknown namespace prefix {prefix!r} ({hint})", word.start())
    if name.startswith("$"):
        return Fault(f"has the variable {name}, which nothing gives a value", word.start())
    return None


def jmespath_fault(selector: str) -> Fault | None:
    """Say what is wrong with a JMESPath expression."""
    import jmespath
    from jmespath.exceptions import JMESPathError

    try:
        parsed = jmespath.compile(selector).parsed
    except (JMESPathError, RecursionError) as error:
        token = getattr(error, "token_value", "")
        what = f"unexpected {token!r}" if token else "it ends too early"
        return Fault(f"is no JMESPath ({what}; {_QUOTE_NAMES})", getattr(error, "lex_position", None))
    return next(filter(None, (_call_fault(call, selector) for call in _calls(parsed))), None)


def _calls(node: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    if node["type"] == "function_expression":
        yield node
    for child in node["children"]:
        yield from _calls(child) if isinstance(child, Mapping) else ()


def _call_fault(call: Mapping[str, Any], selector: str) -> Fault | None:
    from jmespath.functions import Functions

    known, name = Functions.FUNCTION_TABLE, call["value"]
    at = selector.find(f"{name}(")
    if name not in known:
        return Fault(f"calls the unknown function {name!r} ({nearest(name, sorted(known), 'known functions')})", at)
    wanted, given = known[name]["signature"], len(call["children"])
    if given < len(wanted) or (given > len(wanted) and not wanted[-1].get("variadic")):
        return Fault(f"calls {name!r} with {given} arguments, which takes {len(wanted)}", at)
    return None


def regex_fault(selector: str) -> Fault | None:
    """Say what is wrong with a regular expression; one that may take for ever counts as wrong."""
    try:
        compiled(selector, "is no regular expression")
    except ValueError as error:
        return Fault(str(error), getattr(error.__cause__, "pos", None))
    if endless := _ENDLESS_REGEX.search(selector):
        return Fault(f"repeats a repetition, {endless[0]!r}: that can take for ever", endless.start())
    return None


def compiled(pattern: str, complaint: str) -> re.Pattern[str]:
    """Compile a regular expression; ValueError: what is wrong, or what Python only warns of."""
    try:
        with warnings.catch_warnings(action="error"):
            return re.compile(pattern)
    except (re.error, OverflowError, RecursionError, Warning) as error:
        raise ValueError(f"{complaint} ({error})") from error


_FAULTS: Mapping[str, Callable[[str], Fault | None]] = {
    "css": css_fault,
    "xpath": xpath_fault,
    "jmespath": jmespath_fault,
    "regex": regex_fault,
}

SELECTOR_KINDS = tuple(_FAULTS)

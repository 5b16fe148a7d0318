"""Templates and their values → pages. Every text is escaped, and shown without signs that turn the text direction."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from gwc_crawler.dashboard.web.visit import NAMES, Route, Wording, site_path
from gwc_crawler.errors import visible
from gwc_crawler.page.parse import parse_html

WIDTH = 240
HEIGHT = 48


def bar(share: float, kind: str = "") -> Markup:
    """Return a bar that is filled to *share* (0 … 1). *kind*: a class of the style sheet."""
    percent = round(100 * min(1.0, max(0.0, share)), 1)
    return Markup(
        '<svg class="bar {}" aria-hidden="true" preserveAspectRatio="none"><rect class="rail" width="100%" '
        'height="100%" rx="3"/><rect class="fill" width="{}%" height="100%" rx="3"/></svg>'
    ).format(kind, percent)


def sparkline(values: Sequence[float], label: str) -> Markup:
    """Return a line with its area; the greatest value touches the top."""
    top = max(values, default=0.0) or 1.0
    points = _points(values, top)
    if not points:
        return Markup("")
    line = " ".join(f"{x},{y}" for x, y in points)
    area = f"0,{HEIGHT} {line} {points[-1][0]},{HEIGHT}"
    return Markup(
        '<svg class="spark" viewBox="0 0 {0} {1}" preserveAspectRatio="none" role="img"><title>{2}</title>'
        '<polygon points="{3}"/><polyline points="{4}" vector-effect="non-scaling-stroke"/></svg>'
    ).format(WIDTH, HEIGHT, label, area, line)


def lines(rows: Mapping[str, Sequence[float | None]], label: str, *, level: float | None = None) -> Markup:
    """Lines of shares (0 … 1), oldest first; None leaves a gap. *level*: the expected share, as a dashed line."""
    drawn = Markup("")
    if level is not None:
        y = round(HEIGHT * (1 - level), 1)
        drawn += Markup('<line class="level" x1="0" x2="{}" y1="{}" y2="{}"/>').format(WIDTH, y, y)
    for number, values in enumerate(rows.values()):
        points = _points([0.0 if value is None else value for value in values], 1.0)
        shown = " ".join(f"{x},{y}" for (x, y), value in zip(points, values, strict=True) if value is not None)
        drawn += Markup('<polyline class="line{}" points="{}" vector-effect="non-scaling-stroke"/>').format(
            number, shown
        )
    return Markup(
        '<svg class="spark lines" viewBox="0 -2 {} {}" preserveAspectRatio="none" role="img"><title>{}</title>{}</svg>'
    ).format(WIDTH, HEIGHT + 4, escape(label), drawn)


def _points(values: Sequence[float], top: float) -> list[tuple[float, float]]:
    step = WIDTH / max(1, len(values) - 1)
    return [(round(place * step, 1), round(HEIGHT - HEIGHT * value / top, 1)) for place, value in enumerate(values)]


# --- What the crawler has stored in English (why a value is missing, why a URL is in error) ---------------------------


STORED = (
    "not found on the page",
    "the page is not HTML",
    "lacks {missing} of {all} marks of a target page, such as {mark}",
    "has {found} of {all} marks of another kind of page, such as {mark}",
    "{missing} of {all} fields are not there: {names}",
    "the keywords {expression} do not hold outside links",
    "no number in {text}",
    "no amount in {text}",
    "no date in {text}",
    "not an http(s) URL: {text}",
    "Forbidden by robots.txt",
    "dropped",
    "the page says there is no such page",
    "reading failed: {problem}",
)
"""The common ones; in braces the text that differs each time."""

_FORMS = tuple(
    (text, re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.*?)", re.escape(text)) + r"\Z", re.DOTALL)) for text in STORED
)


def retold(text: str, say: Callable[..., str]) -> str:
    """Return *text* in the words of *say*, or unchanged if it is no known text.

    >>> retold("no date in 'soon'", lambda form, **parts: f"{form}: {parts['text']}")
    "no date in {text}: 'soon'"
    """
    for form, pattern in _FORMS:
        if found := pattern.match(text):
            return say(form, **found.groupdict())
    return text


_MARKS = re.compile("[\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\u061c]")
"""Matches signs without width, or that turn the direction of writing."""


class Renderer:
    """Makes pages of templates. `static`: the address of each of our files by its name."""

    def __init__(self, static: Mapping[str, str], routes: Sequence[Route]) -> None:
        self.routes = routes
        self._environment = Environment(
            loader=PackageLoader("gwc_crawler.dashboard"),
            autoescape=True,
            undefined=StrictUndefined,
            finalize=_finalized,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        drawn = (bar, lines, link, moment, site_path, sparkline)
        written = (ago, clean, count, moment, pace, percent, size, told)
        self._environment.globals.update({one.__name__: one for one in drawn})
        self._environment.globals.update(languages=NAMES, span_in=span, static=static)
        self._environment.filters.update({one.__name__: one for one in written})
        self._environment.filters["span"] = pass_context(lambda context, seconds: span(seconds, context["_"]))

    def render(self, template: str, words: Wording, values: Mapping[str, Any]) -> str:
        """Return the page."""
        return self._environment.get_template(template).render(_=words.say, language=words.language, **values)


def _finalized(value: Any) -> Any:
    if value is None:
        return "–"
    return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def clean(text: str) -> str:
    r"""Return *text* without what would act on the text around it.

    >>> clean("a\u202eb\u200bc\x00")
    'a\ufffdb\ufffdc\ufffd'
    """
    return _MARKS.sub("\ufffd", visible(text))


def link(url: Any, text: str = "") -> Markup:
    """Return a link to a foreign page, if it is one of the Web; else its text alone.

    >>> print(link("javascript:alert(1)"))
    <span class="url">javascript:alert(1)</span>
    """
    shown = clean(text or str(url))
    if is_web(str(url)):
        return Markup('<a class="url" href="{}" rel="noreferrer noopener" target="_blank">{}</a>').format(url, shown)
    return Markup('<span class="url">{}</span>').format(shown)


def is_web(url: str) -> bool:
    """Say whether an address is one of http or https, with nothing in it that a browser reads otherwise."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc) and not re.search(r"[\x00-\x20\x7f]", url)


def own_path(text: str) -> str:
    """Return *text* if it is an address of ours, else that of the first page.

    >>> own_path("/sites/a?b=c"), own_path("//evil.example/"), own_path("https://evil.example/"), own_path("/\\\\evil")
    ('/sites/a?b=c', '/', '/', '/')
    """
    return text if re.fullmatch(r"/(?![/\\])[^\\\x00-\x20]*", text) else "/"


def count(number: float | None) -> str:
    """Format a number with its thousands set apart."""
    return "–" if number is None else f"{number:,}"


def percent(share: float | None) -> str:
    """Format a share (0 … 1) as a percentage."""
    if share is None:
        return "–"
    return f"{share:.0%}" if share in (0.0, 1.0) or 0.1 <= share <= 0.994 else f"{share:.1%}"


def pace(number: float | None) -> str:
    """Format a number of pages a second."""
    return "–" if number is None else f"{number:,.0f}" if number >= 100 else f"{number:.1f}"


def size(number: float | None) -> str:
    """Format a number of bytes.

    >>> size(5_300_000)
    '5.3 MB'
    """
    if number is None:
        return "–"
    for unit in ("B", "kB", "MB", "GB"):
        if number < 1000:
            return f"{number:.3g} {unit}"
        number /= 1000
    return f"{number:.3g} TB"


def moment(at: float | str | None) -> Markup | str:
    """Format a time, in epoch seconds or ISO 8601, as a local date and time."""
    if not at:
        return "–"
    try:
        then = datetime.fromisoformat(at).astimezone() if isinstance(at, str) else datetime.fromtimestamp(at)
    except (ValueError, OverflowError, OSError, TypeError):
        return str(at)
    return Markup('<time datetime="{}">{}</time>').format(
        then.isoformat(timespec="seconds"), f"{then:%Y-%m-%d %H:%M:%S}"
    )


@pass_context
def ago(context: Context, seconds: float | None) -> str:
    """Format the time since an epoch time, in the language of the page."""
    return span(max(0.0, time.time() - seconds), context["_"]) if seconds else "–"


def span(seconds: float | None, say: Callable[[str], str] = str) -> str:
    """Format a duration in its largest unit or two; *say* has the words for these.

    >>> span(4.2), span(75), span(7300), span(200_000)
    ('4 s', '1 min 15 s', '2 h 1 min', '2 d 7 h')
    """
    if seconds is None:
        return "–"
    whole = int(seconds)
    for unit, length, smaller, part in (("d", 86_400, "h", 3600), ("h", 3600, "min", 60), ("min", 60, "s", 1)):
        if whole >= length:
            rest = whole % length // part
            return f"{whole // length} {say(unit)}" + (f" {rest} {say(smaller)}" if rest else "")
    return f"{whole} {say('s')}"


@pass_context
def told(context: Context, reason: str) -> str:
    """Translate a stored reason into the language of the page."""
    return retold(reason, context["_"])


NEVER_SHOWN = frozenset(
    {
        *("script", "style", "noscript", "template", "head", "title", "meta", "link", "base", "iframe", "frame"),
        *("frameset", "object", "embed", "applet", "param", "svg", "math", "canvas", "audio", "video", "source"),
        *("track", "map", "area", "select", "option", "optgroup", "datalist", "textarea", "input", "dialog"),
    }
)
"""Elements that are left out with all that is in them."""

KEPT = frozenset(
    {
        *("p", "div", "ul", "ol", "li", "dl", "dt", "dd", "table", "tbody", "thead", "tfoot", "tr", "td", "th", "b"),
        *("strong", "i", "em", "small", "blockquote", "pre", "section", "article", "main", "header", "footer"),
        *("aside", "nav", "figure", "figcaption", "span", "sup", "sub"),
    }
)
BLOCKS = frozenset(
    {
        *("h1", "h2", "h3", "h4", "h5", "h6", "form", "fieldset", "center", "address", "details", "summary"),
        *("hgroup", "legend", "caption"),
    }
)
"""Become `div`: the outline of the page around is ours."""

MOST_ELEMENTS = 5_000
MOST_CHARACTERS = 300_000


MARK = "outline: 3px solid #e8a317; background: #ffe58a; color: #222"
LONGEST_VALUE = 300


def elements_of(tree: Any) -> list[Any]:
    """Return the elements of a page by their numbers."""
    return [one for one in tree.iter() if isinstance(one.tag, str)]


def harmless(tree: Any, marked: Mapping[Any, str], *, to_click: bool = True) -> Markup:
    """Return the page's body: the texts, in elements without attributes of the page's own.

    Args:
        marked: element → name of the field that it gives.
        to_click: elements have their numbers, and a huge page is shown in part.
    """
    numbers = {element: number for number, element in enumerate(elements_of(tree))} if to_click else None
    body = next(iter(tree.iter("body")), tree)
    return Markup("").join(_parts(body, numbers, marked))


def _parts(body: Any, numbers: Mapping[Any, int] | None, marked: Mapping[Any, str]) -> Iterator[Markup]:
    stack: list[tuple[Any, Markup | None]] = [(body, None)]
    elements = characters = 0
    while stack:
        element, ending = stack.pop()
        if ending is not None:
            yield ending
            continue
        elements += 1
        characters += len(element.text or "") + len(element.tail or "")
        if numbers is not None and (elements > MOST_ELEMENTS or characters > MOST_CHARACTERS):
            yield from (rest for _, rest in reversed(stack) if rest is not None)
            return
        tail = _text(element.tail) if element is not body else Markup("")
        if not isinstance(element.tag, str) or element.tag in NEVER_SHOWN:
            yield tail
            continue
        if element.tag in ("br", "hr"):
            yield Markup("<br>") + tail
            continue
        opened, closed = _around(element, numbers, marked)
        yield opened + _text(element.text)
        stack.append((element, closed + tail))
        stack.extend((child, None) for child in reversed(element))


def _around(element: Any, numbers: Mapping[Any, int] | None, marked: Mapping[Any, str]) -> tuple[Markup, Markup]:
    is_heading = element.tag in BLOCKS
    name = element.tag if element.tag in KEPT else "div" if is_heading else "span"
    number = told = Markup("")
    if numbers is not None:
        number, told = Markup(' data-e="{}"').format(numbers[element]), Markup(' tabindex="0" role="button"')
    field = Markup(' data-field="{0}" title="{0}"').format(marked[element]) if element in marked else Markup("")
    if element.tag == "img":
        alt = (element.get("alt") or (element.get("src") or "").rpartition("/")[2])[:60]
        return Markup('<span{} class="pic"{}{}>🖼 ').format(number, told, field) + _text(alt), Markup("</span>")
    if not ((element.text or "").strip() or any((child.tail or "").strip() for child in element) or field):
        told = Markup("")
    kind = Markup(' class="heading"') if is_heading and element.tag[0] == "h" else Markup("")
    return Markup("<{}{}{}{}{}>").format(name, number, kind, told, field), Markup("</{}>").format(name)


def _text(text: str | None) -> Markup:
    return escape(visible(text)) if text else Markup("")


def harmless_page(html: bytes | str, values: Mapping[str, Any]) -> str:
    """Return *html* as `harmless` leaves it, and the first place of each value of *values* marked by its field."""
    tree = parse_html(html)
    if tree is None:
        return "<!doctype html><title>-</title>"
    hidden = {inner for one in tree.iter(*NEVER_SHOWN) for inner in one.iter()}
    shown = [one for one in elements_of(tree) if one not in hidden and one.tag != "html"]
    places = ((field, _place_of(text, shown)) for field, value in values.items() for text in texts_of(value))
    marked = {place: field for field, place in places if place is not None}
    style = f"[data-field] {{ {MARK} }} .heading {{ font-weight: bold }}"
    return f"<!doctype html><style>{style}</style>{harmless(tree, marked, to_click=False)}"


def texts_of(value: Any) -> Iterator[str]:
    """Yield each text of a value: of a list its items', of a record its parts'."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from texts_of(one)
    elif value is not None and str(value).strip():
        yield str(value).strip()


def _place_of(text: str, shown: Iterable[Any]) -> Any:
    wanted, holds = _even(text), None
    for node in shown:
        address = node.get("src") or node.get("href")
        if address and (address == text or text.endswith("/" + address.lstrip("/"))):
            return node
        if len(node) < 40 and _even("".join(node.itertext())) == wanted:
            holds = node  # a smaller one may stand in it
        elif holds is None and len(wanted) > 1 and any(wanted in _even(own) for own in node.xpath("text()")):
            holds = node
    return holds


def _even(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()[:LONGEST_VALUE]

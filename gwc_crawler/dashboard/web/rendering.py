"""Templates and their values → pages. Every text is escaped, and shown without what turns the direction of writing."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from gwc_crawler.dashboard.web.charts import bar, lines, sparkline
from gwc_crawler.dashboard.web.retold import retold
from gwc_crawler.dashboard.web.routes import Route
from gwc_crawler.dashboard.web.translations import NAMES, Wording
from gwc_crawler.dashboard.web.visit import site_path
from gwc_crawler.markup import visible

_MARKS = re.compile("[\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\u061c]")
"""What has no width, or turns the direction of writing."""


class Renderer:
    """Makes pages of templates.

    Args:
        static: address of each of our files by its name.
        routes: what the menus are made of.
    """

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
        self._environment.globals.update(
            bar=bar,
            languages=NAMES,
            lines=lines,
            link=link,
            moment=moment,
            site_path=site_path,
            span_in=span,
            sparkline=sparkline,
            static=static,
        )
        self._environment.filters.update(
            ago=ago,
            clean=clean,
            count=count,
            moment=moment,
            pace=pace,
            percent=percent,
            size=size,
            span=said_span,
            told=told,
        )

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
    """A link to a foreign page, if it is one of the Web; else its text alone.

    >>> print(link("javascript:alert(1)"))
    <span class="url">javascript:alert(1)</span>
    """
    shown = clean(text or str(url))
    if is_web(str(url)):
        return Markup('<a class="url" href="{}" rel="noreferrer noopener" target="_blank">{}</a>').format(url, shown)
    return Markup('<span class="url">{}</span>').format(shown)


def is_web(url: str) -> bool:
    """Whether an address is one of http or https, with nothing in it that a browser reads otherwise."""
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


# --- filters ------------------------------------------------------------------------------------------------------


def count(number: float | None) -> str:
    """A number with its thousands set apart."""
    return "–" if number is None else f"{number:,}"


def percent(share: float | None) -> str:
    """A share (0 … 1)."""
    if share is None:
        return "–"
    return f"{share:.0%}" if share in (0.0, 1.0) or 0.1 <= share <= 0.994 else f"{share:.1%}"


def pace(number: float | None) -> str:
    """A number of pages a second."""
    return "–" if number is None else f"{number:,.0f}" if number >= 100 else f"{number:.1f}"


def size(number: float | None) -> str:
    """A number of bytes.

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
    """A time, in epoch seconds or as ISO 8601 writes it, as a local date and time."""
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
    """How long ago an epoch time was, in the language of the page."""
    return span(max(0.0, time.time() - seconds), context["_"]) if seconds else "–"


def span(seconds: float | None, say: Callable[[str], str] = str) -> str:
    """How long something takes, in its largest unit or two; *say* has the words for these.

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
    """A stored reason in the language of the page."""
    return retold(reason, context["_"])


@pass_context
def said_span(context: Context, seconds: float | None) -> str:
    """`span` in the language of the page; macros, which don't know it, call `span_in`."""
    return span(seconds, context["_"])


def escaped(text: str) -> Markup:
    """*text* as it is shown."""
    return escape(clean(text))

"""A page of the dashboard and a request to it, as its function sees it: the site, the values, the language."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, TypeAlias
from urllib.parse import quote, urlencode

from gwc_crawler.dashboard.web.project import MOST_SAID_AGAIN, Background, Project
from gwc_crawler.runs.lookup import SiteFiles, SiteLocation

# --- The dashboard's words: English stands in templates and code, others in `words/LANGUAGE.json` by the English ------


ENGLISH = "en"

NAMES = {"en": "English", "zh": "中文"}


@cache
def languages() -> Mapping[str, Mapping[str, str]]:
    """Language → English → its words."""
    folder = files("gwc_crawler.dashboard") / "words"
    others = [name for name in NAMES if name != ENGLISH]
    return {ENGLISH: {}, **{name: json.loads((folder / f"{name}.json").read_text("utf-8")) for name in others}}


@dataclass(frozen=True, slots=True)
class Wording:
    """One language."""

    language: str

    @staticmethod
    def choose(wanted: str, accepted: str) -> str:
        """Return the language that was chosen, else the first one of *accepted* (Accept-Language) that there is."""
        if wanted in NAMES:
            return wanted
        heads = (part.partition(";")[0].strip().partition("-")[0].lower() for part in accepted.split(","))
        return next((one for one in heads if one in NAMES), ENGLISH)

    def say(self, text: str, /, **values: Any) -> str:
        """Return *text* in this language, with *values* for its names in braces."""
        said = languages()[self.language].get(text, text)
        return said.format_map({name: _shown(value) for name, value in values.items()}) if values else said


def _shown(value: Any) -> Any:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else value


@dataclass(frozen=True, slots=True)
class Shown:
    """A template with its values."""

    template: str
    values: Mapping[str, Any] = field(default_factory=dict)
    status: int = 200


@dataclass(frozen=True, slots=True)
class Moved:
    """Go on at another page of ours, with a report: an English text, which is a key of the words, and its values."""

    path: str
    told: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    went_wrong: bool = False

    @classmethod
    def failed(cls, path: str, problem: object) -> Moved:
        """Go back with what is wrong, in words that are not among ours."""
        return cls(path, "{problem}", {"problem": str(problem)}, went_wrong=True)


@dataclass(frozen=True, slots=True)
class Foreign:
    """A foreign page for a sandboxed frame of ours, or a picture (SVG): nothing in it runs, or asks for anything."""

    body: bytes
    kind: str = "text/html"


@dataclass(frozen=True, slots=True)
class Text:
    """A text for a program; `kind` is its whole Content-Type."""

    text: str
    kind: str


Answer: TypeAlias = Shown | Moved | Foreign | Text
Handler: TypeAlias = Callable[[Any], Answer]


@dataclass(frozen=True, slots=True)
class Route:
    """An address and its function.

    Attributes:
        path: `{site}` stands for the name of a site, `{other}` for a part of the address: `visit.part("other")`.
        menu: its words in the main menu; "" for none.
        tab: its words among the pages of a site; "" for none.
    """

    method: str
    path: str
    handler: Handler
    menu: str = ""
    tab: str = ""


def page(path: str, handler: Handler, *, menu: str = "", tab: str = "") -> Route:
    """Return the route of a page."""
    return Route("GET", path, handler, menu, tab)


def live_page(
    path: str, name: str, values: Callable[[Any], Mapping[str, Any]], *, menu: str = "", tab: str = ""
) -> tuple[Route, Route]:
    """Return the routes of a page, template NAME.html, and of its part that browsers fetch anew, NAME_live.html."""
    there = f"{path.rstrip('/')}/live"
    return (
        page(path, lambda visit: visit.show(f"{name}.html", **values(visit)), menu=menu, tab=tab),
        page(there, lambda visit: visit.show(f"{name}_live.html", **values(visit))),
    )


def action(path: str, handler: Handler) -> Route:
    """Return the route of an action: requested by POST, from a form of ours."""
    return Route("POST", path, handler)


@dataclass(frozen=True)
class DashboardRequest:
    """One request; `parts`: the values of the names in the route's path, of which `site` is one."""

    project: Project
    words: Wording
    path: str
    parts: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    form: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def site(self) -> str:
        """The name of the site."""
        return self.parts["site"]

    @property
    def background(self) -> Background:
        """The place where slow figures are counted."""
        return self.project.background

    @property
    def memory(self) -> dict[str, Any]:
        """The data that pages keep between visits."""
        return self.project.memory

    @property
    def place(self) -> SiteLocation:
        """The place of the site's data."""
        return self.project.place(self.site)

    @property
    def files(self) -> SiteFiles:
        """The site as its file says."""
        return self.project.files(self.site)

    def part(self, name: str) -> str:
        """Return the value of a name in the path."""
        return self.parts[name]

    def asked(self, name: str, default: str = "") -> str:
        """Return the value of *name* from a form, or else from the address."""
        values = self.form.get(name)
        return values[0] if values else self.query.get(name, default)

    def number(self, name: str, default: int = 0) -> int:
        """Return the same as a whole number; *default* if it is none."""
        text = self.asked(name)
        return int(text) if text.lstrip("-").isdecimal() and len(text) < 20 else default

    @staticmethod
    def clipped(text: str) -> str:
        """Return the beginning of a visitor's text, to be shown again."""
        return text if len(text) <= MOST_SAID_AGAIN else text[: MOST_SAID_AGAIN - 1] + "…"

    def say(self, text: str, /, **values: Any) -> str:
        """Return *text* in the visitor's language."""
        return self.words.say(text, **values)

    def show(self, template: str, /, **values: Any) -> Shown:
        """Answer with a template."""
        return Shown(template, values)

    def to_site(self, *path: str, told: str = "", went_wrong: bool = False, **values: Any) -> Moved:
        """Go on at a page of this site."""
        return Moved(site_path(self.site, *path), told, values, went_wrong)


def site_path(site: str, *path: str, **query: Any) -> str:
    """Return the address of a page of a site.

    >>> site_path("books", "records", q="a b")
    '/sites/books/records?q=a+b'
    """
    asked = {name: value for name, value in query.items() if value not in (None, "")}
    there = "/".join(quote(one, safe="") for one in ("sites", site, *path) if one)
    return f"/{there}?{urlencode(asked)}" if asked else f"/{there}"

"""One question to the dashboard, as the function of a page sees it: which site, what was asked, who looks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from gwc_crawler.dashboard.web.project import Background, Project
from gwc_crawler.dashboard.web.routes import Moved, Shown
from gwc_crawler.dashboard.web.translations import Wording
from gwc_crawler.runs.lookup import SiteFiles, SiteLocation

MOST_SAID_AGAIN = 200


@dataclass(frozen=True)
class DashboardRequest:
    """One question.

    Attributes:
        parts: what stands at the places that the route's path names; `site` is one of them.
        query: of the address, the first of each name.
        form: what a form sent, each name with all its values.
    """

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
        """Where what takes longer is counted."""
        return self.project.background

    @property
    def memory(self) -> dict[str, Any]:
        """What pages keep between visits."""
        return self.project.memory

    @property
    def place(self) -> SiteLocation:
        """Where the site's data lies."""
        return self.project.place(self.site)

    @property
    def files(self) -> SiteFiles:
        """The site as its file says."""
        return self.project.files(self.site)

    def part(self, name: str) -> str:
        """What stands at a named place of the path."""
        return self.parts[name]

    def asked(self, name: str, default: str = "") -> str:
        """What a form sent, or the address says, under *name*."""
        values = self.form.get(name)
        return values[0] if values else self.query.get(name, default)

    def number(self, name: str, default: int = 0) -> int:
        """The same as a whole number; *default* where it is none."""
        text = self.asked(name)
        return int(text) if text.lstrip("-").isdecimal() and len(text) < 20 else default

    @staticmethod
    def clipped(text: str) -> str:
        """What somebody has written, to be said again: its beginning."""
        return text if len(text) <= MOST_SAID_AGAIN else text[: MOST_SAID_AGAIN - 1] + "…"

    def say(self, text: str, /, **values: Any) -> str:
        """*text* in the language of who looks."""
        return self.words.say(text, **values)

    def show(self, template: str, /, **values: Any) -> Shown:
        """Answer with a template."""
        return Shown(template, values)

    def to_site(self, *path: str, told: str = "", went_wrong: bool = False, **values: Any) -> Moved:
        """Go on at a page of this site."""
        return Moved(site_path(self.site, *path), told, values, went_wrong)


def site_path(site: str, *path: str, **query: Any) -> str:
    """The address of a page of a site.

    >>> site_path("books", "records", q="a b")
    '/sites/books/records?q=a+b'
    """
    asked = {name: value for name, value in query.items() if value not in (None, "")}
    there = "/".join(quote(one, safe="") for one in ("sites", site, *path) if one)
    return f"/{there}?{urlencode(asked)}" if asked else f"/{there}"

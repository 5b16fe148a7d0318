"""The dashboard of a project in a directory, asked without a browser; its questions look like a browser's."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from aiohttp import ClientResponse, CookieJar
from aiohttp.test_utils import TestClient, TestServer
from scrapy.settings import Settings

from gwc_crawler.commands.dashboard import Command
from gwc_crawler.dashboard import views
from gwc_crawler.dashboard.web.project import Project
from gwc_crawler.dashboard.web.security import VisitorCheck
from gwc_crawler.dashboard.web.server import frame_app

T = TypeVar("T")

TOKEN = "a-token-of-the-tests"


@dataclass(frozen=True)
class Seen:
    """An answer."""

    status: int
    text: str
    headers: Mapping[str, str]


@dataclass(frozen=True)
class Question:
    """GET, or with a form POST. `headers` take the place of the browser's."""

    path: str
    form: Mapping[str, str] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    follow: bool = True


LOCAL = "settings_profiles.local"


def project_in(directory: Path, given: Mapping[str, str] | None = None, profile: str = LOCAL) -> Project:
    """The project in *directory*; *given* settings of the command line."""
    settings = Settings()
    settings.setmodule(profile)
    places = {"GWC_SITES_DIR": str(directory / "sites"), "GWC_DATA_DIR": str(directory / "data")}
    settings.setdict({**places, **(given or {})}, "cmdline")
    (directory / "sites").mkdir(exist_ok=True)
    command = Command()
    command.settings = settings
    return Project(command)


@dataclass(frozen=True)
class Browser:
    """Asks as a browser does that has been let in."""

    client: TestClient[Any, Any]

    async def get(self, path: str, **rest: Any) -> ClientResponse:
        """GET."""
        return await self.client.get(path.removeprefix(self.origin), **rest)

    async def post(
        self, path: str, form: Mapping[str, str], headers: Mapping[str, str] | None = None, **rest: Any
    ) -> ClientResponse:
        """POST, from a page of the dashboard's."""
        there = path.removeprefix(self.origin)
        return await self.client.post(there, data=form, headers={"Origin": self.origin, **(headers or {})}, **rest)

    @property
    def origin(self) -> str:
        """What a browser calls the dashboard."""
        return f"http://{self.client.host}:{self.client.port}"


def browse(
    directory: Path,
    way: Callable[[Browser], Awaitable[T]],
    *,
    entered: bool = True,
    given: Mapping[str, str] | None = None,
    profile: str = LOCAL,
) -> T:
    """Go some way through the dashboard of a project."""

    async def going() -> T:
        server = TestServer(frame_app(project_in(directory, given, profile), VisitorCheck(TOKEN), views.ROUTES))
        async with TestClient(server, cookie_jar=CookieJar(unsafe=True)) as client:
            if entered:
                await client.get(f"/?token={TOKEN}")
            return await way(Browser(client))

    return asyncio.run(going())


def ask(directory: Path, *questions: Question | str, entered: bool = True) -> list[Seen]:
    """Ask one after the other, as one browser does."""

    async def asked(browser: Browser) -> list[Seen]:
        seen = []
        for question in questions:
            one = Question(question) if isinstance(question, str) else question
            if one.form is None:
                answer = await browser.get(one.path, headers=one.headers, allow_redirects=one.follow)
            else:
                answer = await browser.post(one.path, one.form, one.headers, allow_redirects=one.follow)
            seen.append(Seen(answer.status, await answer.text(), dict(answer.headers)))
        return seen

    return browse(directory, asked, entered=entered)


def form_token(page: str) -> str:
    """What the forms of a page send along."""
    found = re.search(r'name="form_token" value="([0-9a-f]+)"', page)
    assert found is not None
    return found[1]

"""The dashboard of a project in a directory, asked without a browser; its questions look like a browser's."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from aiohttp import CookieJar
from aiohttp.test_utils import TestClient, TestServer
from scrapy.settings import Settings

from gwc_crawler.commands.watching.dashboard import Command
from gwc_crawler.dashboard import make_app
from gwc_crawler.dashboard.web import Access, Project

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


def project_in(directory: Path) -> Project:
    """The project in *directory*."""
    settings = Settings()
    settings.setmodule("settings_profiles.local")
    settings.setdict({"GWC_SITES_DIR": str(directory / "sites"), "GWC_DATA_DIR": str(directory / "data")}, "cmdline")
    (directory / "sites").mkdir(exist_ok=True)
    command = Command()
    command.settings = settings
    return Project(command)


def ask(directory: Path, *questions: Question | str, entered: bool = True) -> list[Seen]:
    """Ask one after the other, as one browser does."""

    async def asked() -> list[Seen]:
        server = TestServer(make_app(project_in(directory), Access(TOKEN)))
        async with TestClient(server, cookie_jar=CookieJar(unsafe=True)) as client:
            if entered:
                await client.get(f"/?token={TOKEN}")
            seen = []
            for question in questions:
                one = Question(question) if isinstance(question, str) else question
                headers = {"Origin": f"http://{server.host}:{server.port}"} if one.form is not None else {}
                answer = await client.request(
                    "GET" if one.form is None else "POST",
                    one.path,
                    data=one.form,
                    headers={**headers, **one.headers},
                    allow_redirects=one.follow,
                )
                seen.append(Seen(answer.status, await answer.text(), dict(answer.headers)))
            return seen

    return asyncio.run(asked())


def form_token(page: str) -> str:
    """What the forms of a page send along."""
    found = re.search(r'name="form_token" value="([0-9a-f]+)"', page)
    assert found is not None
    return found[1]

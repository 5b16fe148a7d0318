"""Requests of browsers → `DashboardRequest` → the function of a page → its answer as HTML: the frame of all pages.

Functions of pages run in threads: they read files and wait for servers. Two equal actions at once (a double click)
are done one after the other. Every error becomes a page that tells it.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import secrets
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any
from urllib.parse import quote
from weakref import WeakValueDictionary

from aiohttp import web
from scrapy.exceptions import UsageError

from gwc_crawler.dashboard.web.project import MOST_KEPT, Project
from gwc_crawler.dashboard.web.rendering import Renderer, own_path
from gwc_crawler.dashboard.web.security import HARMLESS_POLICY, MOST_FORM_BYTES, POLICY, VisitorCheck, guards
from gwc_crawler.dashboard.web.visit import NAMES, Answer, DashboardRequest, Foreign, Moved, Route, Shown, Text, Wording
from gwc_crawler.errors import GoneError, GwcError, InputError, OutageError, StoreError
from gwc_crawler.network.masking import masked

logger = logging.getLogger(__name__)

STATUSES = {OutageError: 503, StoreError: 500, GoneError: 404, InputError: 400, GwcError: 500, UsageError: 404}
"""Error → status of the page that tells it; the first that fits."""

THEMES = ("auto", "light", "dark")
TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
LOOK_SECONDS = 365 * 86_400


@dataclass
class Frame:
    """The frame around all pages."""

    project: Project
    access: VisitorCheck
    renderer: Renderer
    static: Mapping[str, tuple[bytes, str]]
    told: OrderedDict[str, Moved] = field(default_factory=OrderedDict)
    """Results of actions to show, by their key in the address of the next page."""
    turns: WeakValueDictionary[str, asyncio.Lock] = field(default_factory=WeakValueDictionary)
    """Locks by an action's address; others that want the same wait for their turn."""

    def words(self, request: web.Request) -> Wording:
        """Return the wording in the visitor's language."""
        chosen = request.cookies.get("gwc_language", "")
        return Wording(Wording.choose(chosen, request.headers.get("Accept-Language", "")))

    def respond(self, request: web.Request, answer: Answer, site: str = "") -> web.Response:
        """Make the answer one of HTTP."""
        if isinstance(answer, Moved):
            return self._moved(answer)
        if isinstance(answer, Foreign):
            headers = {"Content-Security-Policy": HARMLESS_POLICY}
            return web.Response(body=answer.body, content_type=answer.kind, charset="utf-8", headers=headers)
        if isinstance(answer, Text):
            return web.Response(body=answer.text.encode(), headers={"Content-Type": answer.kind})
        theme = request.cookies.get("gwc_theme", "auto")
        around = {
            "form_token": self.access.form_token,
            "here": request.path,
            "back": request.path_qs,
            "menu": [one for one in self.renderer.routes if one.menu],
            "tabs": [one for one in self.renderer.routes if one.tab],
            "site": site,
            "theme": theme if theme in THEMES else "auto",
            "told": self.told.get(request.query.get("told", "")),
        }
        text = self.renderer.render(answer.template, self.words(request), {**around, **answer.values})
        return web.Response(text=text, status=answer.status, content_type="text/html", charset="utf-8")

    def refuse(self, request: web.Request, status: int, reason: str) -> web.Response:
        """Say why somebody is kept out; nothing of the project is shown."""
        words = self.words(request)
        text = self.renderer.render("refused.html", words, {"reason": reason, "status": status, "theme": "auto"})
        return web.Response(text=text, status=status, content_type="text/html", charset="utf-8")

    def _moved(self, answer: Moved) -> web.Response:
        path = own_path(answer.path)
        if answer.told:
            name = secrets.token_urlsafe(6)
            self.told[name] = answer
            while len(self.told) > MOST_KEPT:
                self.told.popitem(last=False)
            path += f"{'&' if '?' in path else '?'}told={name}"
        return web.Response(status=303, headers={"Location": path})

    async def give_static(self, request: web.Request) -> web.StreamResponse:
        """Answer with a file of ours."""
        found = self.static.get(request.match_info["name"])
        if found is None:
            raise web.HTTPNotFound
        headers = {"Cache-Control": "max-age=31536000, immutable", "Content-Security-Policy": POLICY}
        return web.Response(body=found[0], content_type=found[1], charset="utf-8", headers=headers)


def frame_app(project: Project, access: VisitorCheck, routes: Sequence[Route]) -> web.Application:
    """Return the server of *routes*, each one guarded."""
    folder = files("gwc_crawler.dashboard") / "static"
    static = {one.name: (one.read_bytes(), TYPES[one.name.rpartition(".")[2]]) for one in folder.iterdir()}
    addresses = {name: f"/static/{name}?{hashlib.sha256(body).hexdigest()[:12]}" for name, (body, _) in static.items()}
    frame = Frame(project, access, Renderer(addresses, routes), static)
    app = web.Application(middlewares=[*guards(access, frame.refuse), _errors(frame)], client_max_size=MOST_FORM_BYTES)
    pool = ThreadPoolExecutor(thread_name_prefix="page")
    for route in routes:
        app.router.add_route(route.method, route.path, _handler(frame, route, pool))
    app.router.add_post("/look", _look)
    app.router.add_get("/static/{name}", frame.give_static)

    async def closed(_: web.Application) -> None:
        pool.shutdown(wait=False, cancel_futures=True)
        project.close()

    app.on_cleanup.append(closed)
    return app


def _handler(
    frame: Frame, route: Route, pool: ThreadPoolExecutor
) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    async def handler(request: web.Request) -> web.StreamResponse:
        sent = await request.post()
        form = {name: tuple(one for one in sent.getall(name) if isinstance(one, str)) for name in sent}
        parts = dict(request.match_info)
        visit = DashboardRequest(frame.project, frame.words(request), request.path, parts, dict(request.query), form)

        def answer() -> web.Response:
            site = parts.get("site", "")
            if site:
                frame.project.require(site)
            return frame.respond(request, route.handler(visit), site)

        turn = frame.turns.setdefault(request.path, asyncio.Lock()) if request.method == "POST" else nullcontext()
        async with turn:
            return await asyncio.get_running_loop().run_in_executor(pool, answer)

    return handler


def _errors(frame: Frame) -> Any:
    @web.middleware
    async def errors(
        request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        say = frame.words(request).say
        try:
            return await handler(request)
        except (GwcError, UsageError) as error:
            status = next(code for kind, code in STATUSES.items() if isinstance(error, kind))
            problem = masked(str(error))
        except web.HTTPNotFound:
            status, problem = 404, say("There is no such page.")
        except web.HTTPException:
            raise
        except Exception:
            logger.exception("a page of the dashboard failed path=%s", quote(request.path))
            status, problem = 500, say("This page failed; what the dashboard printed in its terminal says why.")
        return frame.respond(request, Shown("problem.html", {"problem": problem}, status))

    return errors


async def _look(request: web.Request) -> web.StreamResponse:
    form = await request.post()
    answer = web.Response(status=303, headers={"Location": own_path(str(form.get("back", "/")))})
    for name, known in (("theme", THEMES), ("language", tuple(NAMES))):
        if (chosen := form.get(name)) in known:
            answer.set_cookie(
                f"gwc_{name}", str(chosen), max_age=LOOK_SECONDS, httponly=True, samesite="Strict", path="/"
            )
    return answer

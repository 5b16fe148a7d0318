"""Run `scrapy dashboard`: open the port, print its address, serve until interrupted."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
from collections.abc import Sequence

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError
from scrapy.commands import ScrapyCommand

from gwc_crawler.dashboard import views
from gwc_crawler.dashboard.views.planning import kept_schedules
from gwc_crawler.dashboard.web.project import Project
from gwc_crawler.dashboard.web.security import VisitorCheck
from gwc_crawler.dashboard.web.server import frame_app
from gwc_crawler.errors import InputError

SHUTDOWN_SECONDS = 2.0
LOGGER = f"{__name__}.http"


def serve(command: ScrapyCommand, host: str, port: int, token: str | None, names: Sequence[str] = ()) -> None:
    """Serve until Ctrl-C or SIGTERM, by *host* and *names*; token None: a new one, port 0: any that is free.

    Raises InputError: it can't be served at this address.
    """
    known = frozenset(name.casefold() for name in (host, *names))
    access = VisitorCheck(names=known) if token is None else VisitorCheck(token, known)
    project = Project(command)
    with kept_schedules(project):
        asyncio.run(_serve(frame_app(project, access, views.ROUTES), host, port, access))


async def _serve(app: web.Application, host: str, port: int, access: VisitorCheck) -> None:
    logger = logging.getLogger(LOGGER)
    logger.addFilter(is_no_stranger_s)
    runner = web.AppRunner(app, access_log=None, logger=logger, handle_signals=False, shutdown_timeout=SHUTDOWN_SECONDS)
    await runner.setup()
    try:
        listening = _listening(host, port)
        there = address(host, listening.getsockname()[1])
        await web.SockSite(runner, listening).start()
        ended, loop = asyncio.Event(), asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, ended.set)
        print(f"The dashboard: {there}?token={access.token}", flush=True)
        print("Who has this address can do everything here. Ctrl-C ends it; crawls go on.", flush=True)
        await ended.wait()
    finally:
        await runner.cleanup()


def is_no_stranger_s(record: logging.LogRecord) -> bool:
    """Tell whether an error is one of ours; strangers who reach the port may send invalid HTTP, and get 400."""
    return not (record.exc_info and isinstance(record.exc_info[1], HttpProcessingError))


def _listening(host: str, port: int) -> socket.socket:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        return socket.create_server(found[4][:2], family=found[0])
    except (OSError, OverflowError, UnicodeError) as error:
        said = getattr(error, "strerror", None) or error
        helps = "choose another one with --port (0: any that is free), or another --host"
        raise InputError(f"the dashboard can't be served at {host}, port {port}: {said}; {helps}") from error


def address(host: str, port: int) -> str:
    """Return its address for a browser on this machine.

    >>> address("0.0.0.0", 80), address("::1", 8080)
    ('http://127.0.0.1:80/', 'http://[::1]:8080/')
    """
    here = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{here}]:{port}/" if ":" in here else f"http://{here}:{port}/"

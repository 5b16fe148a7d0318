"""A process that has imported what `scrapy` imports, and forks itself for each process a test starts.

Half of what a short crawl costs is imports: with some hundred crawls that is most of the suite's time. A test asks
through `tests.started`, which hands over the arguments, the directory, the environment and the three standard streams.
The fork goes on as `python -W error -m MODULE ARGS` does, to its end: exit code, `atexit`, warnings about open files
and the last flush are those of a process of its own.

It differs in five points, for which there are fresh processes (tests.started): modules are loaded that the command
might have loaded later or never, all forks of one server have the same hash seed, what a module reads from the
environment while it is imported must not be imported here, what was loaded stays aside from Python's collector
(`gc.freeze`, and its count stands still), and in the end the loaded modules are not taken apart (`leave`), which is
most of what a short command costs: of what they alone still hold only open files are told.
"""

from __future__ import annotations

import atexit
import fcntl
import gc
import importlib
import io
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import struct
import sys
import termios
import threading
import types
from contextlib import suppress
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

LENGTH = struct.Struct("!I")
LEFT_OUT = ("gwc_crawler.profiles.", "gwc_crawler.demo.", "gwc_crawler.commands.console", "gwc_crawler.__main__")
"""They read the environment, or are for other programs."""

ALSO = (
    "scrapy.core.downloader.handlers.datauri",
    "scrapy.core.downloader.handlers.file",
    "scrapy.core.downloader.handlers.ftp",
    "scrapy.core.downloader.handlers.s3",
    "scrapy.extensions.closespider",
    "scrapy.extensions.corestats",
    "scrapy.extensions.feedexport",
    "scrapy.extensions.logcount",
    "scrapy.extensions.logstats",
    "scrapy.extensions.memdebug",
    "scrapy.extensions.memusage",
    "scrapy.extensions.spiderstate",
    "scrapy.extensions.throttle",
    "scrapy.logformatter",
    "scrapy.robotstxt",
    "scrapy.spiderloader",
    "twisted.internet.asyncioreactor",
)
"""What Scrapy finds by name when a crawl begins."""


def preload() -> None:
    """Import what commands import, but the module that is run, and no reactor."""
    import scrapy.cmdline

    del sys.modules["scrapy.cmdline"], scrapy.cmdline
    for command in entry_points(group="scrapy.commands"):
        command.load()
    for package in ("scrapy.commands", "scrapy.downloadermiddlewares", "scrapy.spidermiddlewares", "gwc_crawler"):
        for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            if not module.name.startswith(LEFT_OUT):
                importlib.import_module(module.name)
    for name in ALSO:
        importlib.import_module(name)
    assert "twisted.internet.reactor" not in sys.modules


def serve(requests: socket.socket, path: list[str]) -> str:
    """Fork for each request; returns in the forks alone, with the module that each shall run."""
    woken, wake = socket.socketpair()
    for end in (woken, wake):
        end.setblocking(False)
    signal.set_wakeup_fd(wake.fileno())
    signal.signal(signal.SIGCHLD, lambda *_: None)
    running: dict[int, socket.socket] = {}
    while True:
        ready = select.select([requests, woken], [], [])[0]
        if woken in ready:
            woken.recv(4096)
            _report(running)
        if requests in ready:
            request, descriptors = _request(requests)
            pid = os.fork()
            if not pid:
                for one in (requests, woken, wake, *running.values()):
                    one.detach()
                return _become(request, descriptors, path)
            for descriptor in descriptors[:3]:
                os.close(descriptor)
            running[pid] = socket.socket(fileno=descriptors[3])


def _request(requests: socket.socket) -> tuple[dict[str, Any], list[int]]:
    head, descriptors, _, _ = socket.recv_fds(requests, LENGTH.size, 4)
    if not head:
        os._exit(0)  # who asked has gone
    (length,) = LENGTH.unpack(head)
    body = b""
    while len(body) < length:
        body += requests.recv(length - len(body))
    return json.loads(body), descriptors


def _report(running: dict[int, socket.socket]) -> None:
    """Tell how forks have ended."""
    for pid, reply in list(running.items()):
        if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            _, status = os.waitpid(pid, 0)
            with suppress(OSError):  # who asked does not wait for it
                reply.send(b"code %d\n" % os.waitstatus_to_exitcode(status))
            reply.close()
            del running[pid]


def _become(request: dict[str, Any], descriptors: list[int], path: list[str]) -> str:
    """Be the process that was asked for, up to its first line; then say so: signals may come from now on."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, descriptor in enumerate(descriptors[:3]):
        os.dup2(descriptor, number)
    if sys.stdout.isatty():
        sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    if request["new_session"]:
        os.setsid()
        own_terminal()
    else:
        os.setpgid(0, request["group"])
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    given = request["env"].get("PYTHONPATH", "")
    sys.path[:] = [str(Path.cwd()), *(str(Path(one).absolute()) for one in given.split(os.pathsep) if given), *path]
    sys.argv[:] = ["-m", *request["args"]]
    importlib.invalidate_caches()
    os.write(descriptors[3], b"pid %d\n" % os.getpid())
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    module: str = request["module"]
    if module != "scrapy":
        sys.excepthook = sys.__excepthook__  # the one of our commands, which scrapy alone would import
    return module


def own_terminal() -> None:
    """Make the terminal that of the process, which begins a session, so that Ctrl-C reaches it."""
    with suppress(OSError):  # it is none, or somebody else's
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def run(module: str) -> None:
    """Run it as `python -m` does."""
    sys.modules["__main__"] = types.ModuleType("__main__")
    if not hasattr(sys.modules.get(module), "__path__"):
        sys.modules.pop(module, None)  # it is run, not imported
    code = 0
    try:
        runpy._run_module_as_main(module)  # type: ignore[attr-defined]  # what `python -m` itself calls
    except SystemExit as end:
        if end.code is not None and not isinstance(end.code, int):
            raise
        code = end.code or 0
    leave(code)
    raise SystemExit(code)


def leave(code: int) -> None:
    """End as the interpreter does, but for the modules; returns, for it to go on, where the last flush fails."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        return
    sys.modules["__main__"].__dict__.clear()
    gc.collect()
    for one in gc.get_objects():
        if isinstance(one, io.IOBase):
            one.__del__()  # a file that was left open warns
    with suppress(OSError, ValueError):
        sys.stderr.flush()
    os._exit(code & 0xFF)


if __name__ == "__main__":
    preload()
    gc.collect()
    gc.freeze()  # a fork's collector need not look at what was there before
    set_aside = gc.get_freeze_count()
    gc.get_freeze_count = lambda: set_aside  # it walks over them all, a tenth of what a short crawl costs
    run(serve(socket.socket(fileno=int(sys.argv[1])), sys.path[1:]))

"""What a fork of the server shows of a process is what a fresh one shows."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import started
from tests.conftest import Project

KINDS = ("forked", "fresh")

TELLS = """
import gc, json, os, resource, signal, sys, warnings
print(json.dumps({
    "name": __name__, "main": sys.modules["__main__"].__dict__ is globals(), "arguments": sys.argv[1:],
    "file": os.path.basename(sys.argv[0]), "cwd": os.getcwd(), "path": sys.path, "environment": dict(os.environ),
    "given": sys.stdin.read(), "group": os.getpgrp(), "warnings": [one[0] for one in warnings.filters].count("error"),
    "options": sys.warnoptions,
    "signals": {one: str(signal.getsignal(one)).split(" at ")[0] for one in map(int, signal.valid_signals())},
    "masked": [int(one) for one in signal.pthread_sigmask(signal.SIG_BLOCK, [])], "collects": gc.get_threshold(),
    "limits": [resource.getrlimit(one) for one in (resource.RLIMIT_NOFILE, resource.RLIMIT_CORE, resource.RLIMIT_AS)],
    "files": sorted(int(one) for one in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{one}"))
        if sys.platform == "linux" else [],
    "streams": [(one.encoding, one.errors, one.line_buffering, one.write_through, one.fileno())
        for one in (sys.stdin, sys.stdout, sys.stderr)],
    "reactor": "twisted.internet.reactor" in sys.modules,
}))
"""

ENDS = {
    "exit code": "raise SystemExit(7)",
    "message": "raise SystemExit('what is wrong')",
    "exit": "import os; os._exit(9)",
    "atexit": "import atexit; atexit.register(print, 'last')",
    "failing atexit": "import atexit; atexit.register(lambda: 1 / 0)",
    "file left open": "import os; left = open(os.devnull)",
    "file left open by a module": "import os, gwc_crawler.items as items; items.left = open(os.devnull)",
    "socket left open": "import socket; left = socket.socket(socket.AF_UNIX)",
    "loop left open": "import asyncio; left = asyncio.new_event_loop()",
    "never awaited": "async def wait(): pass\nleft = wait()",
    "failing finalizer": "class Odd:\n    def __del__(self): 1 / 0\nleft = Odd()",
    "finally": "def steps():\n    try: yield\n    finally: print('last')\nleft = steps(); next(left)",
    "warning": "import warnings; warnings.warn('old', DeprecationWarning)",
    "not imported": "import nothing_of_this_name",
    "not UTF-8": "import sys; sys.stderr.write('\\udcff')",
    "a thread": "import threading, time; threading.Thread(target=lambda: (time.sleep(0.1), print('done'))).start()",
    "interrupted": "raise KeyboardInterrupt",
    "terminated": "import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
    "broken pipe": "import signal; print(signal.getsignal(signal.SIGPIPE))",
}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Both ways to start a process; each has to do as is said."""
    monkeypatch.setenv(started.REAL, "1" if request.param == "fresh" else "")
    yield request.param


def both(monkeypatch: pytest.MonkeyPatch, *args: str, **popen: Any) -> list[subprocess.CompletedProcess[str]]:
    """Run it as a fork, and as a fresh process."""
    done = []
    for real in ("", "1"):
        monkeypatch.setenv(started.REAL, real)
        environment = {name: value for name, value in os.environ.items() if name != started.REAL}
        process = started.start(*args, **{**PIPES, "env": environment, **popen})
        assert isinstance(process, started.Forked) is not bool(real)
        with process:
            out, err = process.communicate("read me" if popen.get("stdin") else None, timeout=60)
        done.append(subprocess.CompletedProcess(args, process.returncode, out, err))
    return done


PIPES = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}


def write(directory: Path, code: str) -> Path:
    path = directory / "program.py"
    path.write_text(code, encoding="utf-8")
    return directory


def test_it_finds_the_same_world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:relative")
    monkeypatch.setenv("WITH_SPACE", "a b\nc ü")
    forked, fresh = both(monkeypatch, "program", "--x", "ü", cwd=write(tmp_path, TELLS), stdin=subprocess.PIPE)
    world = json.loads(forked.stdout)
    assert world == json.loads(fresh.stdout)
    assert (forked.stderr, fresh.stderr) == ("", "")
    assert world["given"] == "read me"
    assert world["group"] == os.getpgrp()


@pytest.mark.parametrize("case", ENDS)
def test_it_ends_the_same_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    forked, fresh = both(monkeypatch, "program", cwd=write(tmp_path, ENDS[case]))
    assert forked.returncode == fresh.returncode
    assert forked.stdout == fresh.stdout
    assert said(forked.stderr) == said(fresh.stderr)


def said(stderr: str) -> list[str]:
    """Without tracebacks, which say who started the program, and without addresses."""
    lines = [line for line in stderr.splitlines() if not line.startswith(("  ", "Traceback (most recent call last)"))]
    return [line.partition(" at 0x")[0] for line in lines]


def test_a_full_disk_is_told_at_the_last_flush(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Path("/dev/full").open("w") as full:
        forked, fresh = both(monkeypatch, "program", cwd=write(tmp_path, "print('x')"), stdout=full)
    assert forked.returncode == fresh.returncode != 0
    assert said(forked.stderr) == said(fresh.stderr) != []


def test_signals_reach_it_and_not_the_server(tmp_path: Path, kind: str) -> None:
    write(tmp_path, "print('here', flush=True)\nimport time; time.sleep(60)")
    for sent, code in ((signal.SIGINT, -signal.SIGINT), (signal.SIGTERM, -signal.SIGTERM), (signal.SIGKILL, -9)):
        with started.start("program", cwd=tmp_path, start_new_session=True, **PIPES) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "here\n"
            assert process.poll() is None
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(0.01)
            assert os.getpgid(process.pid) == process.pid
            os.killpg(process.pid, sent)
            assert process.wait(60) == code


def test_a_terminal_is_its_own_and_has_each_line_at_once(tmp_path: Path, kind: str) -> None:
    write(tmp_path, "import os, time; print(f'owns {os.tcgetpgrp(0) == os.getpid()}'); time.sleep(60)")
    end, its_end = pty.openpty()
    streams = {"stdin": its_end, "stdout": its_end, "stderr": its_end}
    with started.start("program", cwd=tmp_path, start_new_session=True, **streams) as process:
        assert isinstance(process, started.Forked) is (kind == "forked")
        os.close(its_end)
        shown = b""
        while not shown.endswith(b"\n"):
            shown += os.read(end, 100)
        assert shown == b"owns True\r\n"
        os.write(end, b"\x03")
        assert process.wait(60) == -signal.SIGINT
    os.close(end)


def test_one_is_waited_for_while_another_is_asked_about(tmp_path: Path, kind: str) -> None:
    write(tmp_path, "import sys; sys.stdin.read()")
    with started.start("program", cwd=tmp_path, stdin=subprocess.PIPE, **PIPES) as process:
        waiting = threading.Thread(target=process.wait)
        waiting.start()
        assert process.poll() is None
        process.communicate("", timeout=60)
        waiting.join()
        assert process.poll() == 0


def test_a_directory_that_is_not_there(tmp_path: Path, kind: str) -> None:
    with pytest.raises((FileNotFoundError, RuntimeError)):
        started.start("program", cwd=tmp_path / "none")


def test_forks_do_not_share_their_random_numbers(tmp_path: Path) -> None:
    write(tmp_path, "import random; print(random.random())")
    assert len({started.run("program", cwd=tmp_path).stdout for _ in range(3)}) == 3


@pytest.mark.parametrize(
    "options", [{"preexec_fn": print}, {"env": {**os.environ, "PYTHONHASHSEED": "1"}}, {"pass_fds": (0,)}]
)
def test_what_a_fork_can_not_have_is_fresh(options: dict[str, Any]) -> None:
    assert not started.can_be_forked({"env": os.environ, "stdin": subprocess.DEVNULL, **PIPES, **options})


def test_a_project_s_processes_are_forks(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(project.start("list", stdin=subprocess.DEVNULL), started.Forked)
    monkeypatch.setenv(started.REAL, "1")
    assert not isinstance(project.start("list", stdin=subprocess.DEVNULL), started.Forked)


def test_a_start_is_seen_by_those_who_listen_for_processes(tmp_path: Path) -> None:
    seen = []
    listening = [True]
    sys.addaudithook(lambda event, _: seen.append(event) if listening and event == "subprocess.Popen" else None)
    started.run("program", cwd=write(tmp_path, ""))
    listening.clear()
    assert seen

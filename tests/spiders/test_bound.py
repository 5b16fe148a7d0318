"""A process that is bound to another one ends with it, however that comes."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

BOUND = "gwc_crawler.spiders.fleet.bound"

STARTS_ONE = f"""
import os, subprocess, sys
subprocess.run([sys.executable, "-m", "{BOUND}", str(os.getpid()), "runspider", sys.argv[1]])
"""

WAITS = 'import time\nprint("up", flush=True)\ntime.sleep(600)\n'


def test_it_ends_when_the_other_is_killed(tmp_path: Path) -> None:
    waiting = tmp_path / "waiting.py"
    waiting.write_text(WAITS)
    command = [sys.executable, "-c", STARTS_ONE, str(waiting)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "up\n"
        parent.send_signal(signal.SIGKILL)
        rest, _ = parent.communicate(timeout=100)  # the pipe is closed when both have ended
        assert rest == ""


def test_it_does_not_begin_when_the_other_has_gone() -> None:
    done = subprocess.run([sys.executable, "-m", BOUND, "1", "version"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (130, "")

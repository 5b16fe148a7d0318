"""`python -m benchmarks.startup`: how long until a command does what it is asked for.

`scrapy list` with 200 site files, and `scrapy crawl` until its first request has arrived at the server. Both run with
what an installation brings, without the plug-ins of other projects that the tests need: Scrapy loads the commands of
every installed one. Besides wall time stands the CPU time until then: a busy machine changes it less. *Scrapy itself*
is `scrapy version` in an empty folder.
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import requires
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.catalogue import Catalogue
from benchmarks.contenders import ROOT, SITE, BenchmarkError, Ours, site_file
from benchmarks.peers.environments import python_with
from benchmarks.record import Recorder
from benchmarks.server import CatalogueServer

LIST, CRAWL, SCRAPY = "scrapy list, {sites} site files", "scrapy crawl, until the first request", "Scrapy itself"
PATIENCE_SECONDS = 120
TICKS = os.sysconf("SC_CLK_TCK")
CONFIGURATION = "[settings]\ndefault = gwc_crawler.profiles.local\n"


@dataclass(frozen=True, slots=True)
class Start:
    """Seconds until a command had done what was asked, on the clock and of the processor."""

    wall_seconds: float
    cpu_seconds: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Start each command some times, print a table, write results/startup.json."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.startup", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="how often each is started; the medians are shown")
    parser.add_argument("--sites", type=int, default=200, help="site files of `scrapy list`")
    options = parser.parse_args(arguments)
    recorder = Recorder("startup")
    python = str(python_with("dependencies", _dependencies()))
    with tempfile.TemporaryDirectory(prefix="bench-startup-") as folder, CatalogueServer(300) as server:
        scratch = Path(folder)
        ours = Ours(Catalogue(300), server.url, scratch)
        try:
            ours.prepare()
            listing = _project(scratch, options.sites)
            starts: dict[str, list[Start]] = {}
            for _ in range(options.rounds + 1):
                for name, start in (
                    (LIST.format(sites=options.sites), _whole([python, "-m", "scrapy", "list"], listing)),
                    (CRAWL, _first_request(ours, python, scratch)),
                    (SCRAPY, _whole([python, "-m", "scrapy", "version"], scratch)),
                ):
                    starts.setdefault(name, []).append(start)
        except BenchmarkError as error:
            print(f"benchmark failed: {error}", file=sys.stderr)
            return 1
    rows = [
        {
            "name": name,
            "wall": [round(start.wall_seconds, 3) for start in every[1:]],  # the first one compiles
            "cpu": [round(start.cpu_seconds, 3) for start in every[1:]],
        }
        for name, every in starts.items()
    ]
    figures = {"rows": rows}
    recorder.write(figures)
    print(table(figures))
    return 0


def _dependencies() -> list[str]:
    """What the package needs, without its extras."""
    return [one for one in requires("gwc-crawler") or () if "extra ==" not in one]


def _project(scratch: Path, count: int) -> Path:
    """Make a project with so many site files."""
    project = scratch / "project"
    (project / "sites").mkdir(parents=True)
    (project / "scrapy.cfg").write_text(CONFIGURATION, encoding="utf-8")
    for number in range(count):
        text = site_file(Catalogue(300), f"https://site{number}.example.com")
        (project / "sites" / f"site{number}.toml").write_text(text, encoding="utf-8")
    return project


def _environment() -> dict[str, str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**environment, "PYTHONPATH": str(ROOT)}


def _whole(command: Sequence[str], folder: Path) -> Start:
    """Run a command to its end."""
    start = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, env=_environment(), stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise BenchmarkError(f"{' '.join(command)} ended with exit code {process.returncode}")
    return Start(time.monotonic() - start, usage.ru_utime + usage.ru_stime)


def _first_request(ours: Ours, python: str, scratch: Path) -> Start:
    """Start a crawl of a site that has been learned; it's over when somebody knocks."""
    data = scratch / "data"
    shutil.rmtree(data, ignore_errors=True)
    shutil.copytree(scratch / "learned", data)
    with socket.create_server(("127.0.0.1", 0)) as door:
        door.settimeout(PATIENCE_SECONDS)
        path = scratch / "sites" / f"{SITE}.toml"
        path.parent.mkdir(exist_ok=True)
        text = (scratch / f"{SITE}.toml").read_text(encoding="utf-8")
        path.write_text(text.replace(ours.url, f"http://127.0.0.1:{door.getsockname()[1]}"), encoding="utf-8")
        (data / SITE / "samples.db").unlink(missing_ok=True)
        command = [python, "-m", "scrapy", "crawl", str(path), "-s", f"GWC_DATA_DIR={data}", "-s", "LOG_LEVEL=WARNING"]
        start = time.monotonic()
        process = subprocess.Popen(
            command, cwd=scratch / "project", env=_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            connection, _ = door.accept()
            with connection:
                connection.settimeout(PATIENCE_SECONDS)
                connection.recv(1)
                return Start(time.monotonic() - start, cpu_seconds(process.pid))
        except TimeoutError:
            raise BenchmarkError("no request came") from None
        finally:
            process.kill()
            process.wait()


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of a running process so far, to a hundredth of a second."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def table(figures: Mapping[str, Any]) -> str:
    """Return the figures as Markdown."""
    lines = ["| start | CPU s | wall s | least wall s |", "|---|---|---|---|"]
    for row in figures["rows"]:
        lines.append(
            f"| {row['name']} | {median(row['cpu']):.2f} | {median(row['wall']):.2f} | {min(row['wall']):.2f} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())

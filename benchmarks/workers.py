"""`python -m benchmarks.workers`: one crawl in one process, in several, and by workers that share it through Redis.

Each crawls the same catalogue with everything on, one after the other; a run that left out a page or a record fails.
Wall time says what came of it on this machine, with the server and whatever else it does on the same cores. What the
processes could do with a core each is told by their CPU time: *cores' worth* is that of the crawl in one process over
that of the busiest process.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.catalogue import LINKS_A_PAGE, Catalogue
from benchmarks.contenders import ROOT, BenchmarkError, Ours
from benchmarks.measure import Cost, machine
from benchmarks.server import CatalogueServer
from tests.redis_server import RedisServer

LOOK_SECONDS = 0.05
LEAST_SECONDS = 0.1
"""What takes less has asked the system something, and done no work."""

TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Run:
    """One crawl: wall seconds, and CPU seconds of each of its processes, the one that stores first."""

    wall_seconds: float
    cpu_seconds: tuple[float, ...]
    peak_mb: float

    @property
    def all_cpu_seconds(self) -> float:
        """What all of them took."""
        return sum(self.cpu_seconds)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the rounds and print the table; 0 if all crawls did all of their work."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.workers", description=__doc__)
    parser.add_argument("--pages", type=int, default=5_000, help="size of the catalogue (100 or more)")
    parser.add_argument("--rounds", type=int, default=3, help="how often each crawl runs; the medians are shown")
    parser.add_argument("--processes", type=int, nargs="*", default=[2], help="sizes of the crawls with several")
    parser.add_argument("--redis", type=int, nargs="*", default=[1, 2], help="sizes of the crawls through Redis")
    options = parser.parse_args(arguments)
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-workers-")))
        server = stack.enter_context(CatalogueServer(options.pages))
        ours = Ours(Catalogue(options.pages), server.url, scratch)
        redis = stack.enter_context(RedisServer(scratch)) if options.redis else None
        runs: dict[str, list[Run]] = {}
        try:
            ours.prepare()
            for _ in range(options.rounds):
                for name, commands, environment in _crawls(ours, options, redis):
                    server.take_hits()
                    run = _measured(commands, scratch / "ours.log", environment)
                    ours.check(Cost(0, run.all_cpu_seconds, run.wall_seconds, run.peak_mb), server.take_hits())
                    runs.setdefault(name, []).append(run)
                    print(f"{name}: {run.wall_seconds:.1f} s, CPU {_each(run)}", file=sys.stderr)
        except BenchmarkError as error:
            print(f"benchmark failed: {error}", file=sys.stderr)
            return 1
    print(_table(ours.catalogue, runs))
    return 0


def _crawls(
    ours: Ours, options: argparse.Namespace, redis: RedisServer | None
) -> Iterator[tuple[str, list[list[str]], dict[str, str]]]:
    """Yield name, commands and environment of each crawl, when its turn has come: `job` empties the database."""
    yield "one process", [[*ours.job().command]], {}
    for count in options.processes:
        yield f"{count} processes", [[*ours.job().command, "-a", f"workers={count}"]], {}
    if redis is not None:
        for count in options.redis:
            with redis.client() as client:
                client.flushall()
            shared = [*ours.job().command, "-s", f"REDIS_URL={redis.url}"]
            name = "1 Redis worker" if count == 1 else f"{count} Redis workers"
            yield name, [shared] * count, {"SCRAPY_PROJECT": "cluster"}


def _measured(commands: list[list[str]], log: Path, environment: dict[str, str]) -> Run:
    """Start the commands together, and wait for their end.

    Raises:
        BenchmarkError: one of them failed.
    """
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    began = time.monotonic()
    with log.open("wb") as output:
        started = [
            subprocess.Popen(one, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                             env={**kept, **environment})
            for one in commands
        ]  # fmt: skip
    waiting = {process.pid: process for process in started}
    children: dict[tuple[int, int], float] = {}
    own: list[float] = []
    others: list[float] = []
    peak = 0.0
    while waiting:
        for pid in list(waiting):
            for child in _children(pid):
                children[pid, child] = _cpu_seconds(child) or children.get((pid, child), 0.0)
            ended, status, usage = os.wait4(pid, os.WNOHANG)
            if not ended:
                continue
            waiting.pop(pid).returncode = code = os.waitstatus_to_exitcode(status)
            if code:
                raise BenchmarkError(
                    f"a crawl ended with exit code {code}:\n{log.read_text('utf-8', 'replace')[-2000:]}"
                )
            of_children = [seconds for (parent, _), seconds in children.items() if parent == pid]
            own.append(usage.ru_utime + usage.ru_stime - sum(of_children))  # who is waited for is in it
            others += [seconds for seconds in of_children if seconds >= LEAST_SECONDS]
            peak = max(peak, usage.ru_maxrss / 1024)
        time.sleep(LOOK_SECONDS)
    return Run(time.monotonic() - began, (*own, *others), peak)


def _children(pid: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def _cpu_seconds(pid: int) -> float | None:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / TICKS


def _each(run: Run) -> str:
    return " + ".join(f"{seconds:.1f}" for seconds in run.cpu_seconds)


def _table(catalogue: Catalogue, runs: dict[str, list[Run]]) -> str:
    alone = [run.all_cpu_seconds for run in runs["one process"]]
    lines = [
        f"{catalogue.pages:,} pages of 40 KB with {LINKS_A_PAGE} links each, {catalogue.products:,} records",
        machine(),
        "",
        "| crawl | wall s | pages/s | CPU s of each process | CPU ms a page | CPU of one | cores' worth | peak MB |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, some in runs.items():
        wall = median(run.wall_seconds for run in some)
        cpu = median(run.all_cpu_seconds for run in some)
        times = median(run.all_cpu_seconds / one for one, run in zip(alone, some, strict=True))
        worth = median(one / max(run.cpu_seconds) for one, run in zip(alone, some, strict=True))
        middle = sorted(some, key=lambda run: max(run.cpu_seconds))[len(some) // 2]
        lines.append(
            f"| {name} | {wall:.1f} | {catalogue.pages / wall:.0f} | {_each(middle)} | "
            f"{1000 * cpu / catalogue.pages:.2f} | {times:.2f} x | {worth:.2f} | "
            f"{median(run.peak_mb for run in some):.0f} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())

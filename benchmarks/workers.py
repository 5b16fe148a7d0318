"""`python -m benchmarks.workers`: one crawl in one process, in several, and by workers that share it through Redis.

Each crawls the same catalogue with everything on, one after the other; a run that left out a page or a record fails.
The pages come from nginx on the same cores. *Times* is pages a second beside the crawl in one process; *busy* says how
many cores the machine used meanwhile, for whatever; *allowed* is how many times as fast as the crawl in one process
cores that never idle would be: cores, times the wall time of that one, over the CPU time of crawl, nginx and Redis.
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
from benchmarks.contenders import ROOT, BenchmarkError, Ours, tail
from benchmarks.measure import Cost, cpu_seconds, machine, with_bytecode
from benchmarks.peers.site import Site
from tests.redis_server import RedisServer

LOOK_SECONDS = 0.05
LEAST_SECONDS = 0.1
"""What takes less has asked the system something, and done no work."""

TICKS = os.sysconf("SC_CLK_TCK")

_CORES = Path("/proc/stat")


@dataclass(frozen=True, slots=True)
class Run:
    """One crawl: wall seconds, CPU seconds of each of its processes, the one that stores first, those of the servers
    that it asked, and those in which the machine's cores were busy with anything."""

    wall_seconds: float
    cpu_seconds: tuple[float, ...]
    peak_mb: float
    server_seconds: float
    busy_seconds: float

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
        catalogue = Catalogue(options.pages)
        site = stack.enter_context(Site(catalogue, scratch, 1))
        ours = Ours(catalogue, site.urls[0], scratch)
        redis = stack.enter_context(RedisServer(scratch)) if options.redis else None
        servers = [site.pid, *([redis.process.pid] if redis and redis.process else [])]
        runs: dict[str, list[Run]] = {}
        ours.prepare()
        for _ in range(options.rounds):
            for name, commands, environment in _crawls(ours, options, redis):
                site.take_hits(ours.url)
                run = _measured(commands, scratch / "ours.log", environment, servers)
                ours.check(Cost(0, run.all_cpu_seconds, run.wall_seconds, run.peak_mb), site.take_hits(ours.url))
                runs.setdefault(name, []).append(run)
                print(f"{name}: {run.wall_seconds:.1f} s, CPU {_each(run)}", file=sys.stderr)
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


def _measured(commands: list[list[str]], log: Path, environment: dict[str, str], servers: Sequence[int]) -> Run:
    """Start the commands together, and wait for their end; *servers* are the processes that they ask.

    Raises:
        BenchmarkError: one of them failed.
    """
    served, busy, began = _all_cpu_seconds(servers), _busy_seconds(), time.monotonic()
    with log.open("wb") as output:
        started = [
            subprocess.Popen(one, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                             env={**with_bytecode(), **environment})
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
                children[pid, child] = cpu_seconds(child) or children.get((pid, child), 0.0)
            ended, status, usage = os.wait4(pid, os.WNOHANG)
            if not ended:
                continue
            waiting.pop(pid).returncode = code = os.waitstatus_to_exitcode(status)
            if code:
                raise BenchmarkError(f"a crawl ended with exit code {code}:\n{tail(log)}")
            of_children = [seconds for (parent, _), seconds in children.items() if parent == pid]
            own.append(usage.ru_utime + usage.ru_stime - sum(of_children))  # who is waited for is in it
            others += [seconds for seconds in of_children if seconds >= LEAST_SECONDS]
            peak = max(peak, usage.ru_maxrss / 1024)
        time.sleep(LOOK_SECONDS)
    wall = time.monotonic() - began
    return Run(wall, (*own, *others), peak, _all_cpu_seconds(servers) - served, _busy_seconds() - busy)


def _children(pid: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def _all_cpu_seconds(pids: Sequence[int]) -> float:
    """Return what processes and their children have taken so far."""
    every = [one for pid in pids for one in (pid, *_children(pid))]
    return sum(map(cpu_seconds, every))


def _busy_seconds() -> float:
    """Return for how long the machine's cores have worked since it started, all of them together."""
    user, nice, system, _, _, interrupts, soft_interrupts = map(int, _CORES.read_text().split("\n", 1)[0].split()[1:8])
    return (user + nice + system + interrupts + soft_interrupts) / TICKS


def _each(run: Run) -> str:
    return " + ".join(f"{seconds:.1f}" for seconds in run.cpu_seconds)


def _table(catalogue: Catalogue, runs: dict[str, list[Run]]) -> str:
    first = runs["one process"]
    lines = [
        f"{catalogue.pages:,} pages of 40 KB with {LINKS_A_PAGE} links each, {catalogue.products:,} records",
        machine(),
        "",
        "| crawl | wall s | pages/s | times | allowed | busy | CPU s of each | servers | ms a page | CPU of one | MB |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name, some in runs.items():
        wall = median(run.wall_seconds for run in some)
        cpu = median(run.all_cpu_seconds for run in some)
        times = median(one.wall_seconds / run.wall_seconds for one, run in zip(first, some, strict=True))
        allowed = median(_allowed(one, run) for one, run in zip(first, some, strict=True))
        cpu_times = median(run.all_cpu_seconds / one.all_cpu_seconds for one, run in zip(first, some, strict=True))
        middle = sorted(some, key=lambda run: run.wall_seconds)[len(some) // 2]
        lines.append(
            f"| {name} | {wall:.1f} | {catalogue.pages / wall:.0f} | {times:.2f} x | {allowed:.2f} x | "
            f"{middle.busy_seconds / middle.wall_seconds:.2f} | {_each(middle)} | {middle.server_seconds:.1f} | "
            f"{1000 * cpu / catalogue.pages:.2f} | {cpu_times:.2f} x | {median(run.peak_mb for run in some):.0f} |"
        )
    return "\n".join(lines)


def _allowed(one: Run, run: Run) -> float:
    """Return how many times as fast as *one* the work of *run* would be done by cores that never idle."""
    return (os.cpu_count() or 1) * one.wall_seconds / (run.all_cpu_seconds + run.server_seconds)


if __name__ == "__main__":
    sys.exit(main())

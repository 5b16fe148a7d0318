"""results/simulate.json → docs/scale.md and its plot: what a fleet brings home, where it saturates, a billion URLs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchmarks.plot import Line, Panel, svg
from benchmarks.simulate.table import table

PAGE, PLOT = "docs/scale.md", "docs/scale.svg"
BILLION = 1_000_000_000
DAYS = (7, 30)
MASTER_GB = 16
"""Memory of one Redis master in the arithmetic."""
BUSIEST = 0.7
"""So busy a master may be on average and still answer at once."""

HEAD = """# Far beyond one machine

Made by `python -m benchmarks.report` from `benchmarks/results/simulate.json`, which `python -m benchmarks.simulate`
writes. A fleet is simulated with the crawl's real code: the frontier in Redis, the politeness, the fleet's plan of who
takes which site, and the cache of names run as they do in a crawl, and so does a real Redis. Time, network, pages and
processors are simulated: hosts have sizes by Zipf's law (the biggest has some hundred thousand URLs, most have a few),
latencies of .05 to 2 s, faults, and pages with 50 links; in a minute a fifth of the workers is killed and replaced, and
as many stall for ten seconds. A call of Redis takes the CPU time that such calls take the real one, and waits for those
before it.
"""


def files(result: Mapping[str, Any]) -> dict[str, str]:
    """Return path → text of the page and its plot."""
    return {PAGE: "\n".join(_page(result)), PLOT: plot(result)}


def plot(result: Mapping[str, Any]) -> str:
    """Return an SVG: pages a second, and the share of time that the busiest master has to do, by workers."""
    outcomes = result["figures"]["outcomes"]
    panels = []
    shown = {"pages a second, by workers": "pages_a_second", "load of the busiest master": "busiest_master"}
    for title, name in shown.items():
        by_masters: dict[int, list[tuple[float, float]]] = {}
        for one in outcomes:
            by_masters.setdefault(one["masters"], []).append((one["workers"], max(one[name], 0.001)))
        lines = [Line(_masters(masters), sorted(points)) for masters, points in sorted(by_masters.items())]
        panels.append(Panel(title, lines=lines))
    return svg(panels)


def _page(result: Mapping[str, Any]) -> Iterator[str]:
    figures = result["figures"]
    outcomes: Sequence[Mapping[str, Any]] = figures["outcomes"]
    yield HEAD
    yield f"{figures['hosts']:,} hosts, {figures['urls']:,} URLs that wait, {figures['sites']} sites:\n"
    yield f"{table(outcomes)}\n"
    yield f"![Pages a second and the load of the busiest master, by workers]({PLOT.removeprefix('docs/')})\n"
    yield COLUMNS
    yield "## Where it saturates\n"
    yield from (f"- {_what_limits(one)}" for one in outcomes)
    yield ""
    yield "## A billion URLs\n"
    yield from _billion(outcomes, figures["urls"])
    began, ended = result["load"]
    yield f"`{result['command']}`; {result['date']} UTC, load {began:g} to {ended:g}; {result['machine']}.\n"


COLUMNS = """*slots used*: the share of the requests which workers may have under way that were. *idle*: the share of
the time in which a worker had nothing under way. *busiest master*: how much of the time its one thread had to do.
*a call waits*: in the queue of its master. *Redis MB*: what all of it takes. *fairness*: Jain's index over the 200
biggest hosts, 1 where all got as many pages; in so short a time a fleet comes to few of them. *names known*: lookups
that the cache of names answered. No host was asked more than it may be, and no page was completed twice: the
simulation fails where one is. What is counted are the first seconds after all workers have come at once: where Redis
can't bear so many, that crowd is what one sees.
"""


def _masters(count: int) -> str:
    return "one master" if count == 1 else f"{count} masters"


def _what_limits(one: Mapping[str, Any]) -> str:
    each = one["pages_a_second"] / one["workers"]
    mean = one["pages_a_second"] * one["redis_ms_a_page"] / 1000 / one["masters"]
    return (
        f"{one['workers']:,} workers, {_masters(one['masters'])}: {one['pages_a_second']:,.0f} pages/s, "
        f"{each:.1f} of each worker; a master is busy {mean:.0%} of the time, "
        f"the busiest {min(one['busiest_master'], 1):.0%}; what limits them: {one['limit']}."
    )


def _billion(outcomes: Sequence[Mapping[str, Any]], urls: int) -> Iterator[str]:
    """What a billion URLs take, from the case that was the least disturbed: one master, the fewest workers."""
    base = min(outcomes, key=lambda one: (one["masters"], one["workers"]))
    bytes_each = base["redis_mb"] * 1e6 / urls
    memory_gb = BILLION * bytes_each / 1e9
    most = 1000 * BUSIEST / base["redis_ms_a_page"]
    each = base["pages_a_second"] / base["workers"]
    memory_masters = -(-memory_gb // MASTER_GB)
    yield (
        f"From the first row: a URL takes {bytes_each:.0f} bytes in Redis, its hosts' queues included; a page takes "
        f"{base['redis_ms_a_page']:.2f} ms of a master's thread, so that one which is {BUSIEST:.0%} busy bears "
        f"{most:,.0f} pages/s; a worker with 16 requests under way fetches {each:.1f} pages/s at these latencies.\n"
    )
    yield (
        f"So a billion known URLs take {memory_gb:,.0f} GB: {memory_masters:.0f} masters of {MASTER_GB} GB, "
        "twice that with replicas. To fetch them all takes:\n"
    )
    yield "| in | pages/s | workers | masters busy with it | pages/s for each SQL Server, if four share them |"
    yield "|---|---:|---:|---:|---:|"
    for days in DAYS:
        rate = BILLION / days / 86_400
        yield f"| {days} days | {rate:,.0f} | {rate / each:,.0f} | {rate / most:.1f} | {rate / 4:,.0f} |"
    yield (
        "\nMemory asks for more masters than work does. The queues of a site are dealt to its `GWC_PARTS` parts and "
        "these to masters by hash, so sites and parts together should be ten times as many as masters, for none to "
        "have much more than the mean. What a page costs a worker's processor, and a SQL Server, is in "
        "[benchmarks](benchmarks.md) and depends on the pages; the workers above wait for hosts nearly all of their "
        "time, so several share a core.\n"
    )

"""The rows of README's table of figures, each made of one section's result: `benchmarks.report` puts them in.

In: the results of `make bench`. Out: README's text with these rows anew; rows whose command is no section's stay.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

Result = Mapping[str, Any]


def with_figures(readme: str, found: Mapping[str, Result]) -> str:
    """Return *readme* with the rows of the sections in *found* (module → result) as they make them."""

    def row(match: re.Match[str]) -> str:
        if match["module"] not in ROWS or match["module"] not in found:
            return match[0]
        result = found[match["module"]]
        what, measured = ROWS[match["module"]](result["figures"])
        return f"| {what} | {measured} | `{result['command']}` |"

    return re.sub(r"^\|.*\| `python -m benchmarks\.(?P<module>\w+)[^`|]*` \|$", row, readme, flags=re.MULTILINE)


def _peers(figures: Result) -> tuple[str, str]:
    ours, _ = _peer(figures, "GWC Crawler, everything on")
    spider, beside_spider = _peer(figures, "Scrapy CrawlSpider")
    _, beside_crawlee = _peer(figures, "Crawlee for Python")
    return (
        "pages a CPU second, everything on, against Scrapy's CrawlSpider that follows links and keeps nothing",
        f"{ours} against {spider}, {1 / beside_spider:.1f} times as many; {1 / beside_crawlee:.1f} times Crawlee's",
    )


def _peer(figures: Result, name: str) -> tuple[str, float]:
    """Return a crawler's pages a CPU second, and our CPU time beside its."""
    beside, pages = _read_all(rf"\| {name} \|.*?([\d.]+) x \| ([\d,]+) \|", figures)
    return pages, float(beside)


def _workers(figures: Result) -> tuple[str, str]:
    times = _read(r"\| 2 processes \|.*?([\d.]+) x", figures)
    return (
        "pages a second of one crawl by two processes against one, on 2 cores, nginx on them, too",
        f"{times} times as many",
    )


def _growth(figures: Result) -> tuple[str, str]:
    embedded = _read(r"embedded, a million .*?: ([\d.]+) times", figures)
    shared = _read(r"shared, a million known URLs against ten .*?: ([\d.]+) times", figures)
    wide = [
        _cost(figures, frontier, "1,000,000", "1,000,000") / _cost(figures, frontier, "10,000", "10,000")
        for frontier in ("SqliteFrontier", "RedisFrontier")
    ]
    return (
        "CPU a page costs the crawler with 1,000,000 known URLs, against 10,000",
        f"{embedded} times as much (SQLite), {shared} (Redis); {wide[0]:.2f} and {wide[1]:.2f} where links lead to all",
    )


def _cost(figures: Result, frontier: str, known: str, linked: str) -> float:
    """Return the CPU milliseconds of a page."""
    return float(_read(rf"\| {frontier} \| {known} \| {linked} of them \| ([\d.]+) \|", figures))


def _dns(figures: Result) -> tuple[str, str]:
    times = [float(one) for one in re.findall(r"the cache, empty at first .*?([\d.]+) times", figures["output"])]
    known = [float(one) for one in re.findall(r"all known .*?([\d.]+) times", figures["output"])]
    names = re.findall(r"lookups of ([\d,]+) names", figures["output"])
    return (
        "looking hosts up 3,000 times with the DNS cache, empty at first, against a question each time",
        f"{times[0]:.1f} times faster ({names[0]} names) to {times[-1]:.1f} ({names[-1]}); {min(known):.0f} once known",
    )


def _chaos(figures: Result) -> tuple[str, str]:
    pages, different = _read_all(r"the store +(\d+) pages, (\d+) different", figures)
    lost = int(_read(r"the site +(\d+) pages", figures)) - int(different)
    return (
        f"{int(pages):,} pages while workers and Redis are killed and the store fails",
        f"{int(pages) - int(different) or 'none'} stored twice, {lost or 'none'} lost",
    )


def _read(pattern: str, figures: Result) -> str:
    """Return what a pattern's one group finds in a section's output."""
    return _read_all(pattern, figures)[0]


def _read_all(pattern: str, figures: Result) -> tuple[str, ...]:
    match = re.search(pattern, figures["output"])
    if match is None:
        raise ValueError(f"a section's output has no {pattern!r}: README's row can't be made of it")
    return match.groups()


ROWS: Mapping[str, Callable[[Result], tuple[str, str]]] = {
    "peers": _peers,
    "workers": _workers,
    "growth": _growth,
    "dns": _dns,
    "chaos": _chaos,
}
"""Section → what it measures, and what was measured, as README tells it."""

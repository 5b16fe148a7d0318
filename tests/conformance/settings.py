"""Settings and plug-ins: what a Scrapy user writes is added to a site's crawl, and switches nothing off in silence."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.conformance.settings_given import DELAY_SECONDS, LONGER_SECONDS, Result
from tests.conformance.settings_table import TABLE as CASES
from tests.conformance.table import Case

TITLE = "Settings and plug-ins"
ABOUT = """
A shop of twelve records is crawled once for each case, with what a user wrote in a profile, a site file, an add-on or
on the command line. Its robots.txt forbids a page, one page fails the first time with a 503, one redirects to another,
one is a 404; `DOWNLOAD_DELAY` is 10 ms. *Kept* means: robots.txt was obeyed, the delay was kept between all requests,
every page was fetched once, all twelve records were stored. *Refused* means: exit code 2 before the first request, and
a message that names the setting. Plug-ins are those of PyPI.
"""

RECORDS = 12
ROOT = Path(__file__).parents[2]
__all__ = ["ABOUT", "CASES", "TITLE", "outcome", "serving"]


@contextmanager
def serving() -> Iterator[Mapping[str, Any]]:
    """Run the crawls of all cases, in a process of their own."""
    with tempfile.TemporaryDirectory() as directory:
        done = subprocess.run(
            [sys.executable, "-m", "tests.conformance.settings_crawls"],
            cwd=directory, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=280,
        )  # fmt: skip
    if done.returncode:
        raise RuntimeError(done.stderr)
    yield json.loads(done.stdout.splitlines()[-1])


def outcome(case: Case, env: Mapping[str, Any]) -> str:
    """Say what is left of the crawl's promises, and whether what the case looks at is so."""
    result = Result(**env[case.name])
    if result.refused:
        return refusal(case, result)
    if result.error:
        return f"error: {result.error}"
    looked_at = case.expected.split(", ")
    says = [word if holds(word, result) else f"not {word}" for word in looked_at if word not in PROMISES]
    return ", ".join([*promises(case, result), *says])


def refusal(case: Case, result: Result) -> str:
    """Whether it came in time, and names what the user wrote."""
    given = case.by
    names = {*given.file, *given.line, *given.profile, *given.environment, "ITEM_PIPELINES"}
    if not any(name in result.refused for name in names):
        return f"refused without a name: {result.refused}"
    return "refused" if not result.asked else "refused too late"


PROMISES = {
    "kept", "robots.txt obeyed", "robots.txt ignored", "delay kept", "longer delay kept", "12 records", "11 records",
    "closespider_pagecount", "closespider_itemcount", "memusage_exceeded",
}  # fmt: skip
"""What `promises` says."""


def promises(case: Case, result: Result) -> list[str]:
    """Say of robots.txt, delay and records what became of them; "kept" of all."""
    ended = result.stats["finish_reason"]
    records = result.records
    if case.by.precrawl:
        records = sum(page.startswith("/item/") and page not in STRANGERS for page in result.pages)
    said = [
        "robots.txt ignored" if "/item/13" in result.asked else "robots.txt obeyed",
        delay(result, "longer" in case.expected),
        f"{records} records" if ended == "finished" else ended,
    ]
    times = Counter(result.asked)
    said += [f"{one} asked {times[one]} times" for one in times if times[one] > 1 + (one == "/item/5")]
    return ["kept"] if said == ["robots.txt obeyed", "delay kept", f"{RECORDS} records"] else said


def delay(result: Result, longer: bool) -> str:
    """Say whether the limiter saw all requests, and kept the delay."""
    if -1.0 in result.sent:
        return "limiter not asked"
    gaps = [after - before for before, after in itertools.pairwise(sorted(result.sent))]
    kept = all(gap >= 0.99 * (LONGER_SECONDS if longer else DELAY_SECONDS) for gap in gaps)
    return f"{'longer ' if longer else ''}delay {'kept' if kept else 'not kept'}"


STRANGERS = {"/item/13", "/item/14", "/item/15", "/item/16"}
"""Pages under a product's URL form that are none."""


def holds(word: str, result: Result) -> bool:
    """Say whether a word of a case's expected outcome is so."""
    name, mark, value = word.partition(": ")
    if mark:
        return result.headers.get(name.removeprefix("one ").lower()) == [value]
    return LOOKS[word](result)


def sees(part: str, times: int | None = None) -> Callable[[Result], bool]:
    """Their part was called: so often, or at all."""
    return lambda result: result.calls.get(part, 0) >= 1 if times is None else result.calls.get(part) == times


def logged(text: str) -> Callable[[Result], bool]:
    """A line with that text is in the log."""
    return lambda result: any(text in line for line in result.log)


LOOKS: Mapping[str, Callable[[Result], bool]] = {
    "called for each request": lambda result: result.headers.get("x-theirs") == ["yes"],
    "called": lambda result: bool(result.calls),
    "12 records seen": lambda result: result.calls.get("record") == RECORDS and "something else" not in result.calls,
    "12 items dropped": lambda result: result.stats.get("item_dropped_reasons_count/DropItem") is not None,
    "12 items counted": lambda result: result.stats.get("item_scraped_count") == str(RECORDS),
    "saw each page's output": lambda result: result.calls.get("output", 0) > RECORDS,
    "opened": sees("opened", 1),
    "a warning": lambda result: logged(" is left out;")(result) or logged("can't hold for a site")(result),
    "no User-Agent": lambda result: "user-agent" not in result.headers,
    "User-Agents of theirs": lambda result: "gwc" not in str(result.headers["user-agent"]),
    "the cookie comes back": lambda result: "basket=full" in result.headers.get("cookie", []),
    "no cookie comes back": lambda result: "cookie" not in result.headers,
    "each page with credentials": lambda result: result.headers.get("authorization") == ["Basic bWU6aHVzaA=="],
    "no page with credentials": lambda result: "authorization" not in result.headers,
    "password not logged": lambda result: logged("HTTPAUTH_PASS")(result) and not logged("hush")(result),
    "the 404 is a page": lambda result: "/item/16" in result.pages and result.states["/item/16"] == "C",
    "/more/1 but not /more/2": lambda result: "/more/1" in result.asked and "/more/2" not in result.asked,
    "one at a time": lambda result: result.most_at_once == 1,
    "memory warned of": logged("Memory usage reached"),
    "LogStats runs": lambda result: "LogStats" in result.extensions and logged("pages/min")(result),
    "TelnetConsole runs": lambda result: "TelnetConsole" in result.extensions,
    "nothing asked again": lambda result: set(result.asked) <= {"/item/5"},
    "books.jsonl of 12 lines": lambda result: result.files.get("books.jsonl") == RECORDS,
    "crawl.log is written": lambda result: result.files.get("crawl.log", 0) > RECORDS,
    "bytes counted": lambda result: int(result.stats.get("downloader/response_bytes", 0)) > 0,
    "all by the proxy": lambda result: result.proxied == len(result.asked) > RECORDS,
    "nothing by the proxy": lambda result: result.proxied == 0,
    "scrapy-poet runs": lambda result: logged("scrapy_poet.downloadermiddlewares.InjectionMiddleware")(result),
}
"""What cases look at besides."""

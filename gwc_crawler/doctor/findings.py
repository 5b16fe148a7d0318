"""A check is a function that gives findings; `run_checks` runs many side by side, and waits for none too long."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from gwc_crawler.access import masked
from gwc_crawler.errors import GwcError
from gwc_crawler.program import advice

AT_ONCE = 16
"""Checks that run at the same time."""


class Level(StrEnum):
    """How bad it is."""

    OK = "ok"
    WARN = "warn"
    """A crawl runs all the same, though not as well as it could."""
    FAIL = "fail"
    """A crawl won't run, or would lose something."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found of one thing, and what helps where it is not well."""

    name: str
    level: Level
    told: str
    helps: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the stable form of `scrapy doctor --json`."""
        return {
            "name": masked(self.name),
            "level": self.level.value,
            "told": masked(self.told),
            "helps": masked(advice(self.helps)),
        }


def ok(name: str, told: str) -> Finding:
    """Return a finding that all is well."""
    return Finding(name, Level.OK, told)


def warn(name: str, told: str, helps: str) -> Finding:
    """Return a finding of what could be better."""
    return Finding(name, Level.WARN, told, helps)


def fail(name: str, told: str, helps: str) -> Finding:
    """Return a finding of what has to be mended."""
    return Finding(name, Level.FAIL, told, helps)


@dataclass(frozen=True, slots=True)
class Check:
    """One thing to look at; `look` may take long, or raise: that is a finding, too."""

    name: str
    look: Callable[[], Iterable[Finding]]
    helps: str = "see the message"


def run_checks(checks: Sequence[Check], seconds: float) -> list[Finding]:
    """Run all checks side by side, and return their findings in the order of *checks*.

    One that has not ended when *seconds* are over has failed. Nothing waits for it: its thread ends with the process.
    """
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    for number in range(len(checks)):
        waiting.put(number)
    found: dict[int, list[Finding]] = {}
    over: queue.SimpleQueue[tuple[int, list[Finding]]] = queue.SimpleQueue()

    def work() -> None:
        while True:
            try:
                number = waiting.get_nowait()
            except queue.Empty:
                return
            over.put((number, list(_looked(checks[number]))))

    for _ in range(min(AT_ONCE, len(checks))):
        threading.Thread(target=work, daemon=True).start()
    until = time.monotonic() + seconds
    while len(found) < len(checks):
        try:
            number, findings = over.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            break
        found[number] = findings
    late = f"no answer within {seconds:g} seconds"
    return [
        finding
        for number, check in enumerate(checks)
        for finding in found.get(number, [fail(check.name, late, check.helps)])
    ]


def _looked(check: Check) -> Iterator[Finding]:
    try:
        yield from check.look()
    except GwcError as error:
        yield fail(check.name, str(error), check.helps)
    except Exception as error:  # noqa: BLE001  # whatever is wrong with a machine is a finding, not the doctor's end
        yield fail(check.name, f"{type(error).__name__}: {error}", check.helps)

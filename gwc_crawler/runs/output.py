"""How commands answer, and ask: JSON, tables and labelled lines, on stderr when a feed goes to stdout; questions."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import FrameType
from typing import Any

from rich.console import Console
from scrapy.settings import BaseSettings

from gwc_crawler.errors import escape, visible
from gwc_crawler.wiring.options import shows_bar


def print_json(value: Any, *, stderr: bool = False) -> None:
    """Print one JSON document to stdout, or where a feed has that to stderr; paths, enums and the like as texts."""
    print(json.dumps(value, ensure_ascii=False, indent=2, default=str), file=sys.stderr if stderr else sys.stdout)


def print_labelled(lines: Iterable[tuple[str, str]], *, width: int, stderr: bool = False) -> None:
    """Print lines with bold labels before them, which end at *width*."""
    out = console(stderr=stderr)
    for label, text in lines:
        out.print(f"[bold]{label:>{width}}[/bold]  {escape(text)}", soft_wrap=True)


def console(*, stderr: bool = False) -> Console:
    """Return the console for tables and texts; a pipe or file gets lines as long as they are."""
    file = sys.stderr if stderr else sys.stdout
    return Console(width=None if file.isatty() else 200, highlight=False, emoji=False, stderr=stderr)


def output_console(settings: BaseSettings) -> Console:
    """Return the console for reports: stdout, or stderr when a feed goes to stdout."""
    return Console(stderr=has_stdout(settings), emoji=False)


def has_stdout(settings: BaseSettings) -> bool:
    """Say whether a feed goes to stdout."""
    return any(str(uri).startswith(("stdout:", "-")) for uri in settings.getdict("FEEDS"))


@contextmanager
def progress_bar(
    settings: BaseSettings, name: str, count: Callable[[], int | None] | None = None
) -> Iterator[Callable[..., object]]:
    """Show a command's progress on stderr, if GWC_PROGRESS wants it.

    Yields a function that advances the bar; or sets `description`, `completed` and `total` by name. *count* gives the
    amount of work (None: unknown); it is only called if the bar is shown.
    """
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    shown = shows_bar(settings)
    counts: tuple[Any, ...] = (MofNCompleteColumn(),) if count else (TimeElapsedColumn(),)
    columns = (TextColumn("{task.description}"), BarColumn(), *counts, TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not shown) as bar:
        task = bar.add_task(name, total=count() if count and shown else None)
        yield lambda advance=None, **now: bar.update(task, advance=advance, **now)


# --- Questions put to a person: those of learning (or answered line by line from a pipe), and yes or no ---------------


YES, NO, SHOW = ("", "y", "yes"), ("n", "no"), ("s", "show")
_LONGEST_VALUE = 100


def ask_questions(questions: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Ask them one after the other; return the patterns that the answers add, by their key of [learn].

    Where the input ends, the rest stays open. Raises KeyboardInterrupt: a person gave up.
    """
    patterns: dict[str, list[str]] = {}
    with _interruptible():
        for number, question in enumerate(questions, 1):
            print(f"\n{number} of {len(questions)}: such as {visible(question['example'])}")
            answer = _answer(question)
            if answer is None:
                break
            patterns.setdefault(question["yes" if answer else "no"], []).extend(question["patterns"])
    return patterns


def ask_yes(question: str) -> bool:
    """Ask whether something is to be done; Enter is yes, the end of the input no. Raises KeyboardInterrupt."""
    with _interruptible():
        while True:
            print(f"{question} [Y/n] ", end="", flush=True)
            line = sys.stdin.readline()
            said = line.strip().lower()
            if not line or said in NO or said in YES:
                return bool(line) and said in YES


def _answer(question: Mapping[str, Any]) -> bool | None:
    """Say whether the answer is yes; None where the input ends."""
    while True:
        print(f"{visible(question['told'])} [Y/n/show] ", end="", flush=True)
        if not (line := sys.stdin.readline()):
            print()
            return None
        said = line.strip().lower()
        if said in YES or said in NO:
            return said in YES
        if said in SHOW:
            print("\n".join(_shown(question)))


def _shown(question: Mapping[str, Any]) -> Iterator[str]:
    for name, value in question["values"].items():
        text = " ".join(visible(str(value)).split())
        yield f"  {visible(name)}: {text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + '…'}"
    yield f"  yes: {question['yes']}, no: {question['no']} = {', '.join(map(visible, question['patterns']))}"


def _interruptible() -> AbstractContextManager[None]:
    """Ctrl-C interrupts, whatever a crawl that has ended made of it."""
    return heeding(signal.default_int_handler, signal.SIGINT)


@contextmanager
def heeding(handler: Callable[[int, FrameType | None], Any], *signals: signal.Signals) -> Iterator[None]:
    """Have signals handled so as long as this lasts."""
    before = {number: signal.signal(number, handler) for number in signals}
    try:
        yield
    finally:
        for number, handled in before.items():
            signal.signal(number, handled)

"""How commands answer: JSON, tables and labelled lines on stdout, or on stderr when a feed goes to stdout."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from scrapy.settings import BaseSettings

from gwc_crawler.errors import escape
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
    """Show on stderr how far a command is, where GWC_PROGRESS wants it.

    Args:
        settings: those of the command.
        name: what stands before the bar.
        count: how much there is to do (None: nobody knows); only asked where it is shown.

    Yields:
        What is told how much more was done; or by name `description`, `completed` and `total`, as they are now.
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

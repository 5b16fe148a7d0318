"""Questions put to a person in a terminal: those of learning (or answered line by line from a pipe), and yes or no.

In: the questions as the knowledge has them. Out: what is to be written into the site file; nothing where a person gave
up.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from gwc_crawler.errors import visible

YES, NO, SHOW = ("", "y", "yes"), ("n", "no"), ("s", "show")
_LONGEST_VALUE = 100


def ask_questions(questions: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Ask them one after the other; return the patterns that the answers add, by their key of [learn].

    Where the input ends, the rest stays open.
    Raises:
        KeyboardInterrupt: a person gave up.
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
    """Ask whether something is to be done; Enter is yes, the end of the input no.

    Raises:
        KeyboardInterrupt: a person gave up.
    """
    with _interruptible():
        while True:
            print(f"{question} [Y/n] ", end="", flush=True)
            line = sys.stdin.readline()
            said = line.strip().lower()
            if not line or said in NO or said in YES:
                return bool(line) and said in YES


def _answer(question: Mapping[str, Any]) -> bool | None:
    """Whether the answer is yes; None where the input ends."""
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
    """What is found on the example, and what an answer would write."""
    for name, value in question["values"].items():
        text = " ".join(visible(str(value)).split())
        yield f"  {visible(name)}: {text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + '…'}"
    yield f"  yes: {question['yes']}, no: {question['no']} = {', '.join(map(visible, question['patterns']))}"


@contextmanager
def _interruptible() -> Iterator[None]:
    """Ctrl-C interrupts, whatever a crawl that has ended made of it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)

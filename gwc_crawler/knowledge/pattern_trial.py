"""Regexes as people write them → whether a crawl can go by them: tried in a process of its own, which may be ended.

Called where patterns are edited in the dashboard, and before a site is learned by those of its file.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence

PATIENCE_SECONDS = 3.0
TOO_LARGE = "it is too large"
TOO_SLOW = "it takes too long; say it without a repetition in a repetition"
TRIAL = """
import bisect, json, re, sys
groups, urls = json.load(sys.stdin)
urls += [url + "\\n" for url in urls]  # with a sign at its end that no address has, it is tried in vain
begun = problem = ""

def told_together(patterns):
    try:
        re.compile("|".join(f"(?:{one})" for one in patterns))  # as a crawl has them
    except (re.error, FutureWarning) as error:
        return str(error)
    except (MemoryError, OverflowError, RecursionError, ValueError):
        return sys.argv[1]
    return ""

try:
    for group in groups:
        for begun in group:
            print(json.dumps([begun, ""]), flush=True)
            fits = re.compile(begun).fullmatch
            for url in urls:
                fits(url)
        if problem := told_together(group):
            ends = range(1, len(group) + 1)
            first = ends[bisect.bisect_left(ends, True, key=lambda end: bool(told_together(group[:end])))]
            begun, problem = group[first - 1], told_together(group[:first])
            break
except (re.error, FutureWarning) as error:
    problem = str(error)
except (MemoryError, OverflowError, RecursionError, ValueError):
    problem = sys.argv[1]
print(json.dumps([begun, problem]))
"""
"""Prints each pattern before it is tried, with "", and at last one with its problem, or with ""."""


class PatternError(ValueError):
    """What can't be used. `pattern`: the line; `problem`: why, in English."""

    def __init__(self, pattern: str, problem: str) -> None:
        super().__init__(f"{pattern}: {problem}")
        self.pattern, self.problem = pattern, problem


def check_patterns(groups: Sequence[Sequence[str]], urls: Sequence[str]) -> None:
    """See that a crawl can go by each of the *groups* of patterns; they are tried on *urls*.

    Raises:
        PatternError: it can't.
    """
    command = [sys.executable, "-IS", "-W", "error::FutureWarning", "-c", TRIAL, TOO_LARGE]
    told = json.dumps([list(map(list, groups)), list(urls)]).encode()
    try:
        tried = subprocess.run(command, input=told, stdout=subprocess.PIPE, timeout=PATIENCE_SECONDS, check=False)
    except subprocess.TimeoutExpired as slow:
        pattern, _ = _last_told(slow.stdout)
        raise PatternError(pattern, TOO_SLOW) from None
    pattern, problem = _last_told(tried.stdout)
    if problem or tried.returncode:
        raise PatternError(pattern, problem or TOO_LARGE)


def _last_told(said: bytes | None) -> tuple[str, str]:
    """The pattern, and its problem, of the last whole line; a process that was ended may have begun another."""
    whole, _, _ = (said or b"").rpartition(b"\n")
    pattern, problem = json.loads(whole.splitlines()[-1]) if whole else ("", "")
    return pattern, problem

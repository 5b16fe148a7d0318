"""Patterns as a person writes them → whether a crawl can go by them: each is one, all together are, and none is slow.

A repetition in a repetition, `(a+)+`, may take longer than the world lasts for an address that it does not fit, and
nothing else of the process runs meanwhile. So patterns are tried in a process of their own, which can be ended.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence

PATIENCE_SECONDS = 3.0
TRIAL = """
import json, re, sys
groups, urls = json.load(sys.stdin)
begun = problem = ""
try:
    for group in groups:
        for number, pattern in enumerate(group):
            begun = pattern
            print(json.dumps([pattern, ""]), flush=True)
            fits = re.compile(pattern).fullmatch
            re.compile("|".join(f"(?:{one})" for one in group[: number + 1]))  # as one of several, as a crawl has it
            for url in urls:
                fits(url), fits(url + "\\n")  # with a sign at its end that no address has, it is tried in vain
except (re.error, FutureWarning) as error:
    problem = str(error)
except (OverflowError, RecursionError):
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
    command = [sys.executable, "-IS", "-W", "error::FutureWarning", "-c", TRIAL, "it is too large"]
    told = json.dumps([list(map(list, groups)), list(urls)]).encode()
    try:
        tried = subprocess.run(command, input=told, stdout=subprocess.PIPE, timeout=PATIENCE_SECONDS, check=True)
    except subprocess.TimeoutExpired as slow:
        pattern, _ = json.loads((slow.stdout or b'["", ""]').splitlines()[-1])
        raise PatternError(pattern, "it takes too long; say it without a repetition in a repetition") from None
    pattern, problem = json.loads(tried.stdout.splitlines()[-1])
    if problem:
        raise PatternError(pattern, problem)

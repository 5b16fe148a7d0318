"""`make bench`: every section, one after the other, each to benchmarks/results/<section>.json; then docs/benchmarks.md.

`make bench QUICK=1` looks in three minutes that all of them run: small sizes, two sections at a time, results in
benchmarks/results/quick, the docs untouched. A limit that a section does not hold at such a size is told and counts for
nothing; one that breaks off fails it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import machine
from benchmarks.report import RESULTS, ROOT, write_page
from benchmarks.sections import SECTIONS, Section

QUICK = RESULTS / "quick"
QUICK_SECONDS = 900
FULL_SECONDS = 4 * 3600


@dataclass(frozen=True, slots=True)
class Ended:
    """A section that has ended; 1 says that a limit was not held, 2 that nothing can be compared."""

    section: Section
    code: int
    seconds: float
    output: str
    errors: str

    @property
    def broke_off(self) -> bool:
        """It has no figures."""
        if self.code not in (0, 1, 2) or not self.output.strip():
            return True
        return "Traceback (most recent call last)" in self.errors or "benchmark failed" in self.errors


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the sections; 0 if all ran (and, in full, held their limits)."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes: whether all sections run")
    parser.add_argument("--only", nargs="+", choices=[section.module for section in SECTIONS], help="some of them")
    options = parser.parse_args(arguments)
    chosen = [section for section in SECTIONS if not options.only or section.module in options.only]
    folder, jobs = (QUICK, 2) if options.quick else (RESULTS, 1)
    folder.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(jobs) as pool:
        ended = list(pool.map(lambda section: run(section, folder, quick=options.quick), chosen))
    if not options.quick:
        write_page()
    print(f"\n{'section':14} {'seconds':>8}  ended")
    for one in ended:
        print(f"{one.section.module:14} {one.seconds:8.0f}  {_word(one, quick=options.quick)}")
    bad = [one for one in ended if one.broke_off or (one.code == 1 and not options.quick)]
    for one in bad:
        print(f"\n{one.section.module}:\n{one.errors[-1500:]}", file=sys.stderr)
    return 1 if bad else 0


def run(section: Section, folder: Path, *, quick: bool) -> Ended:
    """Run one section; what it prints becomes its results, and with what, when and beside what it was measured."""
    command = ["-m", f"benchmarks.{section.module}", *(section.quick if quick else section.full)]
    limit = QUICK_SECONDS if quick else FULL_SECONDS
    began, load = time.time(), os.getloadavg()[0]
    try:
        done = subprocess.run([sys.executable, *command], cwd=ROOT, capture_output=True, text=True, timeout=limit)
        ended = Ended(section, done.returncode, time.time() - began, done.stdout, done.stderr)
    except subprocess.TimeoutExpired:
        ended = Ended(section, 124, time.time() - began, "", f"not done in {limit} s")
    print(f"--- {section.module} ({ended.seconds:.0f} s)\n{ended.output}", flush=True)
    if not ended.broke_off:
        result = {
            "section": section.module,
            "command": " ".join(["python", *command]),
            "date": time.strftime("%Y-%m-%d %H:%M", time.gmtime(began)),
            "seconds": round(ended.seconds, 1),
            "load": [round(load, 1), round(os.getloadavg()[0], 1)],
            "machine": machine(),
            "figures": {"output": ended.output.rstrip(), "exit code": ended.code},
        }
        text = json.dumps(result, indent=1, ensure_ascii=False) + "\n"
        (folder / f"{section.module}.json").write_text(text, encoding="utf-8")
    return ended


def _word(one: Ended, *, quick: bool) -> str:
    if one.broke_off:
        return "BROKE OFF"
    if one.code == 2:
        return f"nothing to compare with: {one.errors.strip()[-200:]}"
    if one.code:
        return "a limit not held" + (" (at this size it says nothing)" if quick else "")
    return "as it should"


if __name__ == "__main__":
    sys.exit(main())

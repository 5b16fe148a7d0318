"""`python -m benchmarks.instructions`: has one of twelve hot functions become dearer than what is recorded?

Instructions, as callgrind counts them, and bytes of Python's memory do not depend on what else the machine does. A
function that needs over 3 % more of either than benchmarks/instructions.json says, also when counted again, fails.
Figures hold for the versions that the file names; with others it says which differ, and exits with 2.

    python -m benchmarks.instructions --record      after a change that is worth it, or with other versions
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TypeAlias

from benchmarks.hot import CALLS

HERE = Path(__file__).resolve().parent
RECORDED = HERE / "instructions.json"
TOLERANCE = 0.03
PACKAGES = ("lxml", "chardet", "w3lib", "resiliparse", "isal", "cython")
ENVIRONMENT = {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "LC_ALL": "C.UTF-8"}
KINDS = ("instructions", "bytes")
TIMES = 4
"""So often at most: once, and again where something seems to have become dearer."""

Functions: TypeAlias = dict[str, dict[str, int]]
"""Name → instructions and bytes of a call."""


class CountingError(Exception):
    """Nothing can be counted here; the message says what helps."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Count, compare and print; 1 if a function became dearer, 2 if there is nothing to compare with."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.instructions", description=__doc__)
    parser.add_argument("--record", action="store_true", help="make what is counted the figures to compare with")
    options = parser.parse_args(arguments)
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    here = versions()
    different = "" if options.record else differences(recorded["versions"], here)

    def is_enough(functions: Functions) -> bool:
        return not options.record and (different != "" or not dearer_ones(recorded["functions"], functions))

    try:
        functions = least(is_enough)
    except CountingError as error:
        print(error, file=sys.stderr)
        return 2
    if options.record:
        recorded = {"versions": here, "functions": functions}
        RECORDED.write_text(json.dumps(recorded, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(table(recorded["functions"], functions, here))
    if different:
        print(f"not comparable: {different}; `--record` makes these the figures to compare with", file=sys.stderr)
        return 2
    dearer = dearer_ones(recorded["functions"], functions)
    for line in dearer:
        print(line, file=sys.stderr)
    return 1 if dearer else 0


def least(is_enough: Callable[[Functions], bool]) -> Functions:
    """Count until it is enough, and return the least of each: libxml2's tables of names differ by chance in each
    process, which can make a few percent; what has become dearer is so each time."""
    functions = count()
    for _ in range(TIMES - 1):
        if is_enough(functions):
            break
        again = count()
        functions = {
            name: {kind: min(one[kind], again[name][kind]) for kind in KINDS} for name, one in functions.items()
        }
    return functions


def versions() -> dict[str, str]:
    """What the figures hold for."""
    from lxml import etree

    found = {package: version(package) for package in PACKAGES}
    libxml2 = ".".join(map(str, etree.LIBXML_VERSION))
    return {"Python": f"{platform.python_version()} {platform.machine()}", **found, "libxml2": libxml2}


def differences(recorded: Mapping[str, str], here: Mapping[str, str]) -> str:
    """Say which versions are others."""
    names = [name for name in {**recorded, **here} if recorded.get(name) != here.get(name)]
    return ", ".join(f"{name} {here.get(name)} instead of {recorded.get(name)}" for name in names)


def dearer_ones(recorded: Mapping[str, Mapping[str, int]], counted: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Return a sentence for each figure beyond the tolerance, and for each function on one side only."""
    said = [f"{name}: counted or recorded only" for name in recorded.keys() ^ counted.keys()]
    for name in recorded.keys() & counted.keys():
        for kind in KINDS:
            before, now = recorded[name][kind], counted[name][kind]
            if now > before * (1 + TOLERANCE):
                said.append(f"{name}: {now:,} {kind} a call, {now / before - 1:.1%} more than the recorded {before:,}")
    return sorted(said)


def count() -> Functions:
    """Return name → instructions and bytes of one call.

    Raises:
        CountingError: valgrind or a compiler is missing, or what is counted does not run.
    """
    for program in ("valgrind", "cc"):
        if shutil.which(program) is None:
            raise CountingError(f"{program} is missing: as root, `apt-get install valgrind gcc`")
    with tempfile.TemporaryDirectory(prefix="bench-instructions-") as folder:
        library, dumps = Path(folder) / "counting.so", Path(folder) / "dump"
        _run(["cc", "-O1", "-shared", "-fPIC", "-o", str(library), str(HERE / "counting.c")])
        valgrind = ["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={dumps}"]
        hot = [sys.executable, "-m", "benchmarks.hot"]
        names = json.loads(_run([*valgrind, *hot, str(library)]))
        taken = [_total(dumps.with_name(f"dump.{number}")) for number in range(1, len(names) + 1)]
        memory = json.loads(_run([*hot, "--bytes"]))
    return {
        name: {"instructions": instructions // CALLS, "bytes": memory[name]}
        for name, instructions in zip(names, taken, strict=True)
    }


def _run(command: Sequence[str]) -> str:
    done = subprocess.run(
        command, cwd=HERE.parent, capture_output=True, text=True, env={**os.environ, **ENVIRONMENT}
    )  # fmt: skip
    if done.returncode:
        raise CountingError(f"{' '.join(command)} failed:\n{done.stderr[-1500:]}")
    return done.stdout


def _total(dump: Path) -> int:
    """What a file of callgrind's adds up to."""
    lines = dump.read_text(encoding="utf-8", errors="replace").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("totals:"))


def table(recorded: Functions, counted: Functions, here: Mapping[str, str]) -> str:
    """Return the figures as Markdown."""
    lines = [
        f"Tolerance {TOLERANCE:.0%}. {', '.join(f'{name} {value}' for name, value in here.items())}.\n",
        "| function | instructions a call | against the recorded | bytes | against the recorded |",
        "|---|---|---|---|---|",
    ]
    for name, now in counted.items():
        cells = []
        for kind in KINDS:
            before = recorded.get(name, {}).get(kind)
            cells += [f"{now[kind]:,}", f"{now[kind] / before - 1:+.1%}" if before else "new"]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())

"""What a section of `make bench` found → benchmarks/results/<section>.json, which docs/benchmarks.md is made from."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.measure import machine

RESULTS = Path(__file__).resolve().parent / "results"


class Recorder:
    """Made when a section begins; `write` at its end says also how busy the machine was."""

    def __init__(self, section: str) -> None:
        self._section = section
        self._began = time.time()
        self._load = os.getloadavg()[0]

    def write(self, figures: Mapping[str, Any], folder: Path | None = None) -> Path:
        """Write the section's file, and return its path."""
        folder = folder or Path(os.environ.get("BENCH_RESULTS", RESULTS))
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self._section}.json"
        command = " ".join(["python", "-m", _module(), *sys.argv[1:]])
        result = told(self._section, command, self._began, self._load, figures)
        path.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        return path


def told(section: str, command: str, began: float, load: float, figures: Mapping[str, Any]) -> dict[str, Any]:
    """Return what stands in a section's file: its figures, and with what, when and beside what they were measured."""
    return {
        "section": section,
        "command": command,
        "date": time.strftime("%Y-%m-%d %H:%M", time.gmtime(began)),
        "seconds": round(time.time() - began, 1),
        "load": [round(load, 1), round(os.getloadavg()[0], 1)],
        "machine": machine(),
        "figures": figures,
    }


def _module() -> str:
    path = Path(sys.argv[0]).resolve()
    path = path.parent if path.name == "__main__.py" else path.with_suffix("")
    return f"benchmarks.{path.name}" if path.name != "benchmarks" else "benchmarks"

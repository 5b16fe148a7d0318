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
        told = {
            "section": self._section,
            "command": " ".join(["python", "-m", _module(), *sys.argv[1:]]),
            "date": time.strftime("%Y-%m-%d %H:%M", time.gmtime(self._began)),
            "seconds": round(time.time() - self._began, 1),
            "load": [round(self._load, 1), round(os.getloadavg()[0], 1)],
            "machine": machine(),
            "figures": figures,
        }
        path.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        return path


def _module() -> str:
    path = Path(sys.argv[0]).resolve()
    path = path.parent if path.name == "__main__.py" else path.with_suffix("")
    return f"benchmarks.{path.name}" if path.name != "benchmarks" else "benchmarks"

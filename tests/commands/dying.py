"""`python -m tests.commands.dying MODULE .OWNER NAME WORDS…`: runs `scrapy WORDS…`, and dies where that calls NAME."""

from __future__ import annotations

import importlib
import os
import runpy
import sys


def main() -> None:
    """Run the command."""
    module, owner, name, *words = sys.argv[1:]
    place = importlib.import_module(module)
    setattr(getattr(place, owner[1:]) if owner else place, name, lambda *_, **__: os._exit(9))
    sys.argv = ["scrapy", *words]
    runpy.run_module("scrapy", run_name="__main__")


if __name__ == "__main__":
    main()

"""`make profile`: a flame graph of our crawl of the catalogue, everything on, drawn by py-spy."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.catalogue import Catalogue
from benchmarks.contenders import Ours
from benchmarks.server import CatalogueServer


def main(arguments: Sequence[str] | None = None) -> int:
    """Crawl once and write the picture; 0 if the crawl did all of its work."""
    parser = argparse.ArgumentParser(prog="make profile", description=__doc__)
    parser.add_argument("picture", type=Path, help="the SVG to write")
    parser.add_argument("--pages", type=int, default=5_000, help="size of the catalogue (100 or more)")
    options = parser.parse_args(arguments)
    picture = options.picture.resolve()
    picture.parent.mkdir(parents=True, exist_ok=True)
    py_spy = str(Path(sys.executable).with_name("py-spy"))
    profiler = [py_spy, "record", "--rate", "200", "--output", str(picture), "--", sys.executable]
    with tempfile.TemporaryDirectory(prefix="bench-") as scratch, CatalogueServer(options.pages) as server:
        ours = Ours(Catalogue(options.pages), server.url, Path(scratch), profiler)
        ours.prepare()
        ours.crawl(server)
    print(f"flame graph: {picture}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

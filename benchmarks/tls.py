"""`python -m benchmarks.tls`: what https costs: our crawl, CrawlSpider and wget2, each with http and with https.

The same pages from nginx, in turns; connections are kept, as servers do. A round in which a page was left out fails.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.catalogue import Catalogue
from benchmarks.contenders import ROOT, BenchmarkError, Ours
from benchmarks.measure import run_in_turns
from benchmarks.peers.contenders import CRAWL_SPIDER, OURS, WGET2, WGET2_COMMAND, Contender, Everything, Peer
from benchmarks.peers.site import Site
from benchmarks.record import Recorder

NAMES = (OURS, CRAWL_SPIDER, WGET2)
TRUSTING = ("-s", "DOWNLOAD_VERIFY_CERTIFICATES=False")
"""The certificate is made here, and nobody has signed it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the rounds, print the table, write results/tls.json; 0 if all fetched every page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tls", description=__doc__)
    parser.add_argument("--pages", type=int, default=5_000, help="size of the catalogue (100 or more)")
    parser.add_argument("--rounds", type=int, default=2, help="how often each crawl runs; the medians are shown")
    options = parser.parse_args(arguments)
    recorder = Recorder("tls")
    catalogue = Catalogue(options.pages)
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-tls-")))
        (scratch / "http").mkdir()
        (scratch / "https").mkdir()
        sites = [
            stack.enter_context(Site(catalogue, scratch / "http", len(NAMES))),
            stack.enter_context(Site(catalogue, scratch / "https", len(NAMES), certificate_in(scratch))),
        ]
        try:
            pairs = [_contenders(catalogue, site) for site in sites]
            for contender in (*pairs[0], *pairs[1]):
                contender.prepare()
            rounds = [_round(pairs, sites) for _ in range(options.rounds)]
        except BenchmarkError as error:
            print(f"benchmark failed: {error}", file=sys.stderr)
            return 1
    figures = {
        "pages": options.pages,
        "rows": [
            {"name": name, "http": [one[number] for one, _ in rounds], "https": [two[number] for _, two in rounds]}
            for number, name in enumerate(NAMES)
        ],
    }
    recorder.write(figures)
    print(table(figures))
    return 0


def certificate_in(folder: Path) -> tuple[Path, Path]:
    """Make a certificate for 127.0.0.1 and its key (EC, P-256), as most servers have."""
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
               "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
               "-keyout", str(key), "-out", str(certificate)]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True)
    return certificate, key


def _contenders(catalogue: Catalogue, site: Site) -> list[Contender]:
    ours, spider, wget2 = site.urls
    folders = [site.directory / str(number) for number in range(len(NAMES))]
    crawl_spider = [sys.executable, str(ROOT / "benchmarks" / "crawlspider.py"), f"{spider}/"]
    command = [*WGET2_COMMAND, "--delete-after", "--no-check-certificate", "-P", "{folder}", f"{wget2}/"]
    return [
        Everything(Ours(catalogue, ours, folders[0], settings=TRUSTING)),
        Peer(CRAWL_SPIDER, "", catalogue, folders[1], crawl_spider),
        Peer(WGET2, "", catalogue, folders[2], command),
    ]


def _round(pairs: Sequence[Sequence[Contender]], sites: Sequence[Site]) -> tuple[list[float], list[float]]:
    """Let all crawl; give the CPU seconds of each with http and with https."""
    every = [(contender, site, url) for pair, site in zip(pairs, sites, strict=True)
             for contender, url in zip(pair, site.urls, strict=True)]  # fmt: skip
    for _, site, url in every:
        site.take_hits(url)
    costs = run_in_turns([contender.job() for contender, _, _ in every], 1800)
    for (contender, site, url), cost in zip(every, costs, strict=True):
        contender.check(cost, site.take_hits(url))
        print(f"{contender.name}, {url.partition(':')[0]}: {cost.cpu_seconds:.1f} s CPU", file=sys.stderr)
    seconds = [round(cost.cpu_seconds, 3) for cost in costs]
    return seconds[: len(NAMES)], seconds[len(NAMES) :]


def table(figures: Mapping[str, Any]) -> str:
    """Return the figures as Markdown."""
    pages = figures["pages"]
    lines = ["| crawler | http, CPU ms a page | https | times as much |", "|---|---|---|---|"]
    for row in figures["rows"]:
        plain, secure = (1000 * median(row[scheme]) / pages for scheme in ("http", "https"))
        times = median(two / one for one, two in zip(row["http"], row["https"], strict=True))
        lines.append(f"| {row['name']} | {plain:.2f} | {secure:.2f} | {times:.2f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())

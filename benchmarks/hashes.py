"""`python -m benchmarks.hashes`: BKDR beside ELF and SDBM as keys of queues: how evenly they spread URLs, how fast.

URLs of a generated shop are dealt to so many queues by each hash. Balance is what the fullest queue has of what each
would have if all had the same, and χ² by its degrees of freedom: about 1 where queues are filled as by dice, far above
where the hash sees a pattern in the URLs. All three are the same loop in Python, so their times compare.

Source:
    BKDR-queue, which chooses among these for its queues.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import islice

from benchmarks.catalogue import Catalogue
from benchmarks.measure import machine
from gwc_crawler.frontier.queues import bkdr_hash

QUEUES = (16, 50, 64, 1_000)
"""50 and 1,000 have a factor that is odd, 16 and 64 have none: there only the hash's last bits decide."""


def elf_hash(text: str) -> int:
    """Return the hash of the ELF object format: four bits on with each byte, the highest folded back; 28 bits."""
    value = 0
    for byte in text.encode():
        value = (value << 4) + byte
        high = value & 0xF0000000
        value = (value ^ high >> 24) & ~high
    return value


def sdbm_hash(text: str) -> int:
    """Return the hash of the sdbm library: h · 65599 + byte; 32 bits."""
    value = 0
    for byte in text.encode():
        value = (value * 65_599 + byte) & 0xFFFFFFFF
    return value


HASHES: dict[str, Callable[[str], int]] = {"BKDR": bkdr_hash, "ELF": elf_hash, "SDBM": sdbm_hash}


def balance(values: Sequence[int], queues: int) -> tuple[float, float]:
    """Return the fullest queue by the mean, and χ² by its degrees of freedom."""
    counts = Counter(value % queues for value in values)
    mean = len(values) / queues
    square = sum((counts[queue] - mean) ** 2 for queue in range(queues)) / mean
    return max(counts.values()) / mean, square / (queues - 1)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hashes", description=__doc__)
    parser.add_argument("--urls", type=int, default=100_000)
    options = parser.parse_args(arguments)
    urls = [f"http://shop.example{path}" for path in islice(Catalogue(options.urls).paths(), options.urls)]
    print(f"{machine()}; {len(urls):,} URLs; the fullest queue by the mean, and χ² by its degrees of freedom\n")
    print("| hash | µs a URL |" + "".join(f" {queues:,} queues |" for queues in QUEUES))
    print("|---|---|" + "---|" * len(QUEUES))
    for name, hashed in HASHES.items():
        began = time.process_time()
        values = [hashed(url) for url in urls]
        cost = 1e6 * (time.process_time() - began) / len(urls)
        spread = (balance(values, queues) for queues in QUEUES)
        print(f"| {name} | {cost:.1f} |" + "".join(f" {most:.2f}, {square:.2f} |" for most, square in spread))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""`python -m benchmarks.chaos`: four workers share a crawl of 5,000 pages while everything around them fails.

Workers are killed every few seconds, Redis is killed and started again, another process keeps the store locked, the
disk is full for a while; with `--sql-server 5` pages also go to a SQL Server, which is killed and started again. Prints
the balance sheet; exit code 1 if it is not even. `--seed` makes other moments.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.chaos import Plan, run_chaos


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chaos", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pages", type=int, default=5000, help="pages of the site (default 5000)")
    parser.add_argument("--kills", type=int, default=30, help="workers killed (default 30)")
    server = "pages also go to what answers like a SQL Server, which is killed so often (default: to none)"
    parser.add_argument("--sql-server", type=int, default=0, metavar="KILLS", help=server)
    parser.add_argument("--seed", type=int, default=1, help="which moments (default 1)")
    parser.add_argument(
        "--fsync", choices=("everysec", "always"), default="everysec", help="Redis's appendfsync (default everysec)"
    )
    options = parser.parse_args(arguments)
    plan = Plan(
        pages=options.pages,
        kills=options.kills,
        redis_restarts=2,
        locks=2,
        full_disks=2,
        servers=options.sql_server,
        seed=options.seed,
        limit_seconds=1800.0,
    )
    with tempfile.TemporaryDirectory(prefix="gwc-chaos-") as directory:
        sheet = run_chaos(plan, Path(directory), fsync=options.fsync)
    print(sheet)
    return 1 if sheet.problems() else 0


if __name__ == "__main__":
    raise SystemExit(main())

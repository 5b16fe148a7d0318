"""`python -m gwc_crawler.demo`: serve the mall until Ctrl-C, or write its site file."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from gwc_crawler.demo.mall import Mall
from gwc_crawler.demo.mall_server import MallServer, api_site_toml, mall_site_toml
from gwc_crawler.demo.serving import FAULTS_HELP, parse_faults
from gwc_crawler.errors import InputError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code: 0, or 2 for a wrong option or a taken port."""
    options = _parser().parse_args(arguments)
    try:
        mall = Mall(options.seed, options.size)
        faults = parse_faults(options.misbehave)
    except (InputError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if (file := options.write_site) is not None:
        site_toml = api_site_toml if options.api else mall_site_toml
        try:
            file.write_text(site_toml(mall, f"http://127.0.0.1:{options.port}"), encoding="utf-8")
        except OSError as error:
            print(f"error: {file}: {error.strerror or error}", file=sys.stderr)
            return 2
        return 0
    try:
        server = MallServer(mall, options.port, faults).start()
    except OSError as error:
        print(f"error: port {options.port}: {error.strerror or error}; try --port 0 for a free one", file=sys.stderr)
        return 2
    print(f"mall of {mall.size} products at {server.url}/ (Ctrl-C ends it)", flush=True)
    if options.with_starter:
        threading.Thread(target=_stop_with_starter, daemon=True).start()
    signal.sigwait({signal.SIGINT, signal.SIGTERM})
    server.stop()
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m gwc_crawler.demo",
        description="Serve the demo mall on 127.0.0.1.",
        epilog=FAULTS_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seed", type=int, default=1, help="which mall (default 1)")
    parser.add_argument("--size", type=int, default=200, help="how many products, 30 or more (default 200)")
    parser.add_argument("--port", type=int, default=8765, help="0 takes a free one (default 8765)")
    parser.add_argument("--misbehave", default="", metavar="FAULTS", help="what goes wrong, e.g. slow=0.2,429=1")
    parser.add_argument("--with-starter", action="store_true", help="end when standard input closes, too")
    parser.add_argument("--write-site", type=Path, metavar="FILE", help="write the mall's site file and end")
    parser.add_argument("--api", action="store_true", help="with --write-site: that of its API, which is under /api/")
    return parser


def _stop_with_starter() -> None:
    """Wait for the end of standard input: a killed starter closes it."""
    while os.read(sys.stdin.fileno(), 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})  # before the server's thread is born
    sys.exit(main())

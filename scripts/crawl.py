"""`make crawl`: run `scrapy crawl` on a site file; without one, on the bundled mall, which is served meanwhile.

The mall runs in a process of its own, out of reach of Ctrl-C: a crawl that is interrupted still ends its open
requests. It is stopped in the end, however the crawl ended. The exit code is the crawl's
(docs/operate.md, *Exit codes*).
"""

from __future__ import annotations

import argparse
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MALL = [sys.executable, "-m", "gwc_crawler.demo"]
MALL_PORT = 8765
START_LIMIT_SECONDS = 30.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Crawl and return the exit code of `scrapy crawl`."""
    options = _parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    if options.site:
        return _crawled(options.site, options.rest)
    if _port_is_taken(options.port):
        print(
            f"port {options.port} is taken by another program (see `ss -ltnp`), so the mall can't be served there; "
            f"stop that program or choose another port: make crawl PORT={options.port + 1}",
            file=sys.stderr,
        )
        return 2
    with _served_mall(options.port):
        return _crawled(_mall_site_file(options.port), options.rest)


def _crawled(site: str, rest: Sequence[str]) -> int:
    """Crawl, and say how to look at what came of it."""
    code = _run([*_scrapy_crawl(site), *rest])
    if code == 0:
        print("look at it  .venv/bin/scrapy dashboard")
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--site", help="a site file or spider's name; without it the mall is served and crawled")
    parser.add_argument("--port", type=int, default=MALL_PORT, help="where to serve the mall")
    parser.add_argument("rest", nargs="*", help="further arguments of `scrapy crawl`, after --")
    return parser


def _scrapy_crawl(site: str) -> list[str]:
    """The command; with warnings only in the log, the progress line has the terminal for itself."""
    return [sys.executable, "-m", "scrapy", "crawl", "-L", "WARNING", site]


def _mall_site_file(port: int) -> str:
    """The mall's spider; on another port than the usual a site file that names that port."""
    if port == MALL_PORT:
        return "mall"
    path = ROOT / "data" / f"mall_{port}.toml"
    path.parent.mkdir(exist_ok=True)
    subprocess.run([*MALL, "--port", str(port), "--write-site", str(path)], check=True)
    return str(path)


def _port_is_taken(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return True
    return False


@contextmanager
def _served_mall(port: int) -> Iterator[None]:
    command = [*MALL, "--port", str(port), "--with-starter"]
    with subprocess.Popen(command, start_new_session=True, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as mall:
        try:
            _wait_until_it_answers(mall, port)
            yield
        finally:
            mall.terminate()
            try:
                mall.wait(5)
            except subprocess.TimeoutExpired:
                mall.kill()


def _wait_until_it_answers(mall: subprocess.Popen[bytes], port: int) -> None:
    limit = time.monotonic() + START_LIMIT_SECONDS
    while mall.poll() is None and time.monotonic() < limit:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise SystemExit(f"the mall did not start on port {port} (exit code {mall.poll()}); its own message stands above")


def _run(command: list[str]) -> int:
    """Run *command* in the foreground; Ctrl-C reaches it from the terminal, SIGTERM is passed on."""
    signal.signal(signal.SIGINT, lambda number, frame: None)  # not SIG_IGN, which the child would inherit
    with subprocess.Popen(command) as crawl:
        signal.signal(signal.SIGTERM, lambda number, frame: crawl.terminate())
        code = crawl.wait()
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())

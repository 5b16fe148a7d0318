"""`make crawl`'s script: exit codes pass through, the mall is served meanwhile and gone afterwards."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from gwc_crawler.demo.mall import Mall
from gwc_crawler.demo.mall_server import mall_site_toml
from scripts import crawl
from tests.processes import free_port, kill, wait_until

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def crawl_with(monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Run the script with a Python program in the place of `scrapy crawl`."""
    monkeypatch.setattr(signal, "signal", lambda *rest: None)

    def run(program: str, *arguments: str) -> int:
        monkeypatch.setattr(crawl, "_scrapy_crawl", lambda site: [sys.executable, "-c", program, site])
        return crawl.main(arguments)

    return run


@pytest.mark.parametrize("code", [0, 3, 130])
def test_the_exit_code_is_the_crawls(crawl_with: Callable[..., int], code: int) -> None:
    assert crawl_with(f"raise SystemExit({code})", "--site", "x.toml") == code


def test_the_mall_answers_during_the_crawl_and_is_stopped_after_it(
    crawl_with: Callable[..., int], port: int, capfd: pytest.CaptureFixture[str]
) -> None:
    program = f"import urllib.request as u; print(u.urlopen('http://127.0.0.1:{port}/').status); raise SystemExit(4)"
    try:
        assert crawl_with(program, "--port", str(port)) == 4
    finally:
        (ROOT / "data" / f"mall_{port}.toml").unlink(missing_ok=True)
    assert capfd.readouterr().out == "200\n"
    assert not crawl._port_is_taken(port)


def test_a_taken_port_is_named(port: int, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", port)):
        assert crawl.main(["--port", str(port)]) == 2
    message = capsys.readouterr().err
    assert f"port {port} is taken" in message
    assert f"make crawl PORT={port + 1}" in message


def test_on_another_port_the_site_file_names_that_port() -> None:
    path = Path(crawl._mall_site_file(9999))
    try:
        text = path.read_text(encoding="utf-8")
    finally:
        path.unlink()
    assert ":9999" in text
    assert ":8765" not in text
    assert crawl._mall_site_file(8765) == "mall"


def test_a_terminated_script_stops_the_mall(port: int) -> None:
    program = (
        "import sys; from scripts import crawl; "
        "crawl._scrapy_crawl = lambda site: [sys.executable, '-c', 'import time; time.sleep(60)']; "
        f"sys.exit(crawl.main(['--port', '{port}']))"
    )
    script = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, start_new_session=True)
    try:
        wait_until(lambda: is_served(port), 60)
        os.kill(script.pid, signal.SIGTERM)
        assert script.wait(20) == 128 + signal.SIGTERM
    finally:
        kill(script)
        (ROOT / "data" / f"mall_{port}.toml").unlink(missing_ok=True)
    assert not crawl._port_is_taken(port)


def is_served(port: int) -> bool:
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=1).close()
    except OSError:
        return False
    return True


def test_the_malls_site_file_is_that_of_the_mall_served() -> None:
    written = (ROOT / "sites" / "mall.toml").read_text(encoding="utf-8")
    assert written == mall_site_toml(Mall()), "run `python -m gwc_crawler.demo --write-site sites/mall.toml`"

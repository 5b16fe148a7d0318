"""A real scrapyd for a test: on a free port, in a directory of its own; scrapyd-client deploys to it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import urlopen

from tests.processes import free_port, wait_until

ROOT = Path(__file__).parent.parent
PROJECT = "gwc_crawler"

WHAT_AN_EGG_NEEDS = (
    "gwc_crawler", "settings_profiles", "sites", "scrapy.cfg", "pyproject.toml", "setup.py", "README.md", "LICENSE",
)  # fmt: skip

CONFIGURATION = """
[scrapyd]
bind_address = 127.0.0.1
http_port = {port}
poll_interval = 0.1
max_proc = 4
[settings]
gwc_crawler = settings_profiles.cluster
"""


class Scrapyd:
    """One scrapyd process, whose jobs use the profile `cluster`. Use as a context manager.

    What jobs keep is in `directory/data`, what they log in `directory/logs`. *python*: that of an environment with the
    program installed; without it, one is made that has the packages alone.
    """

    def __init__(self, directory: Path, python: Path | None = None) -> None:
        self.directory = directory
        self.port = free_port()
        self._is_made = python is not None
        self.python = python or directory / "venv" / "bin" / "python"
        left_out = {"SCRAPY_SETTINGS_MODULE", "SCRAPY_PROJECT", "PYTHONPATH"}
        self.environment = {key: value for key, value in os.environ.items() if key not in left_out}

    def __enter__(self) -> Scrapyd:
        self.directory.mkdir(parents=True)
        if not self._is_made:
            make_venv(self.directory / "venv")
        (self.directory / "scrapyd.conf").write_text(CONFIGURATION.format(port=self.port), encoding="utf-8")
        with (self.directory / "scrapyd.log").open("ab") as log:
            self.process = subprocess.Popen(
                [self.python, "-m", "scrapyd"], cwd=self.directory, env=self.environment, stdout=log, stderr=log
            )
        wait_until(self._answers, 30)
        return self

    def __exit__(self, *_: object) -> None:
        for job in self.jobs()["running"]:
            os.kill(job["pid"], signal.SIGKILL)
        self.process.terminate()
        self.process.wait(timeout=30)

    def _answers(self) -> bool:
        try:
            return self.ask("daemonstatus.json")["status"] == "ok"
        except URLError:
            return False

    def ask(self, service: str, *more: tuple[str, str], **arguments: str) -> dict[str, Any]:
        """Call the API: POST if there are arguments and it isn't a question."""
        query = urlencode([*arguments.items(), *more])
        url = f"http://127.0.0.1:{self.port}/{service}"
        asks = service.startswith(("list", "daemon", "status"))
        with urlopen(f"{url}?{query}" if asks else url, None if asks else query.encode(), timeout=60) as answer:
            told: dict[str, Any] = json.load(answer)
        return told

    def schedule(self, spider: str, **settings: Any) -> str:
        """Schedule a job, and return its name."""
        pairs = [("setting", f"{name}={value}") for name, value in settings.items()]
        job: str = self.ask("schedule.json", *pairs, project=PROJECT, spider=spider)["jobid"]
        return job

    def jobs(self) -> dict[str, list[dict[str, Any]]]:
        """All jobs, as `listjobs.json` tells them: pending, running, finished."""
        return self.ask("listjobs.json", project=PROJECT)

    def wait_for(self, *jobs: str, seconds: float = 60) -> list[str]:
        """Wait for the end of jobs; returns their logs, read over HTTP."""
        wait_until(lambda: set(jobs) <= {job["id"] for job in self.jobs()["finished"]}, seconds)
        urls = {job["id"]: job["log_url"] for job in self.jobs()["finished"]}
        return [urlopen(f"http://127.0.0.1:{self.port}{urls[job]}", timeout=30).read().decode() for job in jobs]


def make_venv(directory: Path, wheel: Path | None = None) -> None:
    """Make a virtual environment with the packages of this one, but without this project: only what *wheel* holds."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", directory], check=True)
    (packages,) = directory.glob("lib/python*/site-packages")
    if wheel is not None:
        pip = [sys.executable, "-m", "pip", "--python", directory / "bin" / "python", "install", "-qq", "--no-deps"]
        subprocess.run([*pip, "--no-index", "--disable-pip-version-check", wheel], check=True)
    here = [path for path in sys.path if Path(path).name == "site-packages"]
    # a path in a .pth file brings its packages, and no editable installations
    (packages / "here.pth").write_text("\n".join(here) + "\n", encoding="utf-8")


def copy_project(directory: Path) -> Path:
    """Copy what scrapyd-deploy needs, so that it builds nothing in the working tree."""
    for name in WHAT_AN_EGG_NEEDS:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, directory / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, directory / name)
    return directory


def deploy(project: Path, port: int, version: str) -> dict[str, Any]:
    """Run scrapyd-deploy in *project*; returns what scrapyd answered."""
    config = ConfigParser()
    config.read(project / "scrapy.cfg", encoding="utf-8")
    config["deploy"]["url"] = f"http://127.0.0.1:{port}/"
    with (project / "scrapy.cfg").open("w", encoding="utf-8") as file:
        config.write(file)
    done = subprocess.run(
        [sys.executable, "-m", "scrapyd_client.deploy", "--version", version],
        cwd=project, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr + done.stdout
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer

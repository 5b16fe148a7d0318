"""Workers that share the crawl of one site, `graph`."""

from __future__ import annotations

import signal
import subprocess
from typing import Any

from tests.conftest import Project

LEASE_SECONDS = 3.0
TIMEOUT_SECONDS = 8.0
"""So long a page that a killed worker has begun counts for its host."""


class Fleet:
    """Starts workers, and waits for their end."""

    def __init__(self, project: Project, redis_url: str) -> None:
        self.project = project
        self.settings = {
            "REDIS_URL": redis_url,
            "GWC_LEASE_SECONDS": LEASE_SECONDS,
            "GWC_LEASE_BATCH": 8,
            "DOWNLOAD_TIMEOUT": TIMEOUT_SECONDS,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 4,
        }
        self.workers: list[subprocess.Popen[str]] = []

    def join(self, *, stderr: Any = subprocess.PIPE, **settings: Any) -> subprocess.Popen[str]:
        """Start a worker."""
        worker = self.project.start(
            *("crawl", "graph"),
            settings={**self.settings, **settings},
            profile="cluster",
            stdout=subprocess.DEVNULL,
            stderr=stderr,
        )
        self.workers.append(worker)
        return worker

    def end(self, timeout: float = 60) -> list[str]:
        """Wait for all; returns what each that was not killed has logged. Then others may join."""
        logs = []
        for worker in self.workers:
            _, log = worker.communicate(timeout=timeout)
            if worker.returncode != -signal.SIGKILL:
                assert worker.returncode == 0, log
                logs.append(log)
        self.workers.clear()
        return logs

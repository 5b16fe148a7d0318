"""Fixtures of whole crawls: a site over real sockets, `scrapy` in a process of its own, a Redis server.

A process of pytest starts one Redis server, and one cluster, when the first test asks for it; each test finds it empty.
A test that needs other options, or kills its server, starts a `RedisServer` of its own.
"""

from __future__ import annotations

import gc
import json
import os
import shutil
import signal
import sqlite3
import subprocess
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self, cast

import pytest
import redis
from hypothesis import HealthCheck, settings

from gwc_crawler.knowledge.model import Knowledge, UrlClass
from gwc_crawler.modes import LearnMode
from tests import started
from tests.postgres_server import PostgresServer
from tests.processes import kill
from tests.redis_server import RedisServer, redis_cluster
from tests.site_server import SiteServer
from tests.tds_server import TdsServer
from tests.tds_server.real import RealServer

FAST = {"GWC_RETRY_BASE_SECONDS": 0.05, "GWC_COMMIT_SECONDS": 0.2}
"""Settings under which a test need not wait."""

settings.register_profile(
    "even",
    deadline=None,
    derandomize=not os.environ.get("GWC_TEST_RANDOM"),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("even")
"""Nothing fails because the machine has other work, or because other examples were drawn than last time."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Ten thousand tests are alive to the end: the collector need not walk over them, now or ever after."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


LONGEST = ("tests/store/server/", "tests/pipelines/")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files that take long and come late in the alphabet go first: else one worker has them left at the end."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))


@dataclass
class Outcome:
    """How a `scrapy` command ended."""

    code: int
    out: str
    err: str


def ended(process: subprocess.Popen[str], timeout: float = 120) -> Outcome:
    """Wait until *process* has ended; the test fails with what it said where that takes more than *timeout* seconds."""
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        pytest.fail(f"{process.args!r} did not end in {timeout} s\n{err[-4000:]}")
    return Outcome(process.returncode, out, err)


@dataclass
class Project:
    """An empty directory in which site files are written and `scrapy` commands are run.

    A context manager: what was started in it and still runs at its end is killed.
    """

    directory: Path
    processes: list[subprocess.Popen[str]] = field(default_factory=list)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self.processes:
            kill(process)

    def copy(self, other: Project) -> None:
        """Take over what *other* has."""
        shutil.copytree(other.directory, self.directory, dirs_exist_ok=True)

    def write_site(self, name: str, text: str) -> Path:
        """Write sites/NAME.toml."""
        path = self.directory / "sites" / f"{name}.toml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def write_graph_site(self, url: str, *, name: str = "graph", entry: str = "/", more: str = "") -> Path:
        """Write a site file without fields: pages are stored, no records are made."""
        return self.write_site(name, f'entry = ["{url}{entry}"]\nkeywords = "treasure"\n{more}')

    def write_knowledge(
        self,
        name: str = "graph",
        *,
        targets: Sequence[str] = (),
        directories: Sequence[str] = (r".*",),
        max_weight: int = 99,
        keywords: str = "treasure",
        **rest: Any,
    ) -> None:
        """Write what a learner would have found out."""
        Knowledge(
            site=name,
            mode=LearnMode.PAPER,
            targets=tuple(UrlClass(one) for one in targets),
            directories=tuple(UrlClass(one) for one in directories),
            max_weight=max_weight,
            keywords=keywords,
            **rest,
        ).save(self.directory / "data" / name / "knowledge.json")

    def start(
        self, *args: str, settings: Mapping[str, Any] | None = None, profile: str = "local", **popen: Any
    ) -> subprocess.Popen[str]:
        """Start `scrapy ARGS` and return the process."""
        options = [option for key, value in {**FAST, **(settings or {})}.items() for option in ("-s", f"{key}={value}")]
        takes_settings = args and args[0] in {"crawl", "learn", "extract", "work"}
        process = started.start(
            "scrapy.cmdline",
            *args,
            *(options if takes_settings else ()),
            cwd=self.directory,
            env={**os.environ, "SCRAPY_SETTINGS_MODULE": f"settings_profiles.{profile}", "PYTHONPATH": str(ROOT)},
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **popen},
        )
        self.processes.append(process)
        return process

    def scrapy(
        self, *args: str, timeout: float = 120, settings: Mapping[str, Any] | None = None, profile: str = "local"
    ) -> Outcome:
        """Run `scrapy ARGS` to its end."""
        return ended(self.start(*args, settings=settings, profile=profile), timeout)

    def rows(
        self, query: str, *parameters: Any, name: str = "graph", database: str = "crawl.db"
    ) -> list[tuple[Any, ...]]:
        """Read from a site's database."""
        with closing(sqlite3.connect(f"file:{self.directory}/data/{name}/{database}?mode=ro", uri=True)) as connection:
            return connection.execute(query, parameters).fetchall()

    def states(self, name: str = "graph") -> dict[str, str]:
        """Return the state of every URL of a crawl."""
        rows: list[Any] = self.rows("SELECT url, state FROM urls WHERE state IS NOT NULL", name=name)
        return dict(rows)

    def knowledge(self, name: str) -> dict[str, Any]:
        """Return a site's knowledge file."""
        loaded: dict[str, Any] = json.loads((self.directory / "data" / name / "knowledge.json").read_text("utf-8"))
        return loaded


ROOT = Path(__file__).parent.parent

if (
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN
):  # started in the background: commands under test must still hear it
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """A fresh project directory."""
    with Project(tmp_path) as project:
        yield project


@pytest.fixture
def site() -> Iterator[SiteServer]:
    """A site whose link graph the test writes."""
    with SiteServer() as server:
        yield server


@pytest.fixture(scope="session")
def session_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with RedisServer(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture
def redis_server(session_redis: RedisServer) -> RedisServer:
    """An empty Redis server; not to be killed."""
    with session_redis.client() as client:
        client.flushall()
        client.script_flush()
    return session_redis


@pytest.fixture
def client(redis_server: RedisServer) -> Iterator[redis.Redis]:
    """A client of the tests' Redis server."""
    with redis_server.client() as client:
        yield client


@pytest.fixture(scope="session")
def session_tds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TdsServer]:
    if url := os.environ.get("GWC_TEST_MSSQL"):
        real = RealServer(url)
        yield cast("TdsServer", real)
        real.drop()
        return
    with TdsServer(tmp_path_factory.mktemp("tds")) as server:
        yield server


@pytest.fixture
def tds(session_tds: TdsServer, monkeypatch: pytest.MonkeyPatch) -> TdsServer:
    """What answers like a SQL Server, with an empty database; the environment says where it is."""
    if session_tds.process is None or session_tds.process.poll() is not None:
        session_tds.start()
    session_tds.new_database()
    session_tds.hook()
    for name, value in session_tds.settings.items():
        monkeypatch.setenv(name, str(value))
    return session_tds


@pytest.fixture(scope="session")
def session_postgres() -> Iterator[PostgresServer]:
    with PostgresServer() as server:
        yield server


@pytest.fixture
def postgres(session_postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> PostgresServer:
    """A real PostgreSQL, with an empty database; the environment says where it is."""
    session_postgres.new_database()
    session_postgres.hook()
    for name, value in session_postgres.settings.items():
        monkeypatch.setenv(name, str(value))
    return session_postgres


@pytest.fixture(params=["mssql", "postgres"])
def any_server(request: pytest.FixtureRequest) -> TdsServer | PostgresServer:
    """A server that a sink writes to: one test over each."""
    server: TdsServer | PostgresServer = request.getfixturevalue("tds" if request.param == "mssql" else "postgres")
    return server


@pytest.fixture(scope="session")
def session_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[redis.RedisCluster]:
    with redis_cluster(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster


@pytest.fixture
def cluster(session_cluster: redis.RedisCluster) -> redis.RedisCluster:
    """An empty Redis cluster of three masters."""
    session_cluster.flushall()
    session_cluster.script_flush()
    return session_cluster

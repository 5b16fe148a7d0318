"""A Redis user with too few rights, and keys of a wrong type: told before anything is fetched, or survived."""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import Any

import pytest
import redis
from scrapy.settings import Settings

from gwc_crawler.crawl.redis_parts import COMMANDS, check_server
from gwc_crawler.errors import RightsError, StoreError
from gwc_crawler.frontier.redis.wire import TYPES
from tests.conftest import Project, ended
from tests.processes import wait_until
from tests.redis_server import RedisServer
from tests.site_server import SiteServer
from tests.stars import begin_star

KEYS = ("~{graph}:*", "~{gwc}:*", "~{fleet}:*", "~graph:start_urls")
RIGHTS = ("+@connection", *(f"+{right}" for right in COMMANDS))
GRANT = "ACL SETUSER crawler " + " ".join((*KEYS, *RIGHTS))


class User:
    """The Redis user that crawls, and what it may do."""

    def __init__(self, server: RedisServer, client: redis.Redis) -> None:
        self.url = f"redis://crawler:secret@127.0.0.1:{server.port}/0"
        self._client = client

    def may(self, *rules: str) -> None:
        """Let it do just that."""
        self._client.execute_command("ACL SETUSER", "crawler", "reset", "on", ">secret", *rules)

    def may_besides(self, *rules: str) -> None:
        """Add or take away something."""
        self._client.execute_command("ACL SETUSER", "crawler", *rules)

    def checked(self) -> str:
        """What the check before a crawl says; "" where nothing is lacking."""
        with redis.Redis.from_url(self.url) as client:
            try:
                check_server("graph", Settings({"GWC_FLEET": "fleet"}), client)
            except RightsError as error:
                return str(error)
        return ""


@pytest.fixture
def user(redis_server: RedisServer, client: redis.Redis) -> Iterator[User]:
    yield User(redis_server, client)
    client.execute_command("ACL DELUSER", "crawler")


@pytest.mark.parametrize("lacking", ["", *COMMANDS, *KEYS])
def test_what_is_lacking_is_named_with_what_grants_it(user: User, client: redis.Redis, lacking: str) -> None:
    user.may(*(one for one in KEYS if one != lacking), *(one for one in RIGHTS if one != f"+{lacking}"))
    told = user.checked()
    assert bool(told) == bool(lacking)
    assert not told or (lacking in told.partition("; grant")[0] and GRANT in told)
    assert client.keys() == []


@pytest.mark.parametrize("command", [one.split()[0] for group in COMMANDS.values() for one in group])
def test_each_command_that_is_lacking_is_named(user: User, command: str) -> None:
    user.may(*KEYS, *RIGHTS, f"-{command}")
    assert re.search(rf"lacks \+@?\w+ \({command}\)", user.checked())


def test_keys_that_may_only_be_read_are_named(user: User) -> None:
    user.may(*KEYS[:1], *KEYS[2:], "%R~{gwc}:*", *RIGHTS)
    assert "lacks ~{gwc}:*; grant" in user.checked()


def test_whatever_a_script_calls_is_tried() -> None:
    tried = {one.split()[0] for group in COMMANDS.values() for one in group}
    packages = "frontier.redis", "network.politeness", "operate.fleet"
    folders = [files(f"gwc_crawler.{package}") / "lua" for package in packages]
    scripts = [one.read_text("utf-8") for folder in folders if folder.is_dir() for one in folder.iterdir()]
    called = {name.lower() for text in scripts for name in re.findall(r"\bcall\(\s*'([A-Za-z]+)'", text)}
    assert called <= tried
    assert "zadd" in called


@pytest.mark.parametrize("command", ["crawl", "learn", "work"])
@pytest.mark.parametrize("lacking", ["+@scripting", "+info", "~{gwc}:*", "~{graph}:*"])
def test_nothing_is_fetched_without_the_rights(
    project: Project, site: SiteServer, user: User, command: str, lacking: str
) -> None:
    begin_star(project, site, 5)
    (project.directory / "data" / "graph" / "knowledge.json").unlink()
    user.may(*(one for one in (*KEYS, *RIGHTS) if one != lacking))
    arguments = ("work", "--once") if command == "work" else (command, "graph")
    outcome = project.scrapy(*arguments, "-s", f"REDIS_URL={user.url}", profile="cluster", timeout=60)
    assert outcome.code == 5
    assert lacking in outcome.err
    assert GRANT in outcome.err
    assert "Traceback" not in outcome.err
    assert not site.hits


def test_the_rights_that_are_named_are_enough(project: Project, site: SiteServer, user: User) -> None:
    begin_star(project, site, 10)
    user.may(*KEYS, *RIGHTS)
    for arguments in (("crawl", "graph"), ("work", "--once")):
        outcome = project.scrapy(*arguments, "-s", f"REDIS_URL={user.url}", profile="cluster")
        assert outcome.code == 0, outcome.err
    assert len(site.page_hits()) == 11


def test_the_doctor_names_what_is_lacking(project: Project, site: SiteServer, user: User, client: redis.Redis) -> None:
    begin_star(project, site, 3)
    user.may(*KEYS, *(one for one in RIGHTS if one != "+info"))
    client.set("graph:start_urls", "x")
    outcome = project.scrapy("doctor", "graph", "-s", f"REDIS_URL={user.url}", profile="cluster")
    assert outcome.code == 1
    assert GRANT in outcome.out
    assert "graph:start_urls holds a string" in outcome.out


@pytest.mark.parametrize("taken", ["-@scripting", "-info", "-@all", "resetkeys", "-@write"])
def test_rights_that_are_taken_away_end_the_crawl_with_a_word(
    project: Project, site: SiteServer, user: User, taken: str
) -> None:
    begin_star(project, site, 300, 0.05)
    user.may(*KEYS, *RIGHTS)
    process = project.start("crawl", "graph", "-s", f"REDIS_URL={user.url}", profile="cluster")
    site.wait_for_pages(20)
    user.may_besides(taken)
    outcome = ended(process, 60)
    assert outcome.code == 5, outcome.err
    assert "Redis refuses" in outcome.err
    assert "Rights in Redis" in outcome.err
    assert "Traceback" not in outcome.err


def test_limits_that_may_be_asked_no_more_end_the_crawl(project: Project, site: SiteServer, user: User) -> None:
    begin_star(project, site, 300, 0.05)
    user.may(*KEYS, *RIGHTS)
    process = project.start("crawl", "graph", "-s", f"REDIS_URL={user.url}", profile="cluster")
    site.wait_for_pages(20)
    user.may_besides("resetkeys", *(one for one in KEYS if "gwc" not in one))
    outcome = ended(process, 60)
    assert outcome.code == 5, outcome.err
    assert "Traceback" not in outcome.err


def test_a_key_that_holds_something_else_is_named_before_a_crawl_and_while_it_runs(
    project: Project, site: SiteServer, redis_server: RedisServer, client: redis.Redis
) -> None:
    begin_star(project, site, 300, 0.05)
    address = f"REDIS_URL={redis_server.url}"
    process = project.start("crawl", "graph", "-s", address, profile="cluster")
    site.wait_for_pages(20)
    check_server("graph", Settings(), client)  # all keys of a crawl that runs are as they should be
    client.delete("{graph}:requests:until")
    client.sadd("{graph}:requests:until", "x")
    for outcome in (ended(process, 60), project.scrapy("crawl", "graph", "-s", address, profile="cluster")):
        assert outcome.code == 5, outcome.err
        assert "the Redis key {graph}:requests:until holds a set, and a crawl keeps a zset there" in outcome.err
        assert "Traceback" not in outcome.err


@pytest.mark.parametrize("key", [*(f"requests{end}" for end in TYPES), "knowledge", "learning", "learning_failed"])
def test_each_key_that_holds_something_else_is_named(client: redis.Redis, key: str) -> None:
    client.sadd(f"{{graph}}:{key}", "x")
    with pytest.raises(StoreError, match=re.escape(f"the Redis key {{graph}}:{key} holds a set")):
        check_server("graph", Settings(), client)


PUSHES: dict[str, Callable[[Any, str, str], Any]] = {
    "list": lambda client, key, url: client.lpush(key, url),
    "set": lambda client, key, url: client.sadd(key, url),
    "sorted set": lambda client, key, url: client.zadd(key, {url: 1}),
}
OTHERS: dict[str, Callable[[Any, str, str], Any]] = {
    "string": lambda client, key, url: client.set(key, url),
    "hash": lambda client, key, url: client.hset(key, "url", url),
    "stream": lambda client, key, url: client.xadd(key, {"url": url}),
}


def test_start_urls_of_any_type_are_read_or_told_of_while_the_crawl_goes_on(
    project: Project, site: SiteServer, redis_server: RedisServer, client: redis.Redis
) -> None:
    begin_star(project, site, 3000, 0.4)
    log = project.directory / "log"
    with log.open("wb") as stderr:
        address = f"REDIS_URL={redis_server.url}"
        process = project.start("crawl", "graph", "-s", address, profile="cluster", stderr=stderr)
    site.wait_for_pages(10)
    for name, push in OTHERS.items():
        push(client, "graph:start_urls", f"{site.url}/never")
        wait_until(lambda name=name: f"graph:start_urls holds a {name}" in log.read_text("utf-8"), 30)
        time.sleep(1.5)  # it is told once, however often it is looked at
        assert client.delete("graph:start_urls") == 1
    for number, push in enumerate(PUSHES.values()):
        push(client, "graph:start_urls", f"{site.url}/extra/{number}")
        wait_until(lambda: not client.exists("graph:start_urls"), 12)
        assert any(f"/extra/{number}".encode() in one for one in client.hvals("{graph}:requests:urls"))
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 130
    said = log.read_text("utf-8")
    assert all(said.count(f"graph:start_urls holds a {name}") == 1 for name in OTHERS)
    assert "DEL graph:start_urls" in said
    assert "/never" not in site.hits

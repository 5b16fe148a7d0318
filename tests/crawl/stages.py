"""Ways to leave a site behind: killed, interrupted or failed at each stage of pre-crawl, learning and crawl."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import redis

from tests.conftest import Outcome, Project
from tests.crawl.fleet import TIMEOUT_SECONDS
from tests.redis_server import RedisServer
from tests.shop_site import product_site_file, put_products
from tests.site_server import SiteServer

PRODUCTS = 36
PAGES = 24
"""`[learn] pages`: the pre-crawl reaches its limit, and URLs still wait."""

LIMIT_SECONDS = 120.0
"""Whatever takes longer hangs."""

ENDED = "Spider closed"


@dataclass
class Shop:
    """A shop, its project, and how commands are run there."""

    project: Project
    site: SiteServer
    redis: RedisServer | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        put_products(self.site, PRODUCTS)
        self.site.delays["*"] = 0.02
        self.write()

    def write(self, samples: tuple[int, int] = (1, 2)) -> None:
        """Write the site file."""
        text = product_site_file(self.site.url, samples)
        self.project.write_site("shop", text.replace("pages = 40", f"pages = {PAGES}"))

    @property
    def profile(self) -> str:
        return "local" if self.redis is None else "cluster"

    @property
    def options(self) -> dict[str, Any]:
        """What commands of this shop are told."""
        if self.redis is None:
            return dict(self.settings)
        shared = {"REDIS_URL": self.redis.url, "GWC_LEASE_SECONDS": 2.0, "DOWNLOAD_TIMEOUT": TIMEOUT_SECONDS}
        return {**shared, **self.settings}

    def run(self, *args: str) -> Outcome:
        """Run a command to its end; a hang fails the test."""
        given = [word for key, value in self.options.items() for word in ("-s", f"{key}={value}")]
        return self.project.scrapy(*args, *given, timeout=LIMIT_SECONDS, profile=self.profile)

    def start(self, *args: str) -> tuple[subprocess.Popen[str], Path]:
        """Start a command; the second value is the file with what it says."""
        path = self.project.directory / f"log-{len(self.project.processes)}"
        with path.open("w") as log:
            process = self.project.start(
                *args, settings=self.options, profile=self.profile, stdout=log, stderr=subprocess.STDOUT
            )
        return process, path

    def end_when(
        self,
        condition: Callable[[str], Any],
        signals: Sequence[signal.Signals],
        command: str = "crawl",
        code: int | None = None,
    ) -> None:
        """Run a command until *condition* holds of what it has said, then send *signals*; it ends, with *code*."""
        process, path = self.start(command, "shop")
        deadline = time.monotonic() + LIMIT_SECONDS
        while not condition(path.read_text("utf-8")) and process.poll() is None:
            assert time.monotonic() < deadline, path.read_text("utf-8")[-3000:]
            time.sleep(0.005)
        for one in signals:
            if process.poll() is None:
                process.send_signal(one)
                time.sleep(0.1)
        assert process.wait(timeout=LIMIT_SECONDS) is not None
        if code is not None:
            assert process.returncode == code, path.read_text("utf-8")[-3000:]

    # --- what is to be seen from outside ------------------------------------------------------------------------------

    def asked(self) -> int:
        """How many pages were asked for."""
        return sum(self.site.page_hits().values())

    def has_learned(self) -> bool:
        """Whether there is knowledge."""
        return (self.project.directory / "data/shop/knowledge.json").exists()

    def records(self) -> list[str]:
        """The URLs of the records."""
        return [url for (url,) in self.project.rows("SELECT url FROM records_shop", name="shop")]

    def waiting(self) -> int:
        """How many URLs wait or are leased."""
        if self.redis is None:
            query = "SELECT count(*) FROM urls WHERE state IN ('U', 'R')"
            return int(self.project.rows(query, name="shop")[0][0])
        with closing(redis.Redis(port=self.redis.port)) as client:
            values = client.hmget("{shop}:requests:values", ["U", "R"])
        return sum(int(value or 0) for value in values)


def killed(condition: Callable[[Shop, str], Any], command: str = "crawl") -> Callable[[Shop], None]:
    """kill -9 as soon as *condition* holds."""
    return lambda shop: shop.end_when(lambda said: condition(shop, said), [signal.SIGKILL], command)


def interrupted(condition: Callable[[Shop, str], Any], times: int) -> Callable[[Shop], None]:
    """Ctrl-C, so many *times*."""
    return lambda shop: shop.end_when(lambda said: condition(shop, said), [signal.SIGINT] * times, code=130)


def in_precrawl(shop: Shop, _: str) -> bool:
    return shop.asked() >= PAGES // 3


def before_learning(_: Shop, said: str) -> bool:
    return ENDED in said


def after_learning(shop: Shop, _: str) -> bool:
    return shop.has_learned()


def in_crawl(shop: Shop, _: str) -> bool:
    return shop.has_learned() and shop.asked() >= PAGES + (PRODUCTS - PAGES) // 2


def in_closing(_: Shop, said: str) -> bool:
    return said.count("Closing spider") == 2


def with_a_mistake_in_its_file(shop: Shop) -> None:
    path = shop.project.directory / "sites/shop.toml"
    right = path.read_text("utf-8")
    path.write_text(f"keywods = 'x'\n{right}", encoding="utf-8")
    assert shop.run("crawl", "shop").code == 2
    path.write_text(right, encoding="utf-8")


def while_the_site_was_down(shop: Shop) -> None:
    pages = ["/", *(path for path in shop.site.bodies if path != "/robots.txt")]
    shop.site.statuses.update(dict.fromkeys(pages, 403))
    assert shop.run("crawl", "shop").code == 3
    shop.site.statuses.clear()


def with_a_wrong_sample(shop: Shop) -> None:
    path = shop.project.directory / "sites/shop.toml"
    right = path.read_text("utf-8")
    path.write_text(right.replace("Product number 2", "Nothing such").replace("$2.50", "$999.99"), encoding="utf-8")
    assert shop.run("crawl", "shop").code == 4
    path.write_text(right, encoding="utf-8")


def with_a_file_in_the_way(shop: Shop) -> None:
    data = shop.project.directory / "data"
    data.write_text("in the way")
    assert shop.run("crawl", "shop").code == 5
    data.unlink()


def stopped_by_its_page_limit(shop: Shop) -> None:
    assert shop.run("crawl", "shop", "-s", "GWC_MAX_PAGES=5").code == 0


STAGES: dict[str, Callable[[Shop], None]] = {
    "killed in the pre-crawl": killed(in_precrawl),
    "killed before learning": killed(before_learning),
    "killed in the crawl": killed(in_crawl),
    "interrupted in the pre-crawl": interrupted(in_precrawl, 1),
    "a wrong sample": with_a_wrong_sample,
}
MORE_STAGES: dict[str, Callable[[Shop], None]] = {
    "killed after learning": killed(after_learning),
    "killed in closing": killed(in_closing),
    "interrupted twice in the pre-crawl": interrupted(in_precrawl, 2),
    "interrupted in the crawl": interrupted(in_crawl, 1),
    "interrupted twice in the crawl": interrupted(in_crawl, 2),
    "learn killed in the pre-crawl": killed(in_precrawl, "learn"),
    "learn killed before learning": killed(before_learning, "learn"),
    "learn killed after learning": killed(after_learning, "learn"),
    "a mistake in the file": with_a_mistake_in_its_file,
    "the site was down": while_the_site_was_down,
    "a file in the way": with_a_file_in_the_way,
    "a page limit": stopped_by_its_page_limit,
}

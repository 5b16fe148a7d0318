"""What robots.txt forbids, by which line, for how long: without a network, over both books."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import redis
from scrapy.robotstxt import ProtegoRobotParser

from gwc_crawler.frontier.admission import Admission, UrlGroup
from gwc_crawler.items import Lease, RejectionReason
from gwc_crawler.network.politeness.robots import FORBIDDEN, RULES_SECONDS, Robots, RobotsBook, Rules, forbidding_line
from gwc_crawler.network.politeness.shared import RedisRobots
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.state import RobotsTable
from tests.redis_server import RedisServer

HOST = "http://a.example"
TEXT = b"User-agent: *\nDisallow: /no/\nDisallow: /no/deeper/ # both\nAllow: /no/but\nDisallow: /*?sort=\n"
AGENT = "bot (+http://b.example/)"


def parse(text: bytes) -> Rules:
    return ProtegoRobotParser(text, None)


class Counting:
    """Rules that count how often they are asked."""

    def __init__(self, text: bytes) -> None:
        self.rules = parse(text)
        self.asked = 0

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        self.asked += 1
        return self.rules.allowed(url, user_agent)

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        return self.rules.crawl_delay(user_agent)


class Clock:
    """Seconds that a test moves."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["sqlite", "redis"])
def book(request: pytest.FixtureRequest, tmp_path: Path) -> RobotsBook:
    if request.param == "sqlite":
        return RobotsTable(CrawlDatabase(tmp_path / "crawl.db"))
    server: RedisServer = request.getfixturevalue("redis_server")
    return RedisRobots(redis.Redis(port=server.port), "{shop}:requests")


def test_what_is_not_known_is_not_forbidden(clock: Clock) -> None:
    robots = Robots(parse, AGENT, clock=clock)
    assert robots.known(HOST) is None
    assert not robots.forbids(f"{HOST}/no/1")
    robots.learn(HOST, TEXT)
    assert robots.forbids(f"{HOST}/no/1")
    assert not robots.forbids(f"{HOST}/no/but/this")
    assert not robots.forbids(f"{HOST}:8080/no/1"), "another port is another origin"
    assert not robots.forbids("https://a.example/no/1"), "another scheme, too"


def test_a_url_met_again_is_not_judged_again(clock: Clock) -> None:
    rules = Counting(TEXT)
    robots = Robots(lambda _: rules, AGENT, clock=clock)
    robots.learn(HOST, TEXT)
    for _ in range(5):
        assert robots.forbids(f"{HOST}/no/1")
        assert not robots.forbids(f"{HOST}/yes")
    assert rules.asked == 2


def test_rules_that_disallow_nothing_are_not_asked(clock: Clock) -> None:
    for text in (b"", b"User-agent: *\nDisallow:\n", b"User-agent: *\nDisallow: # nothing\nCrawl-delay: 2\n"):
        rules = Counting(text)
        robots = Robots(lambda _, rules=rules: rules, AGENT, clock=clock)  # type: ignore[misc]
        robots.learn(HOST, text)
        assert not robots.forbids(f"{HOST}/no/1")
        assert rules.asked == 0


@pytest.mark.parametrize("word", ["Disallow", "disalow", "DISALLOW ", "Dissallow", "disallow"])
def test_a_misspelt_disallow_is_no_shortcut(word: str, clock: Clock) -> None:
    robots = Robots(parse, AGENT, clock=clock)
    robots.learn(HOST, f"User-agent: *\n{word}: /no/\n".encode())
    assert robots.forbids(f"{HOST}/no/1")


def test_rules_outlive_the_process_and_reach_other_workers(book: RobotsBook, clock: Clock) -> None:
    first, second = (Robots(parse, AGENT, book, clock) for _ in range(2))
    assert not second.forbids(f"{HOST}/no/1")
    first.learn(HOST, TEXT)
    clock.now += 60
    assert second.forbids(f"{HOST}/no/1"), "a worker that did not know them looks again"
    assert Robots(parse, AGENT, book, clock).forbids(f"{HOST}/no/1")
    line = second.line_against(f"{HOST}/no/1")
    assert line is not None
    assert (line.number, line.text, line.read_at) == (2, "Disallow: /no/", 1_000_000.0)
    assert str(line) == f"{HOST}/robots.txt, line 2: Disallow: /no/"


def test_rules_hold_for_a_day(book: RobotsBook, clock: Clock) -> None:
    robots = Robots(parse, AGENT, book, clock)
    robots.learn(HOST, TEXT)
    clock.now += RULES_SECONDS - 1
    assert robots.forbids(f"{HOST}/no/1")
    clock.now += 2
    for one in (robots, Robots(parse, AGENT, book, clock)):
        assert one.known(HOST) is None
        assert not one.forbids(f"{HOST}/no/1"), "it is asked for, and judged by what is read then"
        assert one.line_against(f"{HOST}/no/1") is not None, "a person hears what was read last"
    again = Robots(parse, AGENT, book, clock)
    assert again.prolong(HOST, 60) is not None, "while they can't be had anew, old ones hold on"
    assert again.forbids(f"{HOST}/no/1")
    clock.now += 61
    assert not again.forbids(f"{HOST}/no/1")


def test_it_is_said_when_rules_say_something_else(book: RobotsBook, clock: Clock) -> None:
    robots = Robots(parse, AGENT, book, clock)
    assert robots.learn(HOST, TEXT)[1] is False
    assert robots.forbids(f"{HOST}/no/1")
    clock.now += RULES_SECONDS + 1
    assert robots.learn(HOST, TEXT)[1] is False
    assert Robots(parse, AGENT, book, clock).learn(HOST, b"")[1] is True
    clock.now += RULES_SECONDS + 1
    assert robots.learn(HOST, b"")[1] is False
    assert not robots.forbids(f"{HOST}/no/1"), "old verdicts are forgotten"


def test_a_host_that_is_given_up_is_asked_again_later(clock: Clock) -> None:
    robots = Robots(parse, AGENT, clock=clock)
    robots.give_up(HOST, "robots.txt of a.example can't be had: HTTP 503", clock.now + 300)
    assert robots.reason_against(f"{HOST}/", is_start=True) == "robots.txt of a.example can't be had: HTTP 503"
    assert robots.reason_against("http://b.example/") is None
    clock.now += 301
    assert robots.reason_against(f"{HOST}/") is None


def test_a_start_is_judged_by_what_this_process_has_read(book: RobotsBook, clock: Clock) -> None:
    Robots(parse, AGENT, book, clock).learn(HOST, b"User-agent: *\nDisallow: /\n")
    robots = Robots(parse, AGENT, book, clock)
    assert robots.reason_against(f"{HOST}/", is_start=True) is None
    assert robots.reason_against(f"{HOST}/") == FORBIDDEN
    robots.learn(HOST, b"User-agent: *\nDisallow: /\n")
    assert robots.reason_against(f"{HOST}/", is_start=True) == FORBIDDEN


LINES = [
    ("/no/1", (2, "Disallow: /no/")),
    ("/no/deeper/1", (3, "Disallow: /no/deeper/ # both")),
    ("/no/but", None),
    ("/x?sort=up", (5, "Disallow: /*?sort=")),
    ("/", None),
]


@pytest.mark.parametrize(("path", "line"), LINES)
def test_the_line_that_forbids(path: str, line: tuple[int, str] | None) -> None:
    assert forbidding_line(TEXT, HOST + path, AGENT, parse) == line


def test_the_line_is_of_the_group_that_holds_for_us() -> None:
    text = b"User-agent: other\nDisallow: /a/b/c\n\nUser-agent: bot\nUser-agent: x\nDisallow: /a\nAllow: /a/b\n\n"
    text += b"User-agent: *\nDisallow: /"
    assert forbidding_line(text, f"{HOST}/a/x", AGENT, parse) == (6, "Disallow: /a")
    assert forbidding_line(text, f"{HOST}/z", AGENT, parse) is None
    assert forbidding_line(text, f"{HOST}/z", "stranger", parse) == (10, "Disallow: /")


@pytest.mark.dear
def test_the_line_among_thousands_is_found_in_few_readings() -> None:
    text = b"User-agent: *\n" + b"".join(b"Disallow: /p%d/\n" % number for number in range(5000))
    readings = 0

    def counting(given: bytes) -> Rules:
        nonlocal readings
        readings += 1
        return parse(given)

    assert forbidding_line(text, f"{HOST}/p777/x", AGENT, counting) == (779, "Disallow: /p777/")
    assert readings < 20


# --- admission -----------------------------------------------------------------------------------------------------


class Shared:
    """A book of limits that keeps nothing."""

    def change(self, step: Callable[[Any], None]) -> Any:
        from gwc_crawler.frontier.rejections import LimitsState

        state = LimitsState()
        step(state)
        return state


def lease(path: str, depth: int = 1) -> Lease:
    return Lease(HOST + path, 1, 0, depth, 1, "me", 1, 0.0)


def test_admission_keeps_out_what_is_forbidden_and_keeps_it_in_mind(clock: Clock) -> None:
    robots = Robots(parse, AGENT, clock=clock)
    admission = Admission(Shared(), lambda _: UrlGroup(), lambda _: 0, robots=robots)
    links = [f"{HOST}/no/1", f"{HOST}/yes", f"{HOST}/no/2"]
    assert admission.admit(links, 3, 2) == links, "nobody knows the rules"
    robots.learn(HOST, TEXT)
    assert admission.admit(links, 3, 2) == [f"{HOST}/yes"]
    assert [(link.url, link.weight, link.depth) for link in admission.forbidden] == [(links[0], 2, 3), (links[2], 2, 3)]
    admission.forbidden.clear()
    assert admission.admit(links, 4, 2) == [f"{HOST}/yes"]
    assert admission.forbidden == [], "it is written down once"
    admission.admit(links[:1], 1, 0)
    assert [link.weight for link in admission.forbidden] == [0], "or when a better way is found"
    assert admission.tally.total == {RejectionReason.ROBOTS: 2}
    admission.forget_forbidden()
    admission.admit(links, 3, 2)
    assert len(admission.forbidden) == 2, "what was not committed is written again"


def test_leases_of_what_is_forbidden_end_together(clock: Clock) -> None:
    robots = Robots(parse, AGENT, clock=clock)
    admission = Admission(Shared(), lambda _: UrlGroup(), lambda _: 0, robots=robots)
    leases = [lease(f"/no/{number}") for number in range(5)] + [lease("/yes"), lease("/no/start", 0)]
    assert admission.screen(leases) == (leases, {})
    robots.learn(HOST, TEXT)
    used, cut = admission.screen(leases, [f"{HOST}/no/4"])
    assert [one.url for one in used] == [f"{HOST}/no/4", f"{HOST}/yes"], "what is looked at again goes its own way"
    assert {reason: len(some) for reason, some in cut.items()} == {FORBIDDEN: 5}
    assert admission.tally.total == {RejectionReason.ROBOTS: 5}


def test_new_rules_have_everything_judged_anew(clock: Clock) -> None:
    robots = Robots(parse, AGENT, clock=clock)
    recalled: list[str] = []
    readmitted: list[tuple[str, bool]] = []

    def readmit(pattern: str, forbids: Callable[[str], bool]) -> int:
        readmitted.append((pattern, forbids(f"{HOST}/no/1")))
        return 1

    admission = Admission(
        Shared(), lambda _: UrlGroup(), lambda why: recalled.append(why) or 0, robots=robots, readmit=readmit
    )  # type: ignore[func-returns-value]
    robots.learn(HOST, TEXT)
    admission.rules_changed(f"{HOST}/*")
    assert recalled == [FORBIDDEN]
    assert readmitted == [(f"{HOST}/*", True)]
    admission.settle()
    assert len(recalled) == len(readmitted) == 1

"""The crawls of which the cases of politeness are told: many hosts at once, borders, restarts, workers."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from email.utils import formatdate
from typing import Any

from tests.conformance.polite_hosts import RESET, Host, Hosts, NoTls, wait_for_more
from tests.conftest import Project
from tests.processes import kill, wait_until
from tests.shop_site import SAMPLES, shop

DELAY = 0.8
BACK_OFF = 0.4
MOST = 4
LONG_DELAY = 5
"""A process has begun its first request sooner."""

LONG_REST = 240
"""A Retry-After that ends after all has been seen."""

ALONE = "left alone"

Outcomes = dict[str, str]


def done(project: Project, *arguments: str, **settings: Any) -> None:
    ended = project.scrapy("crawl", "graph", *arguments, settings={"DOWNLOAD_DELAY_JITTER": 0.0, **settings})
    assert ended.code == 0, ended.err


def many_hosts(project: Project, hosts: Hosts) -> Outcomes:
    """Each host has its own way of asking for less; one start page links to all of them."""
    middle = hosts.add()
    delay, crawl_delay, three, one, fast = (hosts.add().star(pages) for pages in (6, 5, 20, 6, 20))
    crawl_delay.bodies["/robots.txt"] = (f"User-agent: *\nCrawl-delay: {DELAY}\n".encode(), "text/plain")
    three.delays["*"] = one.delays["*"] = 0.2

    def resting(status: int, wait: str) -> Host:
        host = hosts.add().star(4)
        host.trouble, host.retry_after = [status], wait
        return host

    def troubled(*statuses: int) -> Host:
        host = hosts.add().star(len(statuses) + 12)
        host.trouble = list(statuses)
        host.headers["/"] = host.headers["/robots.txt"] = {"Connection": "close"}
        return host

    seconds, fault, absurd = resting(429, "3"), resting(500, "3"), resting(429, "Fri, 31 Dec 9999 23:59:59 -2359")
    date = resting(503, "")
    garbage = resting(429, "when the cows come home")
    robots = hosts.add().star(2)
    robots.statuses["/robots.txt"], robots.headers["/robots.txt"] = [503, 200], {"Retry-After": "3"}
    unavailable, reset, faulty = troubled(503, 503, 503), troubled(RESET, RESET, RESET), troubled(*[500] * 5)
    recovering = troubled(503)
    recovering.delays["*"] = 0.3
    target = hosts.add()
    target.links = {f"/t/{number}": [] for number in range(4)}
    turns = {f"/r/{number}": f"{target.url}/t/{number}" for number in range(4)}
    middle.statuses = dict.fromkeys(turns, 302)
    middle.headers = {path: {"Location": to} for path, to in turns.items()}
    with NoTls("127.0.0.99") as tls:
        middle.links = {"/": [f"{host.url}/" for host in hosts.all if host not in (middle, target)]}
        middle.links["/"] += [*turns, *(f"https://{tls.name}/{number}" for number in range(3))]
        hosts.write_site(project, middle, also=tls.name)
        project.write_knowledge()
        one_by_one = (one, seconds, date, fault, absurd, garbage, unavailable, reset, faulty)
        slots = {host.name: {"concurrency": 1} for host in one_by_one}
        slots |= {delay.name: {"delay": DELAY}, target.name: {"delay": DELAY}}
        date.retry_after = formatdate(time.time() + 60, usegmt=True)  # longer than MOST
        done(project, DOWNLOAD_SLOTS=json.dumps(slots), CONCURRENT_REQUESTS=40, CONCURRENT_REQUESTS_PER_DOMAIN=3,
             GWC_RETRY_BASE_SECONDS=BACK_OFF, GWC_RETRY_MAX_SECONDS=MOST, RETRY_TIMES=2)  # fmt: skip
    since = recovering.troubled[0] + 0.3
    return {
        "DOWNLOAD_SLOTS gives one host a delay": delay.delay(DELAY, 6),
        "robots.txt asks for a crawl-delay": crawl_delay.delay(DELAY, 5),
        "CONCURRENT_REQUESTS_PER_DOMAIN = 3": three.at_once(3),
        "DOWNLOAD_SLOTS allows one host one request at a time": one.at_once(1),
        "429 with Retry-After in seconds": seconds.rest(3),
        "503 with Retry-After as a date": date.rest(MOST),
        "500 with Retry-After": fault.rest(3),
        "Retry-After names the year 9999": absurd.rest(MOST),
        "Retry-After is no date and no number": garbage.back_off(BACK_OFF),
        "robots.txt is answered with 503 and Retry-After": robots.rest(3, robots.arrivals[0]),
        "a redirect leads to a host with a delay": target.delay(DELAY, 4),
        "503 again and again": unavailable.back_off(BACK_OFF),
        "after its trouble a host answers again": "several at once"
        if recovering.at_once_later(since, 0.3) > 1
        else "one at a time",
        "connections are reset": reset.back_off(BACK_OFF),
        "TLS fails": tls.back_off(BACK_OFF),
        "500 again and again": faulty.back_off(BACK_OFF, skip=2),
        "a slow host beside a fast one": first(fast, delay, "the fast one"),
        "a resting host beside another": first(fast, absurd, "the other one"),
    }


def first(one: Host, other: Host, name: str) -> str:
    if len(one.page_hits()) < len(one.links) or len(other.page_hits()) < len(other.links):
        return "not all pages were asked for"
    return f"{name} is done first" if one.arrivals[-1] < other.arrivals[-1] else f"{name} is held up"


def many_queues(project: Project, hosts: Hosts) -> Outcomes:
    """The URLs of each host are in eight queues; then they are looked at again."""
    slow, two = hosts.add().star(6), hosts.add().star(24)
    two.delays["*"] = 0.2
    hosts.write_site(project, slow, two)
    project.write_knowledge()
    settings = {
        "GWC_QUEUE_POLICY": "bkdr",
        "GWC_QUEUES": 8,
        "DOWNLOAD_DELAY": DELAY,
        "DOWNLOAD_SLOTS": json.dumps({two.name: {"delay": 0, "concurrency": 2}}),
    }
    done(project, **settings)
    outcomes = {
        "DOWNLOAD_DELAY, one host in many queues": slow.delay(DELAY, 7),
        "concurrency, one host in many queues": two.at_once(2),
    }
    done(project, "-a", "recrawl=all", **settings)
    return {**outcomes, "DOWNLOAD_DELAY, `-a recrawl=all`": slow.delay(DELAY, 14)}


def one_address(project: Project, hosts: Hosts) -> Outcomes:
    """The same server under two names."""
    server = hosts.add("127.0.0.1").star(10)
    server.delays["*"] = 0.2
    other = server.url.replace("127.0.0.1", "localhost")
    project.write_site("graph", f'entry = ["{server.url}/", "{other}/"]\nkeywords = "treasure"\n')
    project.write_knowledge()
    done(project, CONCURRENT_REQUESTS_PER_IP=2)
    assert set(server.page_hits().values()) == {2}
    return {"CONCURRENT_REQUESTS_PER_IP = 2, two names of one address": server.at_once(2)}


def adaptive_delay(project: Project, hosts: Hosts) -> Outcomes:
    """AutoThrottle's promise: about as many seconds between requests as an answer takes."""
    host = hosts.add().star(6)
    host.delays["*"] = 0.6
    hosts.write_site(project, host)
    project.write_knowledge()
    done(project, AUTOTHROTTLE_ENABLED=True, AUTOTHROTTLE_START_DELAY=0.2)
    gaps = host.gaps()
    paced = len(gaps) == 7 and min(gaps[2:]) >= 0.4
    return {"AUTOTHROTTLE_ENABLED, a host that takes .6 s to answer": "paced by its latency" if paced else str(gaps)}


class Rest:
    """A host that said in the beginning that it wants to be left alone for long."""

    def __init__(self, host: Host, slots: dict[str, Any]) -> None:
        self.host = host.star(9)
        host.trouble, host.retry_after = [429], str(LONG_REST)
        slots[host.name] = {"concurrency": 1}

    def said(self) -> None:
        wait_until(lambda: self.host.troubled, 120)

    def outcome(self) -> str:
        asked = [request.target for request in self.host.requests if request.arrived > self.host.troubled[0]]
        return f"asked for {' '.join(asked)}" if asked else ALONE


def one_after_the_other(project: Project, hosts: Hosts) -> Outcomes:
    """Each page is found on the one before; what waits for a resting host must not keep any of them back."""
    slots: dict[str, Any] = {}
    chain, rest = hosts.add(), Rest(hosts.add(), slots)
    chain.links = {"/": ["/1"]} | {f"/{number}": [f"/{number + 1}"] for number in range(1, 59)} | {"/59": []}
    hosts.write_site(project, rest.host, chain)
    project.write_knowledge()
    settings = {"DOWNLOAD_SLOTS": json.dumps(slots), "GWC_COMMIT_SECONDS": 1.0}
    crawl = project.start("crawl", "graph", settings=settings, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    rest.said()
    with suppress(AssertionError):
        wait_until(lambda: len(chain.page_hits()) == 60, 50)
    kill(crawl)
    pages = len(chain.page_hits())
    went_on = "that one goes on" if pages == 60 else f"{pages} of 60 pages in 50 s"
    return {"a resting host beside one whose pages are found one by one": went_on}


def border(project: Project, hosts: Hosts, redis: Mapping[str, Any] | None = None) -> Outcomes:
    """The pre-crawl reaches its number of pages while a host rests; the crawl fetches all pages again but its."""
    slots: dict[str, Any] = {}
    goods, rest = hosts.add(), Rest(hosts.add(), slots)
    shop(goods)
    goods.delays["/"] = 3.0  # by then the other one rests
    hosts.write_site(project, goods, rest.host, more=SAMPLES.format(url=goods.url) + f"[learn]\npages = {16}\n")
    settings = {"DOWNLOAD_SLOTS": json.dumps(slots), "GWC_REUSE_SAMPLES_SECONDS": 0, "GWC_COMMIT_SECONDS": 0.2}
    settings |= redis or {}
    crawl = project.start("crawl", "graph", settings=settings, profile="cluster" if redis else "local",
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
    wait_until(lambda: min(goods.hits[f"/item/{number}"] for number in range(1, 13)) == 2, 120)
    kill(crawl)
    return {f"{'Redis: ' if redis else ''}a rest at the border between pre-crawl and crawl": rest.outcome()}


def restarts(project: Project, hosts: Hosts, redis: Mapping[str, Any] | None = None, workers: int = 1) -> Outcomes:
    """A crawl that is paused, interrupted and killed while a host rests; another host has enough pages for all that."""
    slots: dict[str, Any] = {}
    busy, delay, crawl_delay, two = hosts.add().star(2000), *(hosts.add().star(50) for _ in range(3))
    rest = Rest(hosts.add(), slots)
    busy.delays["*"], two.delays["*"] = 0.1, 0.2
    slots |= {delay.name: {"delay": LONG_DELAY}, two.name: {"concurrency": 2}}
    crawl_delay.bodies["/robots.txt"] = (b"User-agent: *\nCrawl-delay: %d\n" % LONG_DELAY, "text/plain")
    for name in ("graph", "other"):
        hosts.write_site(project, *([*hosts.all] if name == "graph" else [busy, rest.host]), name=name)
        project.write_knowledge(name)
    settings = {"DOWNLOAD_SLOTS": json.dumps(slots), "DOWNLOAD_DELAY_JITTER": 0.0, **(redis or {})}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "profile": "cluster" if redis else "local"}
    told = ("-s", f"REDIS_URL={redis['REDIS_URL']}") if redis else ()

    def start(name: str = "graph") -> subprocess.Popen[str]:
        return project.start("crawl", name, settings=settings, **quiet)

    outcomes, prefix = {}, "Redis: " if redis else ""

    def look(what: str, pages: int = 15) -> None:
        wait_for_more(busy, pages)
        outcomes[f"{prefix}{what}"] = rest.outcome()

    crawls = [start() for _ in range(workers)]
    rest.said()
    if redis:
        look("a rest, two workers", 60)
    for command in ("pause", "resume"):
        assert project.scrapy(command, "graph", *told, profile=quiet["profile"]).code == 0
    look("a rest, `scrapy pause` and `resume`")
    if not redis:
        crawls.append(start("other"))
        wait_until(lambda: busy.hits["/"] == 2, 60)
        look("a rest, another crawl asks the same host")
    for crawl in crawls:
        crawl.send_signal(signal.SIGINT)
    for crawl in crawls:
        crawl.wait(60)
    crawls = [start() for _ in range(workers)]
    look("a rest, Ctrl-C and the same command again")
    for crawl in crawls:
        kill(crawl)
    crawls = [start() for _ in range(workers)]
    look("a rest, `kill -9` and the same command again")
    wait_until(
        lambda: all(len(host.arrivals) > 3 for host in (delay, crawl_delay)), 120
    )  # a quick machine is here sooner
    if redis:
        outcomes["Redis: a delay, two workers, over Ctrl-C and `kill -9`"] = delay.delay(LONG_DELAY, 3)
        outcomes["Redis: concurrency, two workers, over Ctrl-C and `kill -9`"] = two.at_once(2)
    else:
        outcomes["a delay, over Ctrl-C and `kill -9`"] = delay.delay(LONG_DELAY, 3)
        outcomes["a crawl-delay, over Ctrl-C and `kill -9`"] = crawl_delay.delay(LONG_DELAY, 3)
    return outcomes

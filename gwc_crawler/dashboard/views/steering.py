"""Clicking: start, pause, go on, stop; each is shown before it is done."""

from __future__ import annotations

from gwc_crawler.dashboard.queries.standing import standing_of
from gwc_crawler.dashboard.queries.steering import begin_crawl
from gwc_crawler.dashboard.web.visit import Answer, DashboardRequest, action, page
from gwc_crawler.errors import GoneError
from gwc_crawler.frontier.recrawl import Recrawl
from gwc_crawler.operate.fleet.control import Action
from gwc_crawler.runs.lookup import ask_crawl

RECRAWLS = ("", *Recrawl)
WAIT_SECONDS = 2.0

ASKED = ("start", "pause", "resume", "stop")


def _confirm(visit: DashboardRequest) -> Answer:
    _check(visit)
    standing = standing_of(visit.place, visit.project.servers)
    recrawl = visit.asked("recrawl")
    return visit.show("confirm.html", what=visit.part("what"), standing=standing, recrawls=RECRAWLS, recrawl=recrawl)


def _do(visit: DashboardRequest) -> Answer:
    _check(visit)
    what, project = visit.part("what"), visit.project
    visit.background.forget("standings")
    if what == "start":
        return _start(visit)
    told = ask_crawl(visit.place, project.servers, Action(what), WAIT_SECONDS)
    if all(one.idle for one in told):
        return visit.to_site(told="Nothing runs.", went_wrong=True)
    left = [name for one in told for name in one.left]
    if left:
        return visit.to_site(told="Asked; not yet done: {left}", left=", ".join(left))
    if what == "stop" and (started := visit.memory.get(f"started {visit.site}")) is not None:
        started.wait()
    done = {"pause": "The crawl is paused.", "resume": "The crawl goes on.", "stop": "The crawl has stopped."}
    return visit.to_site(told=done[what])


def _check(visit: DashboardRequest) -> None:
    if visit.part("what") not in ASKED:
        raise GoneError(visit.say("There is no such page."))


def _start(visit: DashboardRequest) -> Answer:
    recrawl = visit.asked("recrawl")
    if recrawl not in RECRAWLS:
        return visit.to_site(told="There is no such way to crawl again.", went_wrong=True)
    if not begin_crawl(visit.project, visit.site, recrawl):
        return visit.to_site(told="It runs already.", went_wrong=True)
    return visit.to_site(told="Started; the figures follow in a moment.")


ROUTES = (page("/sites/{site}/do/{what}", _confirm), action("/sites/{site}/do/{what}", _do))

"""The queue: waiting URLs by weight, class, host and reason; adding, dropping and retrying URLs."""

from __future__ import annotations

import secrets

from gwc_crawler.dashboard.queries.steering import Preview, change_previewed, preview
from gwc_crawler.dashboard.queries.url_stats import host_limits_of, resting_hosts, status_codes, tally_of, waiting_of
from gwc_crawler.dashboard.web.project import MOST_KEPT, AgedFigure
from gwc_crawler.dashboard.web.visit import Answer, DashboardRequest, action, live_page, page
from gwc_crawler.errors import InputError
from gwc_crawler.modes import QueueAction
from gwc_crawler.runs.lookup import add_urls

HOSTS = 100
MOST_ADDED = 1000


def _queue(visit: DashboardRequest) -> Answer:
    place, servers, found = visit.place, visit.project.servers, visit.background.found
    tally = found(("tally", place.name), lambda: tally_of(place, servers))
    hosts = list(tally.value.hosts.items())[:HOSTS] if tally.value else []
    return visit.show(
        "queue.html",
        tally=tally,
        waiting=found(("waiting", place.name), lambda: waiting_of(place, servers)),
        codes=status_codes(tally.value) if tally.value else {},
        hosts=hosts,
        limits=host_limits_of(place, [host for host, _ in hosts]),
        resting=found(("resting", place.name), lambda: resting_hosts(place, servers)).value,
        is_shared=place.shared,
        most=HOSTS,
    )


def _look(visit: DashboardRequest) -> Answer:
    what, pattern = visit.asked("what"), visit.asked("pattern").strip()
    if what not in (QueueAction.DROP, QueueAction.RETRY) or not pattern:
        raise InputError(visit.say("Give a pattern, such as */calendar/*, or an address."))
    name = secrets.token_urlsafe(9)
    previews = visit.memory.setdefault("previews", {})
    previews[name] = (visit.site, QueueAction(what), pattern)
    while len(previews) > MOST_KEPT:
        del previews[next(iter(previews))]
    return visit.to_site("queue", "preview", name)


def _change(visit: DashboardRequest) -> Answer:
    found: AgedFigure[Preview] = _preview(visit)["found"]
    if found.value is None:
        return visit.to_site("queue", told="Still looking; nothing was changed.", went_wrong=True)
    changed = change_previewed(visit.files, found.value)
    visit.memory["previews"].pop(visit.part("name"), None)
    for key in ("tally", "waiting"):
        visit.background.forget(key, visit.site)
    told = "{changed} URLs dropped." if found.value.action is QueueAction.DROP else "{changed} URLs wait again."
    return visit.to_site("queue", told=told, changed=changed)


def _add(visit: DashboardRequest) -> Answer:
    urls = visit.asked("urls").split()
    if not urls or len(urls) > MOST_ADDED:
        raise InputError(visit.say("Give one to 1,000 addresses, a line for each."))
    force, sure = bool(visit.asked("force")), bool(visit.asked("sure"))
    rows = add_urls(visit.files, urls, force=force, dry_run=not sure)
    if not sure:
        return visit.show("added.html", rows=rows, urls="\n".join(urls), force=force)
    return visit.to_site("queue", told="{added} URLs added.", added=sum(row["result"] == "added" for row in rows))


def _preview(visit: DashboardRequest) -> dict[str, AgedFigure[Preview]]:
    name = visit.part("name")
    asked = visit.memory.get("previews", {}).get(name)
    if asked is None or asked[0] != visit.site:
        raise InputError(visit.say("This preview is gone; look again."))
    _, what, pattern = asked
    files, servers = visit.files, visit.project.servers
    key = ("preview", name)
    return {"found": visit.background.found(key, lambda: preview(files, servers, what, pattern), again=False)}


ROUTES = (
    page("/sites/{site}/queue", _queue, tab="Queue"),
    action("/sites/{site}/queue/preview", _look),
    *live_page("/sites/{site}/queue/preview/{name}", "preview", _preview),
    action("/sites/{site}/queue/preview/{name}", _change),
    action("/sites/{site}/queue/add", _add),
)

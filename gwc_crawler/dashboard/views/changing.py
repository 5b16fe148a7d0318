"""Filters to edit, learning again from stored pages; the effects of either, and buttons that apply or drop it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from gwc_crawler.crawl.data_files import KNOWLEDGE_FILE
from gwc_crawler.dashboard.queries.records import knowledge_of
from gwc_crawler.dashboard.queries.steering import begin_command, is_busy
from gwc_crawler.dashboard.web.visit import Answer, DashboardRequest, action, live_page
from gwc_crawler.errors import GoneError, InputError, unwritten
from gwc_crawler.knowledge.model import Knowledge, UrlClass, keep_previous
from gwc_crawler.knowledge.patterns import PatternError, check_patterns
from gwc_crawler.runs.comparison import compare, short, some_urls
from gwc_crawler.runs.correction import CORRECTION, accept_correction

DRAFT = "knowledge.draft.json"
LONGEST = 100_000
"""Maximum number of characters of a text from a form: a value is passed on as an argument of a command."""


def _try_filters(visit: DashboardRequest) -> Answer:
    known = knowledge_of(visit.place)
    if known is None:
        return visit.to_site("change", told="Nothing is learned yet", went_wrong=True)
    targets = _classes(known.targets, visit.asked("targets"))
    directories = _classes(known.directories, visit.asked("directories"))
    try:
        written = [[one.regex for one in classes] for classes in (targets, directories)]
        check_patterns(written, some_urls(visit.place, visit.project.servers))
    except PatternError as error:
        pattern, problem = visit.clipped(error.pattern), visit.say(error.problem)
        told = "{pattern} is no pattern: {problem}"
        return visit.to_site("change", told=told, went_wrong=True, pattern=pattern, problem=problem)
    if not targets:
        return visit.to_site("change", told="Without a target nothing would be read; leave one.", went_wrong=True)
    max_weight = visit.number("max_weight", known.max_weight)
    replace(known, targets=targets, directories=directories, max_weight=max(0, max_weight)).save(draft_of(visit))
    return visit.to_site("change")


def _learn_again(visit: DashboardRequest) -> Answer:
    if is_busy(visit, "learning"):
        return visit.to_site("change", told="It runs already.", went_wrong=True)
    draft = draft_of(visit)
    draft.unlink(missing_ok=True)
    begin_command(visit, "learning", "learn", "--offline", "--draft", str(draft))
    return visit.to_site("change")


def decide(visit: DashboardRequest) -> Answer:
    """Apply the draft, or throw it away."""
    draft, file = draft_of(visit), visit.place.directory / KNOWLEDGE_FILE
    if not draft.exists():
        raise GoneError(visit.say("There is no draft any more."))
    what = visit.asked("what")
    if what not in ("apply", "drop"):
        raise InputError(visit.say("There is no such choice."))
    visit.memory.pop(f"learning {visit.site}", None)
    told = "Thrown away; nothing has changed."
    try:
        if what == "drop":
            draft.unlink()
        elif CORRECTION in (drafted := Knowledge.load(draft)).evidence:
            accept_correction(visit.files, drafted)
            draft.unlink()
            read_again(visit)
            told = "Written into the site file, and learned; the stored pages are read again."
        else:
            keep_previous(file)
            draft.replace(file)
            told = "Applied; the next crawl goes by it. The one before is kept."
    except OSError as error:
        raise unwritten(draft, error, "mend the data directory (GWC_DATA_DIR)") from error
    return visit.to_site("change", told=told)


def read_again(visit: DashboardRequest) -> Answer:
    """Have the stored pages read by the present knowledge."""
    if is_busy(visit, "reading"):
        return visit.to_site("change", told="It runs already.", went_wrong=True)
    begin_command(visit, "reading", "extract")
    return visit.to_site("change", told="The stored pages are read again.")


def _values(visit: DashboardRequest) -> dict[str, object]:
    place, servers = visit.place, visit.project.servers
    known, draft = knowledge_of(place), draft_of(visit)
    drafted = Knowledge.load(draft) if draft.exists() else None
    found = None
    if known is not None and drafted is not None:
        key = ("comparison", place.name, draft.stat().st_mtime_ns, known.learned_at)
        found = visit.background.found(key, lambda: compare(place, servers, known, drafted), again=False)
    samples = drafted.evidence.get(CORRECTION, {}) if drafted is not None else {}
    return {
        "knowledge": known,
        "drafted": drafted,
        "samples": {url: {name: short(one) for name, one in fields.items()} for url, fields in samples.items()},
        "found": found,
        "learning": visit.memory.get(f"learning {visit.site}"),
        "reading": visit.memory.get(f"reading {visit.site}"),
    }


def draft_of(visit: DashboardRequest) -> Path:
    """Return the file of the draft that may replace the site's knowledge."""
    return visit.place.directory / DRAFT


def _classes(known: tuple[UrlClass, ...], text: str) -> tuple[UrlClass, ...]:
    """Return the classes of the written patterns, one a line; known classes keep their evidence."""
    by_regex = {one.regex: one for one in known}
    lines = dict.fromkeys(line.strip() for line in text[:LONGEST].splitlines() if line.strip())
    return tuple(by_regex.get(line) or UrlClass(line, evidence={"edited": True}) for line in lines)


ROUTES = (
    *live_page("/sites/{site}/change", "change", _values, tab="Change"),
    action("/sites/{site}/change/filters", _try_filters),
    action("/sites/{site}/change/learn", _learn_again),
    action("/sites/{site}/change/decide", decide),
    action("/sites/{site}/change/read", read_again),
)

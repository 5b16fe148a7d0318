"""The knowledge of a site: classes of URLs and the wrapper, each with its evidence; and the open questions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrapy.exceptions import UsageError

from gwc_crawler.dashboard.queries.records import knowledge_of
from gwc_crawler.dashboard.queries.steering import begin_command, is_busy
from gwc_crawler.dashboard.web.visit import Answer, DashboardRequest, action, page
from gwc_crawler.errors import GoneError, InputError
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.sites.editing import add_url_patterns

EVIDENCE = {
    "relevant_share": "Pages on the topic",
    "target_links": "Links to targets on a page",
    "pages_with_targets": "Pages that lead to targets",
    "edited": "Edited by hand",
}
"""Evidence for a class: its key in the knowledge file → words for people."""

SHARES = ("relevant_share", "pages_with_targets")


def _learned(visit: DashboardRequest) -> Answer:
    knowledge = knowledge_of(visit.place)
    wrapper = knowledge.wrapper if knowledge else {}
    evidence = knowledge.evidence.get("fields", {}) if knowledge else {}
    return visit.show(
        "learned.html",
        knowledge=knowledge,
        fields=wrapper.get("fields", {}),
        report={**evidence, **wrapper.get("report", {})},
        evidence=EVIDENCE,
        shares=SHARES,
        questions=_open_questions(visit, knowledge),
        learning=visit.memory.get(f"learning {visit.site}"),
    )


def _answer(visit: DashboardRequest) -> Answer:
    if is_busy(visit, "learning"):
        return visit.to_site("learned", told="It runs already.", went_wrong=True)
    asked = {one["told"]: one for one in _open_questions(visit, knowledge_of(visit.place))}
    answers: dict[str, list[str]] = {}
    for number in range(len(visit.form)):
        said, told = visit.asked(f"answer{number}"), visit.asked(f"question{number}")
        if said in ("yes", "no"):
            if told not in asked:
                raise GoneError(visit.say("This is asked no more."))
            answers.setdefault(asked[told][said], []).extend(asked[told]["patterns"])
    if not answers:
        return visit.to_site("learned", told="Nothing was answered.", went_wrong=True)
    add_url_patterns(visit.files.site.path, answers)
    begin_command(visit, "learning", "learn", "--offline", "--yes")
    return visit.to_site("learned", told="Written into the site file; it is learned again from the stored pages.")


def _open_questions(visit: DashboardRequest, knowledge: Knowledge | None) -> list[Mapping[str, Any]]:
    """Return the questions of learning that the site file does not answer; none if it can't be read."""
    try:
        site = visit.files.site
    except (UsageError, InputError):
        return []
    written = {one.text for patterns in site.learn.by_hand.values() for one in patterns}
    asked = knowledge.evidence.get("questions", ()) if knowledge else ()
    return [one for one in asked if not written.issuperset(one["patterns"])]


ROUTES = (page("/sites/{site}/learned", _learned, tab="Learned"), action("/sites/{site}/learned/answers", _answer))

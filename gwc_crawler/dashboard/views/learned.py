"""What was learned of a site: classes of URLs and the wrapper, each with what speaks for it."""

from __future__ import annotations

from gwc_crawler.dashboard.queries.records import knowledge_of
from gwc_crawler.dashboard.web.routes import Answer, page
from gwc_crawler.dashboard.web.visit import DashboardRequest

EVIDENCE = {
    "relevant_share": "Pages on the topic",
    "target_links": "Links to targets on a page",
    "pages_with_targets": "Pages that lead to targets",
    "edited": "Edited by hand",
}
"""What speaks for a class, as the knowledge file calls it → as people do."""

SHARES = ("relevant_share", "pages_with_targets")


def learned(visit: DashboardRequest) -> Answer:
    """The knowledge file for people."""
    knowledge = knowledge_of(visit.place)
    wrapper = dict(knowledge.wrapper) if knowledge else {}
    evidence = dict(knowledge.evidence.get("fields", {})) if knowledge else {}
    report = {**evidence, **wrapper.get("report", {})}
    return visit.show(
        "learned.html",
        knowledge=knowledge,
        fields=wrapper.get("fields", {}),
        report=report,
        evidence=EVIDENCE,
        shares=SHARES,
    )


ROUTES = (page("/sites/{site}/learned", learned, tab="Learned"),)

"""Records: the last ones, a search, one beside its page; coverage of the fields; missing values."""

from __future__ import annotations

from gwc_crawler.dashboard.queries.records import (
    coverage_of,
    exceptions_in,
    last_records,
    page_of_record,
    record_view,
    whereabouts,
)
from gwc_crawler.dashboard.queries.standing import standing_of
from gwc_crawler.dashboard.web.rendering import harmless_page
from gwc_crawler.dashboard.web.visit import Answer, DashboardRequest, Foreign, page


def _records(visit: DashboardRequest) -> Answer:
    search, before = visit.asked("q"), visit.asked("before")
    table = last_records(visit.place, before=before, search=search)
    first = standing_of(visit.place, visit.project.servers).first if table is None else None
    values = {"table": table, "first": first, "search": search, "before": before}
    return visit.show("records.html", elsewhere=whereabouts(visit.place), **values)


def _record(visit: DashboardRequest) -> Answer:
    url = visit.asked("url")
    view = record_view(visit.files, url)
    return visit.show("record.html", view=view, url=url, names=visit.files.site.field_names)


def _record_page(visit: DashboardRequest) -> Answer:
    found = page_of_record(visit.place, visit.asked("url"))
    return Foreign(harmless_page(*found).encode() if found else b"<!doctype html><title>-</title>")


def _fields(visit: DashboardRequest) -> Answer:
    place, found = visit.place, visit.background.found
    coverage = found(("coverage", place.name), lambda: coverage_of(place))
    exceptions = found(("exceptions", place.name), lambda: exceptions_in(place))
    return visit.show("fields.html", coverage=coverage, exceptions=exceptions)


ROUTES = (
    page("/sites/{site}/records", _records, tab="Records"),
    page("/sites/{site}/record", _record),
    page("/sites/{site}/record/page", _record_page),
    page("/sites/{site}/fields", _fields, tab="Fields"),
)

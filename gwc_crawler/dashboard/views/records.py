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
from gwc_crawler.dashboard.web.visit import Answer, DashboardRequest, Harmless, page


def records(visit: DashboardRequest) -> Answer:
    """Show the last records as a table."""
    search, before = visit.asked("q"), visit.asked("before")
    table = last_records(visit.place, before=before, search=search)
    first = standing_of(visit.place, visit.project.servers).first if table is None else None
    values = {"table": table, "first": first, "search": search, "before": before}
    return visit.show("records.html", elsewhere=whereabouts(visit.place), **values)


def record(visit: DashboardRequest) -> Answer:
    """Show one record beside its page."""
    url = visit.asked("url")
    view = record_view(visit.files, url)
    return visit.show("record.html", view=view, url=url, names=visit.files.site.field_names)


def record_page(visit: DashboardRequest) -> Answer:
    """Show a record's page, made harmless, for the frame beside the record."""
    found = page_of_record(visit.place, visit.asked("url"))
    return Harmless(harmless_page(*found) if found else "<!doctype html><title>-</title>")


def fields(visit: DashboardRequest) -> Answer:
    """Show the coverage of each field, and the missing values with examples."""
    place, found = visit.place, visit.background.found
    coverage = found(("coverage", place.name), lambda: coverage_of(place))
    exceptions = found(("exceptions", place.name), lambda: exceptions_in(place))
    return visit.show("fields.html", coverage=coverage, exceptions=exceptions)


ROUTES = (
    page("/sites/{site}/records", records, tab="Records"),
    page("/sites/{site}/record", record),
    page("/sites/{site}/record/page", record_page),
    page("/sites/{site}/fields", fields, tab="Fields"),
)

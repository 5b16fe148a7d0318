"""Correct a value of a record: the right value is written, or clicked on its stored page, and learned as a draft.

The effects are shown, and applied or dropped, on the page of drafts: *Change*. The same as `scrapy fix`.
"""

from __future__ import annotations

import json
from typing import Any

from gwc_crawler.crawl.first_records import TextReader
from gwc_crawler.dashboard.queries.drafts import rows_at, text_at
from gwc_crawler.dashboard.queries.steering import begin_command, is_busy
from gwc_crawler.dashboard.views.changing import LONGEST, draft_of
from gwc_crawler.dashboard.web.rendering import elements_of, harmless
from gwc_crawler.dashboard.web.visit import Answer, DashboardRequest, Moved, action, page, site_path
from gwc_crawler.errors import GoneError, InputError, LearnError
from gwc_crawler.items import StoredPage, is_empty
from gwc_crawler.learn.propose.page_reading import ReadPage
from gwc_crawler.runs.correction import correct, value_of
from gwc_crawler.runs.learning import page_to_learn_from


def _wrong(visit: DashboardRequest) -> Answer:
    name, kept = visit.asked("field"), _stored(visit)
    value_of(visit.files.site, name, "")  # raises if it can't be corrected here
    value = (TextReader(visit.files.knowledge()).read(kept) or {}).get(name)
    shown = ReadPage(kept.url, kept.html, kept.content_type)
    marked = {element: name for element in shown.forms if isinstance(value, str) and shown.text(element) == value}
    is_list = isinstance(value, list)
    text = json.dumps(value, ensure_ascii=False, indent=1) if is_list else value or ""
    foreign = harmless(shown.tree, marked)
    return visit.show("correct.html", url=kept.url, name=name, text=text, is_list=is_list, foreign=foreign)


def _right(visit: DashboardRequest) -> Answer:
    name, url, keep = visit.asked("field"), visit.asked("url"), bool(visit.asked("keep"))
    back = site_path(visit.site, "wrong", url=url, field=name)
    if is_busy(visit, "learning"):
        return Moved(back, "It runs already.", went_wrong=True)
    if (draft := draft_of(visit)).exists():
        return visit.to_site("change", told="This draft comes first: apply it, or throw it away.", went_wrong=True)
    try:
        text = _said(visit)
        given = {name: value_of(visit.files.site, name, text)}
        if correct(visit.files, url, given, keep_samples=keep) is None:
            return Moved(back, "It is read so already.", went_wrong=True)
    except (InputError, LearnError) as error:
        return Moved.failed(back, error)
    options = ("--draft", str(draft), *["--keep-samples"] * keep)
    begin_command(visit, "learning", "fix", *options, behind=(url, f"{name}={text}"))
    return visit.to_site("change")


def _said(visit: DashboardRequest) -> str:
    how = visit.asked("how")
    if how == "none":
        return ""
    text = visit.asked("value").replace("\0", "").strip()
    if how != "written":
        text = _clicked(visit, like=how == "like")
    if not 0 < len(text) < LONGEST:
        raise InputError(visit.say("There is no text at this place, or too much; say it otherwise."))
    return text


def _clicked(visit: DashboardRequest, *, like: bool) -> str:
    kept = _stored(visit)
    shown = ReadPage(kept.url, kept.html, kept.content_type)
    elements, number = elements_of(shown.tree), visit.number("element", -1)
    if not 0 <= number < len(elements):
        raise InputError(visit.say("There is no such place on the page; load it again."))
    value: Any = rows_at(elements[number], shown)[0] if like else text_at(elements[number], shown)
    if is_empty(value):
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _stored(visit: DashboardRequest) -> StoredPage:
    kept = page_to_learn_from(visit.files, visit.asked("url"))
    if kept is None:
        raise GoneError(visit.say("The HTML of this page was not kept: nothing can be learned from it."))
    return kept


ROUTES = (page("/sites/{site}/wrong", _wrong), action("/sites/{site}/wrong", _right))

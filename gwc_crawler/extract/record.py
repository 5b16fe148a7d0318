"""The extraction stage of a crawl: Page + Knowledge → Record."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from gwc_crawler.extract.page_check import page_agrees
from gwc_crawler.extract.view import PageView
from gwc_crawler.extract.wrapper import Wrapper
from gwc_crawler.items import FieldProblem, Page, PageKind, Record
from gwc_crawler.knowledge import Knowledge

KEPT_WRAPPERS = 32
_wrappers: OrderedDict[int, tuple[Mapping[str, Any], Wrapper]] = OrderedDict()


def extract_record(page: Page, knowledge: Knowledge) -> Record:
    """Read the record of a target page.

    Returns:
        All fields of the wrapper, None where absent; `problems` for fields that should be there; `rejected` with a
        reason when the knowledge has a page check and the page, in spite of its URL, fails it.
    """
    wrapper = wrapper_of(knowledge)
    if page.tree is None:
        missing = tuple(FieldProblem(name, "the page is not HTML") for name in wrapper.fields)
        return Record(page.url, dict.fromkeys(wrapper.fields), missing)
    fields, problems = wrapper.extract_view(PageView(page.tree, page.url))
    rejected = _reason_against(page, knowledge, fields) if knowledge.page_check else None
    return Record(page.url, fields, problems, rejected)


def extract_target(page: Page, knowledge: Knowledge) -> Record | None:
    """Read the record of a page if it is a target; one that is rejected becomes a LOOKALIKE."""
    if page.kind is not PageKind.TARGET:
        return None
    record = extract_record(page, knowledge)
    if record.rejected:
        page.kind = PageKind.LOOKALIKE
    return record


def _reason_against(page: Page, knowledge: Knowledge, fields: Mapping[str, Any]) -> str | None:
    return page_agrees(page.tree, None, fields, knowledge.page_check)


def wrapper_of(knowledge: Knowledge) -> Wrapper:
    """The wrapper of a knowledge object, built once for as long as the object is in use."""
    key = id(knowledge.wrapper)
    kept = _wrappers.get(key)
    if kept is None or kept[0] is not knowledge.wrapper:
        kept = _wrappers[key] = (
            knowledge.wrapper,
            Wrapper.from_json(knowledge.wrapper, f"knowledge of {knowledge.site}"),
        )
        while len(_wrappers) > KEPT_WRAPPERS:
            _wrappers.popitem(last=False)
    return kept[1]

"""The extraction stage of a crawl: Page + Knowledge → Record."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

from gwc_crawler.extract.fields import convert_fields
from gwc_crawler.extract.page_check import page_agrees
from gwc_crawler.extract.page_view import PageView
from gwc_crawler.extract.wrapper import NOT_FOUND, Wrapper
from gwc_crawler.field_types.numbers import ValueContext
from gwc_crawler.items import Extracted, FieldProblem, Page, PageKind, Record, Typed
from gwc_crawler.knowledge.keywords import Keywords
from gwc_crawler.knowledge.model import Knowledge, Verdict
from gwc_crawler.modes import LearnMode
from gwc_crawler.page.text import text_outside_links

NO_KEYWORDS = "the keywords are not there"  # why a page is no target though its URL is one's, in paper mode

KEPT_WRAPPERS = 32
_wrappers: OrderedDict[tuple[int, int], tuple[Mapping[str, Any], Mapping[str, str], Wrapper]] = OrderedDict()


def extract_record(page: Page, knowledge: Knowledge, fetched_at: float | None = None) -> Record:
    """Read the record of a target page, or the part that a continuation page adds to one (the lists that it continues).

    Args:
        fetched_at: when the page was fetched (seconds since the epoch), for texts like "3 days ago".
    Returns:
        All fields of the wrapper, typed where the knowledge has types, None where absent; `problems` for fields that
        should be there or are not of their type; `rejected` with a reason when the page fails the knowledge's page
        check, or has none of several fields; in paper mode: lacks the keywords, or has no field.
    """
    wrapper = wrapper_of(knowledge)
    if page.kind is PageKind.CONTINUATION:
        return _continue_record(page, knowledge, wrapper, fetched_at)
    if page.tree is None:
        missing = tuple(FieldProblem(name, "the page is not HTML") for name in wrapper.fields)
        return Record(page.url, dict.fromkeys(wrapper.fields), missing)
    view = PageView(page.tree, page.url)
    extracted, problems = wrapper.extract_view(view)
    rejected = _reason_against(view, knowledge, extracted)
    fields, mistyped = _typed(extracted, knowledge, view, fetched_at)
    number = next((row["parent_number"] for row in knowledge.paging.values() if "parent_number" in row), None)
    return Record(page.url, fields, problems + mistyped, rejected, number=number)


def extract_target(
    page: Page,
    knowledge: Knowledge,
    fetched_at: float | None = None,
    stands_in: Callable[[str, str], bool] = lambda url, main: False,
) -> Record | None:
    """Read the record of a page if it is a target or a continuation.

    One that is rejected becomes a LOOKALIKE; one that names another target as its canonical address an ALIAS: the
    record is that one's, and this page has none.

    Args:
        stands_in: asked for an alias and its canonical URL: whether it is read as the target in its place.
    """
    if page.kind is not PageKind.TARGET and page.kind is not PageKind.CONTINUATION:
        return None
    if page.kind is PageKind.TARGET and _is_alias(page, knowledge) and not stands_in(page.url, page.canonical):
        page.kind = PageKind.ALIAS
        nothing = dict.fromkeys(wrapper_of(knowledge).fields)
        return Record(page.url, nothing, rejected=f"it names {page.canonical} as its canonical address")
    record = extract_record(page, knowledge, fetched_at)
    if record.rejected:
        page.kind = PageKind.LOOKALIKE
    return record


def field_sources(page: Page, knowledge: Knowledge) -> dict[str, str]:
    """Say for each field found on a page how it is read there: for a person who wonders about a value."""
    return {} if page.tree is None else wrapper_of(knowledge).sources(PageView(page.tree, page.url))


def _is_alias(page: Page, knowledge: Knowledge) -> bool:
    """Tell whether a target page names another target as its canonical address, on a site where these are right."""
    other = page.canonical
    if not other or other == page.url or knowledge.is_given(page.url, Verdict.TARGET):
        return False
    return knowledge.has_canonicals and knowledge.is_target(other)


def _continue_record(page: Page, knowledge: Knowledge, wrapper: Wrapper, fetched_at: float | None) -> Record:
    continuation = knowledge.continuation(page.url)
    assert continuation is not None  # else the page would be none
    view = PageView(page.tree, page.url)
    lists = {name: wrapper.rules[name].read(view) for name in continuation.fields if name in wrapper.rules}
    missing = tuple(FieldProblem(name, NOT_FOUND) for name, value in lists.items() if not value)
    fields, mistyped = _typed(lists, knowledge, view, fetched_at)
    return Record(page.url, fields, missing + mistyped, parent=continuation.parent, number=continuation.number)


def _typed(
    fields: Mapping[str, Extracted], knowledge: Knowledge, view: PageView, fetched_at: float | None
) -> tuple[Mapping[str, Typed], tuple[FieldProblem, ...]]:
    """Return the fields as they are stored, and the texts that are not of their type."""
    if not knowledge.types:
        return fields, ()
    typed = convert_fields(fields, knowledge.types, ValueContext(view.base_url, fetched_at))
    return typed.values, typed.problems


def _reason_against(view: PageView, knowledge: Knowledge, fields: Mapping[str, Any]) -> str | None:
    is_given = knowledge.is_given(view.url, Verdict.TARGET)
    is_paper = knowledge.mode == LearnMode.PAPER
    asks = is_paper and not is_given and knowledge.keywords  # GWC: they part pages of a target's URL
    if asks and not Keywords.parse(knowledge.keywords).matches(text_outside_links(view.tree)):
        return NO_KEYWORDS
    check = {} if is_given else knowledge.page_check
    return page_agrees(view.tree, None, fields, check, judged_from=1 if is_paper else 2)


def wrapper_of(knowledge: Knowledge) -> Wrapper:
    """Return the wrapper of a knowledge object, built once for as long as the object is in use."""
    key = id(knowledge.wrapper), id(knowledge.types)
    kept = _wrappers.get(key)
    if kept is None or kept[0] is not knowledge.wrapper or kept[1] is not knowledge.types:
        wrapper = Wrapper.from_json(knowledge.wrapper, f"knowledge of {knowledge.site}").with_html(knowledge.types)
        kept = _wrappers[key] = (knowledge.wrapper, knowledge.types, wrapper)
        while len(_wrappers) > KEPT_WRAPPERS:
            _wrappers.popitem(last=False)
    return kept[2]

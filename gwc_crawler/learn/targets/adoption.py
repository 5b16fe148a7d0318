"""Add further target groups if the records are lists inside the page: a list is wanted wherever it stands.

A page of a product has one record and its own template; a list page's record is its rows, and the home page, a category
and a tag may show the same rows under different heads. So groups whose template differs are taken for targets when the
wrapper reads whole rows from all of their pages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gwc_crawler.extract.page_view import PageView
from gwc_crawler.extract.wrapper import Wrapper
from gwc_crawler.items import FieldValue, StoredPage
from gwc_crawler.learn.degrees import A_DOZEN, ALL_BUT_SLIPS, FEW, NEARLY_ALL
from gwc_crawler.learn.targets.precrawl_index import PrecrawlIndex
from gwc_crawler.learn.targets.targets import Targets
from gwc_crawler.page.parse import parse_html


def adopt_list_groups(
    index: PrecrawlIndex, targets: Targets, wrapper: Wrapper, samples: Sequence[Mapping[str, FieldValue]]
) -> bool:
    """Add to *targets* the groups whose pages have the samples' rows; return whether there were any.

    Only where every field of every sample is a list of records. Groups that look quite like the samples are judged
    elsewhere (they may be second addresses of the same pages), very unlike ones are left alone.
    """
    parts = _parts_of(samples)
    if targets.shape is None or not parts or set(parts) != set(wrapper.fields):
        return False
    adopted = [
        group
        for group in index.groups
        if group not in targets.groups
        and group not in targets.aliases
        and FEW <= targets.shape.of_group(group) < ALL_BUT_SLIPS
        and all(_has_rows(page, wrapper, parts) for page in group.spread(A_DOZEN))
    ]
    targets.groups += adopted
    return bool(adopted)


def _parts_of(samples: Sequence[Mapping[str, FieldValue]]) -> dict[str, set[str]]:
    """Field → the parts that every row of the samples has; {} when a field is no list of records."""
    parts: dict[str, set[str]] = {}
    for name, value in (pair for sample in samples for pair in sample.items()):
        if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
            return {}
        for row in value:
            parts[name] = parts.get(name, set(row)) & set(row)
    return parts


def _has_rows(page: StoredPage, wrapper: Wrapper, parts: Mapping[str, set[str]]) -> bool:
    fields, _ = wrapper.extract_view(PageView(parse_html(page.html, page.charset or None), page.url))
    return all(_are_whole(fields[name], wanted) for name, wanted in parts.items())


def _are_whole(rows: Any, wanted: set[str]) -> bool:
    whole = [row for row in rows or () if all(row.get(part) for part in wanted)]
    return bool(whole) and len(whole) >= NEARLY_ALL * len(rows)

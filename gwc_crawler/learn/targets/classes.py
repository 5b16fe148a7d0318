"""URL groups and their roles → `UrlClass`es with regexes, and the rows of the report.

In: the pre-crawl's index, its targets and directories. Out: classes as the knowledge keeps them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from gwc_crawler.knowledge.model import UrlClass
from gwc_crawler.learn.degrees import FEW, VERY_MANY
from gwc_crawler.learn.targets.decisions import class_row, examples
from gwc_crawler.learn.targets.directories import Directories, LinkGraph
from gwc_crawler.learn.targets.precrawl_index import PatternGroup, PrecrawlIndex
from gwc_crawler.learn.targets.targets import Targets
from gwc_crawler.learn.urls.regex import class_regexes, pattern_of
from gwc_crawler.learn.urls.url_parts import SlottedUrl, is_number


def describe_groups(
    index: PrecrawlIndex, graph: LinkGraph, targets: Targets, directories: Directories
) -> tuple[tuple[UrlClass, ...], tuple[UrlClass, ...], list[dict[str, Any]]]:
    """Return the target classes, the directory classes, and a row for every group, also for those that are neither.

    Target regexes match no page of another group if they can help it, directory regexes no page that is neither;
    except small groups that lead to directories themselves: a wildcard over their siblings may take them along.
    """
    chosen = {id(group) for group in [*targets.filters, *directories.groups]}
    others = [group for group in index.groups if id(group) not in chosen]
    tolerated = _tolerated(graph, directories, [group for group in others if group not in targets.aliases])
    strangers = _urls([group for group in others if group not in tolerated])

    writer = _Writer(index, directories)
    foreign = [*_urls(others), *_urls(directories.groups)]
    if targets.given is None:
        target_classes = writer.classes(targets.groups, foreign, strict=False)
    else:
        urls, told = _urls(targets.groups), {"chosen_by": "[learn] target"}
        target_classes = (UrlClass(targets.given, len(urls), examples(urls), 1.0, told),)
    target_classes += writer.classes(targets.forwards, foreign, strict=False)
    directory_classes = writer.classes(directories.groups, strangers, strict=True)
    rows = [class_row("target", one) for one in target_classes]
    rows += [class_row("directory", one) for one in directory_classes]
    for group in others[:VERY_MANY]:
        role = "duplicate" if group in targets.aliases else "neither"
        rows.append(class_row(role, writer.class_of(group)))
    return target_classes, directory_classes, rows


def _urls(groups: Sequence[PatternGroup]) -> list[str]:
    return [page.url for group in groups for page in group.pages]


def _tolerated(graph: LinkGraph, directories: Directories, others: Sequence[PatternGroup]) -> list[PatternGroup]:
    """Return groups that lead to directories and are small beside the directories of their layout."""
    pages = set(_urls(directories.groups))
    sizes: dict[object, int] = {}
    for group in directories.groups:
        sizes[group.rows[0].layout] = sizes.get(group.rows[0].layout, 0) + len(group.pages)
    return [
        group
        for group in others
        if len(group.pages) <= FEW * sizes.get(group.rows[0].layout, 0) and graph.leads_to(group, pages)
    ]


class _Writer:
    """Turn groups into classes with their figures."""

    def __init__(self, index: PrecrawlIndex, directories: Directories) -> None:
        self._index = index
        self._directories = directories

    def classes(
        self, groups: Sequence[PatternGroup], strangers: Sequence[str], *, strict: bool
    ) -> tuple[UrlClass, ...]:
        """Return classes for *groups*, merged where one regex serves several without matching any of *strangers*."""
        formed = [group for group in groups if not group.rule]
        merged = _merge_rows([group.rows for group in formed], strangers, strict=strict) if formed else []
        by_regex: dict[str, list[SlottedUrl]] = {group.rule: group.rows for group in groups if group.rule}
        for rows in merged:
            for regex in class_regexes(rows):
                by_regex.setdefault(regex, []).extend(rows)
        found = [self._merged(regex, rows, by_links=strict) for regex, rows in by_regex.items()]
        return tuple(sorted(found, key=lambda one: -one.size))

    def class_of(self, group: PatternGroup) -> UrlClass:
        """Return a class for one group alone."""
        urls = [page.url for page in group.pages]
        return UrlClass(" | ".join(group.regexes), len(urls), examples(urls), group.score, self._figures(group))

    def _merged(self, regex: str, rows: Sequence[SlottedUrl], *, by_links: bool) -> UrlClass:
        matches = pattern_of([regex]).fullmatch
        urls = [row.url for row in rows if row.url in self._index.group_of and matches(row.url)]
        members = {id(group): group for group in (self._index.group_of[url] for url in urls)}.values()
        figures = [self._figures(group) for group in members]
        evidence = {key: max(figure[key] for figure in figures) for key in figures[0]} if figures else {}
        score = evidence.get("target_links", 0.0) if by_links else max((group.score for group in members), default=0.0)
        return UrlClass(regex, len(urls), examples(urls), score, evidence)

    def _figures(self, group: PatternGroup) -> dict[str, float]:
        nothing = {"target_links": 0.0, "pages_with_targets": 0.0}
        figures = self._directories.figures.get(id(group), nothing)
        return {"relevant_share": round(group.relevant_share, 3), **figures}


# --- Groups of rows → fewer, where one tight regex serves several and matches no stranger -----------------------------


def _merge_rows(
    groups: Collection[Sequence[SlottedUrl]], strangers: Collection[str], *, strict: bool
) -> list[list[SlottedUrl]]:
    """Merge groups of rows if one tight regex for them matches none of *strangers*.

    Only groups of one skeleton are put together: equal numbers of segments, query keys, slash and extension; numbers,
    words that vary and words that never do in the same slots. All of them are tried at once, then those that agree in
    the first segment, the second, and so on. If *strict*, a single group whose regex matches strangers is taken apart.
    """
    skeletons: dict[object, list[Sequence[SlottedUrl]]] = {}
    for rows in groups:
        skeletons.setdefault(_skeleton(rows), []).append(rows)
    return [merged for alike in skeletons.values() for merged in _merge(alike, strangers, 1, strict)]


def _skeleton(rows: Sequence[SlottedUrl]) -> object:
    count = rows[0].layout[0]
    slots = ({row.values[place] for row in rows} for place in range(1, count + 1))
    kinds = tuple("number" if all(map(is_number, values)) else min(len(values), 2) for values in slots)
    return rows[0].layout, rows[0].values[count + 1], kinds


def _merge(
    groups: Sequence[Sequence[SlottedUrl]], strangers: Collection[str], depth: int, strict: bool
) -> list[list[SlottedUrl]]:
    rows = [row for group in groups for row in group]
    if len(groups) == 1:
        return _take_apart(rows, strangers) if strict else [rows]
    if not _hits(rows, strangers):
        return [rows]
    if depth >= len(rows[0].values):
        return [part for group in groups for part in _merge([group], strangers, depth, strict)]
    parts: dict[str, list[Sequence[SlottedUrl]]] = {}
    for number, group in enumerate(groups):
        values = {row.values[depth] for row in group}
        key = next(iter(values)) if len(values) == 1 else f"*{number}"
        parts.setdefault(key, []).append(group)
    return [merged for part in parts.values() for merged in _merge(part, strangers, depth + 1, strict)]


def _hits(rows: Sequence[SlottedUrl], strangers: Collection[str]) -> bool:
    return any(map(pattern_of(class_regexes(rows)).fullmatch, strangers))


def _take_apart(rows: list[SlottedUrl], strangers: Collection[str]) -> list[list[SlottedUrl]]:
    """Part *rows* by the first slot that varies, until no part's regex matches a stranger."""
    if not _hits(rows, strangers):
        return [rows]
    for depth in range(1, len(rows[0].values)):
        parts: dict[str, list[SlottedUrl]] = {}
        for row in rows:
            parts.setdefault(row.values[depth], []).append(row)
        if len(parts) > 1:
            return [apart for part in parts.values() for apart in _take_apart(part, strangers)]
    return [rows]

"""Nobody reaches through an object into its parts' parts, and no factory takes arguments that mypy can't see."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.architecture.source import Module, each, modules

MOST_BETWEEN = 1
"""So many parts may stand between what one holds and what one uses: `self.part.step()`, not `self.part.piece.step()`.
Who needs the piece is given it, or asks the part."""

SCREEN = 40
"""Lines of a function that puts parts together, its docstring aside."""

PLAIN = {
    "crawler": "Scrapy's handle: its settings, stats, signals and engine are for everybody",
    "engine": "Scrapy's, reached by its handle",
    "connection": "sqlite3's, which a CrawlDatabase is there to open",
    "parent": "a path's",
    "file": "an open file",
    "value": "a member's of an Enum",
    "site": "a site file, read and frozen: its tables are data",
    "lease": "frozen, handed from stage to stage",
    "form": "the words of a demo shop, frozen",
}
"""Attribute → why it is data, or another library's, and not a part to reach through."""

CONTAINER_STEPS = frozenset({"add", "clear", "discard", "extend", "get", "items", "keys", "pop", "update", "values"})
"""Methods of dicts, lists and sets: what is used there is the container, no piece of it."""

each_module = each(modules())
composing = each([one for one in modules() if one.name.split(".")[0] in {"crawl"}])


def chains(tree: ast.AST) -> Iterator[tuple[int, list[str]]]:
    """Yield of each `a.b.c.d`, the longest alone, the line and its names."""
    inner = set()
    for node in ast.walk(tree):
        names: list[str] = []
        link: ast.AST = node
        while isinstance(link, ast.Attribute):
            names.insert(0, link.attr)
            link = link.value
            inner.add(link)
        if names and node not in inner and isinstance(link, ast.Name):
            yield node.lineno, [link.id, *names]  # type: ignore[attr-defined]  # an attribute has a line


def reached_through(tree: ast.AST) -> list[str]:
    """Chains with more than MOST_BETWEEN parts between the name in front and what is used."""
    found = []
    for line, names in chains(tree):
        between = names[1:-2] if names[-1] in CONTAINER_STEPS else names[1:-1]
        if len([name for name in between if name not in PLAIN]) > MOST_BETWEEN:
            found.append(f"{line}: {'.'.join(names)}")
    return sorted(found)


@each_module
def test_nobody_reaches_through_an_object(module: Module) -> None:
    assert reached_through(module.tree) == []


@pytest.mark.parametrize(
    "code",
    [
        "spider.context.frontier.counts()",
        "crawler.spider.control.fatal",
        "self.spider.store.commit()",
        "self.crawler.spider.control.fatal",
        "self.a.b.c.items()",
    ],
)
def test_reaching_through_is_seen(code: str) -> None:
    assert reached_through(ast.parse(code)) == [f"1: {code.removesuffix('()')}"]


@pytest.mark.parametrize(
    "code",
    ["context.frontier.counts()", "self.crawler.stats.inc_value('x')", "self.site.learn.pages", "self.a.table.get(1)"],
)
def test_a_part_and_data_may_be_used(code: str) -> None:
    assert reached_through(ast.parse(code)) == []


def test_what_counts_as_plain_is_used_so() -> None:
    used = {name for module in modules() for _, names in chains(module.tree) for name in names[1:-1]}
    assert set(PLAIN) <= used


@composing
def test_parts_are_handed_over_by_name(module: Module) -> None:
    """A dict of arguments hides a misspelt name from mypy until a crawl opens."""
    found = [
        ast.unparse(node)
        for node in module.nodes
        if isinstance(node, ast.Call) and any(keyword.arg is None for keyword in node.keywords)
    ]
    assert found == []


@composing
def test_what_puts_parts_together_fits_a_screen(module: Module) -> None:
    found = [
        f"{node.name}: {last.end_lineno - first.lineno + 1} lines"
        for node in module.nodes
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (first := node.body[bool(ast.get_docstring(node)) and len(node.body) > 1]) is not None
        and (last := node.body[-1]).end_lineno is not None
        and last.end_lineno - first.lineno >= SCREEN
    ]
    assert found == []

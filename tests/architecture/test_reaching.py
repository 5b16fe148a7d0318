"""Nobody reaches through the crawl's context into its parts, and no factory takes arguments that mypy can't see."""

from __future__ import annotations

import ast

import pytest

from tests.architecture.source import Module, modules

PARTS = frozenset(
    {
        *("frontier", "steering", "admission", "database", "committer", "retry", "silent"),
        *("queues", "outbox", "robots", "samples", "server", "sink"),
    }
)
"""What a context is put together from: assembly's alone. Who needs one is given it, or asks the context."""

outside = pytest.mark.parametrize(
    "module", [one for one in modules() if not one.name.startswith("assembly")], ids=lambda module: module.label
)
inside = pytest.mark.parametrize(
    "module", [one for one in modules() if one.name.startswith("assembly")], ids=lambda module: module.label
)


def reached_through(tree: ast.AST) -> list[str]:
    """`context.PART.X`, whatever stands before it."""
    found = []
    for node in ast.walk(tree):
        part = node.value if isinstance(node, ast.Attribute) else None
        if isinstance(part, ast.Attribute) and part.attr in PARTS:
            owner = part.value
            name = owner.id if isinstance(owner, ast.Name) else owner.attr if isinstance(owner, ast.Attribute) else ""
            if name == "context":
                found.append(f"{part.lineno}: {ast.unparse(part)}")
    return sorted(found)


@outside
def test_nobody_reaches_through_the_context(module: Module) -> None:
    assert reached_through(module.tree) == []


def test_reaching_through_is_seen() -> None:
    code = "spider.context.frontier.counts()\ncontext.steering.pauses\ncontext.pauses\nself.frontier.counts()"
    assert reached_through(ast.parse(code)) == ["1: spider.context.frontier", "2: context.steering"]


@inside
def test_parts_are_handed_over_by_name(module: Module) -> None:
    """A dict of arguments hides a misspelt name from mypy until a crawl opens."""
    found = [
        ast.unparse(node)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call) and any(keyword.arg is None for keyword in node.keywords)
    ]
    assert found == []

"""How many lines of the learner only one pass reaches: what its deletion saves."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path

import gwc_crawler

ROOT = Path(gwc_crawler.__file__).parent
LEARNER = ("learn", "extract")


@cache
def _definitions() -> tuple[dict[str, int], dict[str, set[str]], set[str]]:
    """Names defined in the learner → their lines, and the names each uses; and the names that all else uses.

    By name alone: of two definitions of one name, both are used where one is.
    """
    lines: dict[str, int] = defaultdict(int)
    uses: dict[str, set[str]] = defaultdict(set)
    roots: set[str] = set()
    for file in ROOT.rglob("*.py"):
        if "__init__" in file.name:
            continue
        tree = ast.parse(file.read_text(encoding="utf-8"))
        if file.relative_to(ROOT).parts[0] not in LEARNER:
            roots |= _names(tree)
            continue
        for name, node in _parts(tree):
            lines[name] += (node.end_lineno or node.lineno) - node.lineno + 1
            uses[name] |= _names(node) - {name}
    return lines, uses, roots


def _parts(tree: ast.Module) -> Iterator[tuple[str, ast.stmt]]:
    """The functions, methods, constants and classes of a module, methods apart from their classes."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            for inner in node.body:
                is_own = isinstance(inner, ast.FunctionDef) and not inner.name.startswith("__")
                yield (inner.name if is_own else node.name, inner)  # type: ignore[union-attr]
        elif isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name):
                yield target.id, node


def _names(tree: ast.AST) -> set[str]:
    """The names a piece of code uses; an import alone is no use."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("gwc_crawler"):
            found |= {alias.name for alias in node.names}
    return found


def lines_only_of(names: Collection[str]) -> int:
    """Return the lines of the learner that nothing reaches but the functions of these *names*, theirs included."""
    lines, _, _ = _definitions()
    whole, rest = _reached(frozenset()), _reached(frozenset(names))
    return sum(lines[name] for name in whole - rest)


def _reached(without: frozenset[str]) -> set[str]:
    lines, uses, roots = _definitions()
    todo, seen = [name for name in roots if name in lines and name not in without], set[str]()
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo += [used for used in uses[name] if used in lines and used not in without and used not in seen]
    return seen

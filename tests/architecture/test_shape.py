"""What a reader may count on: the map is complete, public names exist and say what they do, files stay readable."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from functools import cache
from typing import TypeAlias

import pytest

import gwc_crawler
from tests.architecture.source import PACKAGE, Module, each, modules, packages

PROCESSED = ("item", "request", "response", "exception", "start", "spider_input", "spider_output")
HOOKS = frozenset(
    {"from_crawler", "open_spider", "close_spider", "process_item", "process_request", "process_response"}
)
"""Methods that Scrapy's documentation describes, with the same words for every class that has them."""

Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

each_module = each(modules())


def test_the_map_names_every_package_and_nothing_else() -> None:
    named = re.findall(r"^    (\w+)  +\S", gwc_crawler.__doc__ or "", flags=re.MULTILINE)
    assert sorted(named) == sorted(name for name in packages() if "." not in name)


def test_the_map_names_the_foundation() -> None:
    sentence = (gwc_crawler.__doc__ or "").rpartition("\n\n")[2]
    named = set(re.findall(r"`(\w+)`", sentence))
    files = {module.name for module in modules() if not module.is_package and "." not in module.name}
    assert named == files - {"__main__"}, "all but what begins a program"


@each_module
def test_a_module_opens_with_what_it_is_for(module: Module) -> None:
    assert ast.get_docstring(module.tree), f"{module.label} has no docstring"


@pytest.mark.parametrize("name", ["", *sorted(packages())])
def test_what_a_package_gives_exists(name: str) -> None:
    """What documents and settings name is given by packages, too; some load it when it is first asked for."""
    package = importlib.import_module(f"{PACKAGE}.{name}".rstrip("."))
    given = {*getattr(package, "__all__", ()), *getattr(package, "_MODULES", ())}
    assert [one for one in sorted(given) if not hasattr(package, one)] == []
    folder = {module.name.rpartition(".")[2] for module in modules() if module.name.rpartition(".")[0] == name}
    assert not folder & given, "a module of that name takes the place of what the package gives"


def test_the_package_says_the_same_to_people_and_to_type_checkers() -> None:
    (package,) = (module for module in modules() if not module.name)
    told = {name.rpartition(".")[2]: name.rpartition(".")[0] for name, _ in package.imports() if PACKAGE in name}
    assert told == {name: f"{PACKAGE}.{home}" for name, home in gwc_crawler._MODULES.items()}
    assert sorted(told) == gwc_crawler.__all__


@each_module
def test_a_name_is_imported_from_where_it_is_made(module: Module) -> None:
    """What another module happens to have imported is not given by it; what a package gives is for others."""
    found = [
        f"{module.label}:{line}: {name}"
        for name, line in module.imports()
        if (home := name.rpartition(".")[0]) != f"{PACKAGE}.{module.name}".rstrip(".")
        and name.rpartition(".")[2] in borrowed_by(home)
    ]
    assert not found


@cache
def borrowed_by(name: str) -> frozenset[str]:
    """Return what a module has imported, by its full name; nothing of what is none."""
    found = [module for module in modules() if f"{PACKAGE}.{module.name}".rstrip(".") == name]
    imports = [node for module in found for node in module.nodes if isinstance(node, ast.ImportFrom | ast.Import)]
    return frozenset(one.asname or one.name for node in imports for one in node.names)


@each_module
def test_public_functions_and_classes_have_docstrings(module: Module) -> None:
    silent = [
        f"{module.label}:{node.lineno}: {node.name}"
        for node in public_definitions(module.tree)
        if ast.get_docstring(node) is None
    ]
    assert not silent


def public_definitions(parent: ast.Module | ast.ClassDef) -> Iterator[Definition]:
    """Functions and classes of a module, and the methods a class adds; not overloads, setters or inherited hooks."""
    inherits = isinstance(parent, ast.ClassDef) and bool(parent.bases)
    for node in parent.body:
        if not isinstance(node, Definition) or node.name.startswith("_"):
            continue
        if isinstance(node, ast.ClassDef):
            yield node
            yield from public_definitions(node)
        elif not inherits and not is_exempt(node):
            yield node


def is_exempt(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether it's documented elsewhere: a hook of Scrapy's, an overload, a property's setter."""
    return node.name in HOOKS or any(
        ast.unparse(mark).endswith(("overload", ".setter", "override")) for mark in node.decorator_list
    )


@each_module
def test_no_text_is_run_as_code(module: Module) -> None:
    found = [
        f"{module.label}:{node.lineno}: {node.func.id}"
        for node in module.nodes
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in {"eval", "exec", "compile"}
    ]
    assert not found


@each_module
def test_nothing_is_left_undone(module: Module) -> None:
    assert not re.search(r"\b(TODO|FIXME|XXX)\b|NotImplementedError\(\)", module.text)

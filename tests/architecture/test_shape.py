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
from tests.architecture.test_imports import BY_MODULE

PROCESSED = ("item", "request", "response", "exception", "start", "spider_input", "spider_output")
HOOKS = frozenset(
    {"from_crawler", "open_spider", "close_spider", "process_item", "process_request", "process_response"}
)
"""Methods that Scrapy's documentation describes, with the same words for every class that has them."""

FOUND_BY_NAME = {"spiders", *BY_MODULE}
"""Packages whose modules are found by name (COMMANDS_MODULE, a profile, a spider): no exports."""

FACES_OWN = {"typing", f"{PACKAGE}.lazy"}
"""What a face needs itself."""

Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

each_module = each(modules())
ENTERED = sorted(one for one in packages() if one.split(".")[0] not in FOUND_BY_NAME)
each_package = pytest.mark.parametrize("name", ENTERED)


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


@each_package
def test_a_package_exports_names_that_exist(name: str) -> None:
    package = importlib.import_module(f"{PACKAGE}.{name}")
    given = names_given_by(name)
    assert [one for one in given if not hasattr(package, one)] == []
    folder = {module.name.rpartition(".")[2] for module in modules() if module.name.rpartition(".")[0] == name}
    assert not folder & set(given), "a module of that name takes the place of what the face gives"


def names_given_by(package: str) -> list[str]:
    """Return what the face of a package imports."""
    (face,) = (module for module in modules() if module.name == package and module.is_package)
    imports = [node for node in face.nodes if isinstance(node, ast.ImportFrom)]
    own = {*FACES_OWN, f"{PACKAGE}.{package}"}
    return [one.name for node in imports if node.module not in own for one in node.names]


@each_module
def test_a_name_is_imported_from_where_it_is_made(module: Module) -> None:
    """Or from a face: what another module happens to have imported is not given by it."""
    found = [
        f"{module.label}:{line}: {name}"
        for name, line in module.imports()
        if name.startswith(f"{PACKAGE}.") and name.rpartition(".")[2] in borrowed_by(name.rpartition(".")[0])
    ]
    assert not found


@cache
def borrowed_by(name: str) -> frozenset[str]:
    """Return what a module that is no face has imported, by its full name; nothing of what is none."""
    found = [module for module in modules() if f"{PACKAGE}.{module.name}" == name and not module.is_package]
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

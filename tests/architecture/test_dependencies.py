"""What the package imports is what pyproject.toml asks for: a fresh machine has nothing else."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions

import pytest

from tests.architecture.source import PACKAGE, ROOT, Module, modules

OURS = {PACKAGE, "settings_profiles", "sites"}
BELOW_SCRAPY = {
    "twisted": "Scrapy's own event loop, which it chooses the version of",
    "itemadapter": "Scrapy's way to read any kind of item",
    "pydispatcher": "Scrapy's signals",
    "packaging": "what Scrapy compares versions with",
    "protego": "Scrapy's own reader of robots.txt",
}
"""Distribution → why it isn't asked for by name."""

LATER = {"compression"}
"""In the standard library since a later Python than the oldest one that the package runs on."""


@cache
def required() -> set[str]:
    """Normalised names of what a plain install brings."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {normalized(re.split(r"[\s<>=!~;\[]", line, maxsplit=1)[0]) for line in project["dependencies"]}


@cache
def extras() -> set[str]:
    """Normalised names of what an extra brings that users can choose."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = [line for name, some in project["optional-dependencies"].items() if name != "dev" for line in some]
    return {normalized(re.split(r"[\s<>=!~;\[]", line, maxsplit=1)[0]) for line in lines}


def late_imports(module: Module) -> set[int]:
    """Return the lines of imports that stand in functions: they are made when they are needed."""
    functions = [node for node in module.nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return {one.lineno for node in functions for one in ast.walk(node) if isinstance(one, ast.Import | ast.ImportFrom)}


def normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.dear
def test_every_imported_package_is_a_dependency() -> None:
    distributions = packages_distributions()
    late = {module.label: late_imports(module) for module in modules()}
    missing = {
        f"{module.label}:{line}: {top}"
        for module in modules()
        for top, line in ((name.partition(".")[0], line) for name, line in module.imports())
        if top not in sys.stdlib_module_names | LATER | OURS | {"__future__"}
        and not {normalized(name) for name in distributions.get(top, [top])}
        & (required() | set(BELOW_SCRAPY) | (extras() if line in late[module.label] else set()))
    }
    assert missing == set()

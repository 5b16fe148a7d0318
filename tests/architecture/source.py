"""The package's source as the architecture tests see it: modules, their imports, their packages."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "gwc_crawler"


@dataclass(frozen=True)
class Module:
    """One source file of the package. `name` is relative to it: "frontier.sqlite", "" for the package itself."""

    path: Path
    name: str

    @property
    def label(self) -> str:
        """The path as a test id."""
        return self.path.relative_to(ROOT).as_posix()

    @cached_property
    def text(self) -> str:
        """The source."""
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        """The source, parsed."""
        return ast.parse(self.text, filename=str(self.path))

    @property
    def is_package(self) -> bool:
        """Whether this is an `__init__.py`."""
        return self.path.name == "__init__.py"

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Every node of the tree."""
        return tuple(ast.walk(self.tree))

    def imports(self) -> Iterator[tuple[str, int]]:
        """Every imported module's full dotted name with the line, also inside functions and `if TYPE_CHECKING`."""
        yield from self._imports

    @cached_property
    def _imports(self) -> tuple[tuple[str, int], ...]:
        return tuple(self._found_imports())

    def _found_imports(self) -> Iterator[tuple[str, int]]:
        for node in self.nodes:
            if isinstance(node, ast.Import):
                yield from ((alias.name, node.lineno) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                origin = self._absolute(node)
                yield from ((f"{origin}.{alias.name}", node.lineno) for alias in node.names)

    def _absolute(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        own = [PACKAGE, *filter(None, self.name.split("."))]
        base = own[: len(own) - node.level + self.is_package]
        return ".".join([*base, *filter(None, [node.module])])


@cache
def modules() -> tuple[Module, ...]:
    """Every module of the package, sorted by path."""
    return tuple(
        Module(path, _name(path.relative_to(ROOT / PACKAGE))) for path in sorted((ROOT / PACKAGE).rglob("*.py"))
    )


@cache
def packages() -> frozenset[str]:
    """The names of the packages inside the package: "frontier", "frontier.sqlite"."""
    return frozenset({module.name for module in modules() if module.is_package} - {""})


def _name(relative: Path) -> str:
    parts = relative.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def each(ones: Iterable[Module]) -> Callable[[Callable[[Module], None]], Callable[[], None]]:
    """Make a check of one module a test of all *ones* that names each module that fails.

    It's one test for a rule: one for each rule and module would be more than half of all tests.
    """

    def test_of(check: Callable[[Module], None]) -> Callable[[], None]:
        def test() -> None:
            told = []
            for module in ones:
                try:
                    check(module)
                except AssertionError as error:
                    told.append(f"{module.label}: {error}")
            if told:
                pytest.fail("\n".join(told), pytrace=False)

        test.__name__, test.__doc__ = check.__name__, check.__doc__
        return test

    return test_of

"""What is not public of Scrapy stands in one list, is used where it says, and is there in the installed version."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

from tests.architecture.foreign import exists, used_by
from tests.architecture.private_names import DEBTS, Debt
from tests.architecture.source import Module, modules

PROGRAMS = [module for module in modules() if module.path.name != "__main__.py"]


@cache
def uses(module: Module) -> tuple[str, ...]:
    """All uses that are found in a module of the package."""
    return tuple(used_by(module))


def listed(name: str, where: str) -> str | None:
    """The list's name for a use that was found; where the source does not tell the owner, the last part must do."""
    for debt in DEBTS:
        known = debt.name == name or (name.startswith("?.") and debt.name.endswith(name[1:]))
        if known and where in debt.where:
            return debt.name
    return None


@pytest.mark.dear
def test_every_non_public_name_of_scrapys_is_listed() -> None:
    unlisted = {
        f"{module.name}: {name}" for module in PROGRAMS for name in uses(module) if not listed(name, module.name)
    }
    assert unlisted == set(), "find a public way, or list it with its reason in tests/architecture/private_names.py"


def test_every_listed_name_is_used_where_the_list_says() -> None:
    used = {(listed(name, module.name), module.name) for module in PROGRAMS for name in uses(module)}
    assert {(debt.name, where) for debt in DEBTS for where in debt.where} - used == set()


@pytest.mark.parametrize("debt", DEBTS, ids=lambda debt: debt.name)
def test_every_listed_name_exists(debt: Debt) -> None:
    assert exists(debt.name), f"it was in {debt.seen}, to {debt.why}; look at what has its place now"


def test_what_does_not_exist_is_found_out() -> None:
    assert not exists("scrapy.core.downloader.Downloader._get_slit")
    assert not exists("scrapy.core.scraper.Slit._get_slot")


def test_no_object_gets_another_class() -> None:
    assert [f"{module.label}:{line}" for module in modules() for line in exchanges(module.tree)] == []


@pytest.mark.parametrize("line", ["a.b.__class__ = C", "a.__class__, b = C, 1", 'setattr(a, "__class__", C)'])
def test_an_exchange_of_classes_is_seen(line: str) -> None:
    assert exchanges(ast.parse(line)) == [1]


SEEN = {
    "from scrapy.utils.defer import _schedule_coro": "scrapy.utils.defer._schedule_coro",
    "import twisted._version": "twisted._version",
    "slot._call = 1": "?._call",
    'getattr(slot, "_call")': "?._call",
    "self.slot._call()": "?._call",
}
OWN = ("import os\nos._exit(0)", "class A:\n def _b(self, other):\n  other._b(other)", "url._replace(a=1)", "self._a")


@pytest.mark.parametrize("text", SEEN)
def test_a_use_is_seen(text: str, tmp_path: Path) -> None:
    assert list(used_by(written(tmp_path, text))) == [SEEN[text]]


@pytest.mark.parametrize("text", OWN)
def test_what_is_ours_or_public_is_no_such_use(text: str, tmp_path: Path) -> None:
    assert [name for name in used_by(written(tmp_path, text)) if listed(name, "") is None] == []


def written(folder: Path, text: str) -> Module:
    """A module of this text, under the name of one that has no classes."""
    path = folder / "one.py"
    path.write_text(text, encoding="utf-8")
    return Module(path, "urls")


def exchanges(tree: ast.AST) -> list[int]:
    """Lines in which an object gets another class."""
    return [node.lineno for node in ast.walk(tree) if _is_stored(node) or _is_call_with(node)]


def _is_stored(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "__class__" and isinstance(node.ctx, ast.Store)


def _is_call_with(node: ast.AST) -> bool:
    given = node.args if isinstance(node, ast.Call) else []
    return any(isinstance(one, ast.Constant) and one.value == "__class__" for one in given)

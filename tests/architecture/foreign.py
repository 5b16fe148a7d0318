"""Non-public names of Scrapy's and its kin that the package uses, as far as its source tells them.

Three ways are seen: a name imported; a name that a class of ours shares with a foreign class above it, whether it uses
it or overrides it; an attribute of some other object that no class in the same file calls its own.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import textwrap
from collections.abc import Iterator
from functools import cache
from typing import Any

from tests.architecture.source import PACKAGE, Module

FOREIGN = ("scrapy", "twisted", "scrapy_redis", "pydispatch")
DOCUMENTED = frozenset({"_asdict", "_fields", "_make", "_replace"})
"""Of named tuples: public, for all their underscores."""

ASKING = frozenset({"getattr", "setattr", "hasattr", "delattr"})


def is_private(name: str) -> bool:
    """Whether a name says that it is nobody else's business."""
    return name.startswith("_") and not name.endswith("__") and name not in DOCUMENTED and name != "_"


def is_foreign(module: str) -> bool:
    """Whether a dotted name belongs to one of the libraries looked at."""
    return module.partition(".")[0] in FOREIGN


def used_by(module: Module) -> Iterator[str]:
    """Dotted foreign names this module uses; one whose owner the source does not tell begins with "?."."""
    for imported, _ in module.imports():
        if is_foreign(imported) and any(map(is_private, imported.split("."))):
            yield imported
    for node in module.nodes:
        if isinstance(node, ast.ClassDef) and (above := _foreign_privates(module, node.name)):
            yield from (above[name] for name in _own_names(node) if name in above)
    own = _defined(module.tree)
    yield from (f"?.{name}" for name in _others_names(module.tree) if name not in own)


def of_class(cls: type) -> dict[str, str]:
    """Non-public names of a class and what it derives from, where foreign → the full name, of the class that has it."""
    found = {}
    for above in reversed(cls.__mro__):
        if is_foreign(above.__module__):
            names = {*vars(above), *_set_on_self(above)}
            found |= {name: f"{above.__module__}.{above.__qualname__}.{name}" for name in names if is_private(name)}
    return found


def exists(dotted: str) -> bool:
    """Whether the installed library has this name: in a module, in a class, or set by its methods on the object."""
    parts = dotted.split(".")
    for length in range(len(parts) - 1, 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:length]))
        except ImportError:
            continue
        for name in parts[length:-1]:
            found = getattr(found, name, None)
        return hasattr(found, parts[-1]) or (inspect.isclass(found) and parts[-1] in _set_on_self(found))
    return False


def _foreign_privates(module: Module, name: str) -> dict[str, str]:
    loaded = importlib.import_module(".".join(filter(None, (PACKAGE, module.name))))
    cls = getattr(loaded, name, None)
    return of_class(cls) if inspect.isclass(cls) else {}


@cache
def _set_on_self(cls: type) -> frozenset[str]:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(cls)))
    except (OSError, TypeError):  # made at run time
        return frozenset()
    return frozenset(
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _is_self(node.value)
    )


def _own_names(cls: ast.ClassDef) -> set[str]:
    """Names this class has, or asks of itself or what is above it."""
    used = {node.attr for node in ast.walk(cls) if isinstance(node, ast.Attribute) and _is_own(node.value)}
    return used | _defined(cls)


def _defined(tree: ast.AST) -> set[str]:
    """Names that functions, classes and assignments in a piece of source give, also on `self`."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _is_self(node.value):
            found.add(node.attr)
    return found


def _others_names(tree: ast.AST) -> Iterator[str]:
    """Non-public names that are asked of other objects, those of other libraries' modules left out (`os._exit`)."""
    imports = [alias for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    modules = {alias.asname or alias.name for alias in imports if not is_foreign(alias.name)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr) and not _is_own(node.value):
            if not (isinstance(node.value, ast.Name) and node.value.id in modules):
                yield node.attr
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ASKING:
            asked = node.args[1] if len(node.args) > 1 else None
            if isinstance(asked, ast.Constant) and is_private(str(asked.value)) and not _is_own(node.args[0]):
                yield str(asked.value)


def _is_self(value: ast.expr) -> bool:
    return isinstance(value, ast.Name) and value.id in ("self", "cls")


def _is_own(value: ast.expr) -> bool:
    is_super = isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "super"
    return is_super or _is_self(value)

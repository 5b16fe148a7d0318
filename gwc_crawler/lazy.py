"""A package's face: what others import from it, loaded when it is first asked for.

The face is written down once, as imports under `if TYPE_CHECKING` in the package's `__init__`: people and type checkers
read them there, and `face` finds them there. So `from gwc_crawler.store import CrawlDatabase` loads one module
of the store.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any


def face(package: str) -> Callable[[str], Any]:
    """Return the `__getattr__` of *package*'s `__init__`.

    Raises:
        AttributeError: from what is returned, for a name that is not in the face.
    """
    origins: dict[str, str] = {}

    def load(name: str) -> Any:
        if not origins:
            origins.update(_origins(package))
        if name not in origins:
            raise AttributeError(f"{package} has no {name!r}")
        value = getattr(import_module(origins[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return load


def _origins(package: str) -> dict[str, str]:
    """Name → module of what stands under `if TYPE_CHECKING`; read by the loader, so from a zipped egg, too."""
    spec = sys.modules[package].__spec__
    source = spec.loader.get_source(package)  # type: ignore[union-attr]
    guarded = [node for node in ast.parse(source).body if isinstance(node, ast.If)]
    imports = [node for block in guarded for node in block.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: node.module or "" for node in imports for alias in node.names}

"""`datapackage.json` beside an export: what its columns are, for programs (Frictionless Data Package and Table Schema).

One such file describes all exports of its directory, each as a resource of its own.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gwc_crawler.export.columns import Column, ColumnKind, ColumnPlan
from gwc_crawler.export.formats import Format

NAME = "datapackage.json"
MAKER = "gwc-crawler"
"""Stands under `created_by`: such a file may be written anew."""

UNCHECKED = ("json", "sqlite")
"""Formats of which the reference implementation (frictionless 5) can't check size and rows, and calls them wrong."""

_TYPES: dict[ColumnKind, dict[str, Any]] = {
    ColumnKind.TEXT: {"type": "string"},
    ColumnKind.INTEGER: {"type": "integer"},
    ColumnKind.NUMBER: {"type": "number"},
    ColumnKind.DAY: {"type": "date"},
    ColumnKind.MOMENT: {"type": "datetime", "format": "any"},
    ColumnKind.LIST: {"type": "array"},
    ColumnKind.MIXED: {"type": "any"},
}


@dataclass(frozen=True, slots=True)
class Exported:
    """An export that was written."""

    path: Path
    format: Format
    plan: ColumnPlan
    rows: int
    site: str
    entry: tuple[str, ...]
    is_compressed: bool
    types: dict[str, str]
    """Field → type, as the site file says."""


def describe(exported: Exported, *, created: str) -> dict[str, Any]:
    """Return the description of one export, as a resource."""
    name = exported.path.name
    schema: dict[str, Any] = {"fields": [_field(column, exported.types) for column in exported.plan.columns]}
    if exported.plan.key:
        schema["primaryKey"] = list(exported.plan.key)
    if exported.format.is_text and exported.format.name in ("csv", "tsv"):
        schema["missingValues"] = [""]
    resource: dict[str, Any] = {
        "name": re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-") or "records",
        "path": name,
        "format": exported.format.name,
        "mediatype": exported.format.media_type,
        "schema": schema,
        "created": created,
        "sources": [{"title": exported.site, "path": url} for url in exported.entry],
    }
    if exported.format.name not in UNCHECKED:
        digest = f"sha256:{_digest(exported.path)}"
        resource |= {"rows": exported.rows, "bytes": exported.path.stat().st_size, "hash": digest}
    if exported.format.is_text:
        resource["encoding"] = "utf-8"
        resource["profile"] = "tabular-data-resource"
    if exported.is_compressed:
        resource["compression"] = "gz"
    if exported.format.name == "tsv":
        resource["dialect"] = {"delimiter": "\t"}
    return resource


def with_resource(present: bytes | None, resource: dict[str, Any], site: str) -> bytes | None:
    """Return a data package with the resource put in, in the place of the one of its path.

    Args:
        present: the file as it is.
    Returns:
        None where that is somebody else's.
    """
    package: dict[str, Any] = {"name": re.sub(r"[^a-z0-9._-]+", "-", site.lower()).strip("-") or "records"}
    if present is not None:
        try:
            found = json.loads(present)
        except ValueError:
            return None
        if not isinstance(found, dict) or found.get("created_by") != MAKER:
            return None
        package = found
    others = [one for one in package.get("resources", []) if one.get("path") != resource["path"]]
    package |= {"created_by": MAKER, "created": resource["created"], "resources": [*others, resource]}
    return (json.dumps(package, ensure_ascii=False, indent=2) + "\n").encode()


def _field(column: Column, types: dict[str, str]) -> dict[str, Any]:
    described = {"name": column.name, **_TYPES[column.kind]}
    said = types.get(column.name) or types.get(column.source)
    if column.name == "url" or (said == "url" and column.kind is ColumnKind.TEXT):
        described["format"] = "uri"
    if said and column.part is None:
        described["description"] = f"read as {said}"
    return described


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

"""Who may import what: Scrapy stays at the edge, a stage sees the foundation, itself and what stands before it."""

from __future__ import annotations

import subprocess
import sys
from fnmatch import fnmatch

import pytest

from tests.architecture.source import PACKAGE, ROOT, Module, modules, stages

FOUNDATION = frozenset({"errors", "items", "urls", "keywords", "knowledge", "database"})

SCRAPY_FACES = (
    "settings",
    "sites.loader",
    "frontier.scheduler",
    "frontier.redis_scheduler",
    "frontier.priority_queue",
    "download.direct",
    "download.handler",
    "download.middlewares",
    "download.politeness",
    "download.resolver",
    "download.signals",
    "store.pipelines",
    "ops.extensions",
    "spiders",
    "spiders.*",
    "commands",
    "commands.*",
    "actions",
    "actions.*",
)

EVERYTHING = "*"

MAY_SEE: dict[str, frozenset[str]] = {
    "sites": frozenset(),
    "frontier": frozenset(),
    "store": frozenset(),
    "page": frozenset(),
    "extract": frozenset({"page"}),
    "learn": frozenset({"page", "extract"}),
    "download": frozenset({"frontier"}),  # what fails or redirects is told to the frontier
    "demo": frozenset(),
    "spiders": frozenset({EVERYTHING}),
    "commands": frozenset({"actions", "ops", "settings"}),
    "actions": frozenset({EVERYTHING}),
    "ops": frozenset({EVERYTHING}),
}

FACE_MAY_SEE: dict[str, frozenset[str]] = {
    "sites.loader": frozenset({"spiders"}),  # a site file becomes a spider class
    "store.pipelines": frozenset({"page", "frontier", "spiders"}),  # tag stripping is a pipeline
    "frontier.scheduler": frozenset({"store", "spiders"}),  # its spider's workbench holds frontier and store
    "download.middlewares": frozenset({"frontier", "store", "spiders"}),
}

DYNAMIC_CODE = ("pickle", "cPickle", "dill", "marshal", "shelve")

each_module = pytest.mark.parametrize("module", modules(), ids=lambda module: module.label)


def is_scrapy_face(name: str) -> bool:
    return any(fnmatch(name, face) for face in SCRAPY_FACES)


def first_part(imported: str) -> str:
    """Of "gwc_crawler.page.reader.X" the "page"; "" for what is not ours."""
    return imported.split(".")[1] if imported.startswith(f"{PACKAGE}.") else ""


@each_module
def test_only_scrapy_faces_import_scrapy_or_twisted(module: Module) -> None:
    if is_scrapy_face(module.name):
        return
    found = [
        f"{module.label}:{line}: {name}"
        for name, line in module.imports()
        if name.split(".")[0] in {"scrapy", "twisted", "scrapy_redis"}
    ]
    assert not found


@each_module
def test_a_library_module_imports_no_scrapy_face(module: Module) -> None:
    if is_scrapy_face(module.name):
        return
    allowed = MAY_SEE.get(module.stage, frozenset())
    found = [
        f"{module.label}:{line}: {name}"
        for name, line in module.imports()
        if EVERYTHING not in allowed
        and any(fnmatch(part, face) for part in own_prefixes(name) for face in SCRAPY_FACES)
    ]
    assert not found


def own_prefixes(imported: str) -> list[str]:
    """Of "gwc_crawler.sites.loader.load" → ["sites", "sites.loader", "sites.loader.load"]."""
    parts = imported.split(".")
    return [".".join(parts[1:end]) for end in range(2, len(parts) + 1)] if parts[0] == PACKAGE else []


@each_module
def test_a_stage_sees_only_what_it_may(module: Module) -> None:
    allowed = FOUNDATION | {module.stage} | MAY_SEE.get(module.stage, frozenset())
    allowed |= FACE_MAY_SEE.get(module.name, frozenset())
    if EVERYTHING in allowed:
        return
    found = [
        f"{module.label}:{line}: {name}"
        for name, line in module.imports()
        if first_part(name) and first_part(name) not in allowed
    ]
    assert not found


def test_every_stage_has_a_rule() -> None:
    assert set(stages()) <= set(MAY_SEE)


def test_the_foundation_does_not_see_stages() -> None:
    found = [
        f"{module.label}:{line}: {name}"
        for module in modules()
        if module.name in FOUNDATION
        for name, line in module.imports()
        if first_part(name) and first_part(name) not in FOUNDATION
    ]
    assert not found


@each_module
def test_nothing_stored_is_ever_run_as_code(module: Module) -> None:
    found = [f"{module.label}:{line}: {name}" for name, line in module.imports() if name.split(".")[0] in DYNAMIC_CODE]
    assert not found


def test_a_crawl_imports_learn_only_when_it_learns() -> None:
    code = "import sys, gwc_crawler.actions.crawl, gwc_crawler.extract, gwc_crawler.store; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert f"{PACKAGE}.spiders.site" in done.stdout.split()
    assert f"{PACKAGE}.learn" not in done.stdout.split()

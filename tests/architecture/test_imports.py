"""Who imports what: Scrapy's face in front, libraries behind; arrows go one way, and to what is public."""

from __future__ import annotations

import subprocess
import sys
from graphlib import TopologicalSorter

from tests.architecture.source import PACKAGE, ROOT, Module, each, modules, packages

LAYERS = (
    # what everybody may use
    *("errors", "modes", "items", "urls", "field_types", "knowledge"),
    # libraries: one idea each, no Scrapy, no settings objects
    *("network", "sites", "page", "store", "store.sqlite", "store.server", "store.stripping"),
    *("extract", "extract.reading"),
    *("learn.degrees", "learn.texts", "learn.places"),
    *("learn.wrapper.ranking", "learn.wrapper.locators", "learn.wrapper.records"),
    *("learn.wrapper", "learn.urls", "learn.kinds", "learn.lookalikes", "learn.targets", "learn.review"),
    *("learn", "learn.precrawl"),
    *("network.politeness", "operate.fleet", "frontier", "frontier.sqlite", "frontier.redis"),
    *("export", "export.graph", "operate", "learn.propose", "demo"),
    # Scrapy's face
    *("settings", "profiles", "wiring", "crawl", "downloader", "middlewares", "spiders"),
    *("scheduler", "pipelines", "extensions", "extensions.feeds", "spiders.fleet", "runs"),
    *("dashboard.web", "dashboard.queries", "dashboard.views", "dashboard"),
    *("commands", "__main__"),
)
"""Packages and single modules, the lowest first: each sees only what stands before it."""

FACE = LAYERS[LAYERS.index("settings") :]
"""What may import Scrapy and Twisted."""

DYNAMIC_CODE = ("pickle", "cPickle", "dill", "marshal", "shelve")

each_module = each(modules())


def home_of(name: str) -> str:
    """Of a module or a name in one ("frontier.sqlite.states.UrlStates") the innermost package, or the module itself.

    A module of a package that has a layer of its own stands for itself.
    """
    parts = name.split(".")
    prefixes = [".".join(parts[:end]) for end in range(len(parts), 0, -1)]
    return next((one for one in prefixes if one in packages() or one in LAYERS), parts[0])


def our_imports(module: Module) -> list[tuple[str, int]]:
    """What *module* imports of ours, without the package's name."""
    start = f"{PACKAGE}."
    return [(name.removeprefix(start), line) for name, line in module.imports() if name.startswith(start)]


def place(module: Module, line: int, name: str) -> str:
    return f"{module.label}:{line}: {name}"


@each_module
def test_only_the_face_imports_scrapy_or_twisted(module: Module) -> None:
    if home_of(module.name) in FACE:
        return
    found = [
        place(module, line, name)
        for name, line in module.imports()
        if name.split(".")[0] in {"scrapy", "twisted", "scrapy_redis"}
    ]
    assert not found


@each_module
def test_arrows_go_one_way(module: Module) -> None:
    if not module.name:
        return
    own = LAYERS.index(home_of(module.name))
    found = [
        place(module, line, name)
        for name, line in our_imports(module)
        if home_of(name) != home_of(module.name) and LAYERS.index(home_of(name)) >= own
    ]
    assert not found


def test_no_modules_go_in_a_circle() -> None:
    """Not inside a package either, and not for the sake of types alone."""
    files = {module.name for module in modules() if not module.is_package}
    order = TopologicalSorter(
        {
            module.name: {file for name, _ in our_imports(module) if (file := file_of(name, files)) != module.name}
            for module in modules()
            if not module.is_package
        }
    )
    order.prepare()  # raises CycleError, which names the circle


def file_of(name: str, files: set[str]) -> str:
    """The module that *name* is, or stands in; "" where it is a package's."""
    return name if name in files else parent if (parent := name.rpartition(".")[0]) in files else ""


@each_module
def test_what_is_private_stays_where_it_is(module: Module) -> None:
    """A name with an underscore in front is its module's own business; a module so named, its package's."""
    found = [
        place(module, line, name)
        for name, line in our_imports(module)
        if (last := name.rpartition("."))[2].startswith("_") and last[0] != home_of(module.name)
    ]
    assert not found


def test_every_package_has_its_layer() -> None:
    files = {module.name for module in modules() if not module.is_package and module.name}
    alone = {name for name in files if "." not in name or name in LAYERS}
    assert packages() | alone == set(LAYERS)


@each_module
def test_nothing_stored_is_ever_run_as_code(module: Module) -> None:
    found = [place(module, line, name) for name, line in module.imports() if name.split(".")[0] in DYNAMIC_CODE]
    assert not found


def test_a_crawl_imports_learn_only_when_it_learns() -> None:
    loaded = "gwc_crawler.commands.crawl, gwc_crawler.runs.site_run, gwc_crawler.spiders.site"
    code = f"import sys, {loaded}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert f"{PACKAGE}.spiders.site" in done.stdout.split()
    assert [name for name in done.stdout.split() if name.startswith(f"{PACKAGE}.learn")] == []

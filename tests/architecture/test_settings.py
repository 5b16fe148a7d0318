"""Every GWC_* setting is declared once, with a docstring, in settings.py, and used somewhere."""

from __future__ import annotations

import ast
import importlib
import itertools
import re
from configparser import ConfigParser
from functools import cache

from gwc_crawler.commands.init import project_files
from tests.architecture.source import ROOT, Module, modules

PROFILES = ROOT / "gwc_crawler" / "profiles"
MOST_READERS = 3
NAME = re.compile(r"\bGWC_[A-Z0-9_]+\b")


def settings_module() -> Module:
    return next(module for module in modules() if module.name == "settings")


@cache
def declared() -> dict[str, int]:
    """GWC_* names assigned at the top of settings.py → line."""
    found = {}
    for node in settings_module().tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        for target in targets:
            if isinstance(target, ast.Name) and target.id.startswith("GWC_"):
                found[target.id] = node.lineno
    return found


@cache
def used() -> dict[str, str]:
    """GWC_* names in string constants anywhere but in settings.py → one place."""
    return {
        node.value: f"{module.label}:{node.lineno}"
        for module in modules()
        if module.name != "settings"
        for node in module.nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and NAME.fullmatch(node.value)
    }


def test_every_used_setting_is_declared() -> None:
    assert {name: place for name, place in used().items() if name not in declared()} == {}


def test_every_declared_setting_is_used() -> None:
    assert [name for name in declared() if name not in used()] == []


def test_what_several_parts_go_by_is_read_in_one_place() -> None:
    """`config` reads it, and gives it on as a value; two more places are for who needs a part at all, and checks."""
    readers: dict[str, set[str]] = {}
    for module in modules():
        if module.name != "wiring.own_settings":  # looks at the values of all
            for name in read_in(module):
                readers.setdefault(name, set()).add(module.label)
    assert {name: places for name, places in readers.items() if len(places) > MOST_READERS} == {}


def read_in(module: Module) -> set[str]:
    """The GWC_* settings whose value is asked for: `settings["GWC_…"]`, `settings.getint("GWC_…")`."""
    found = set()
    for node in module.nodes:
        if isinstance(node, ast.Subscript):
            asked = [node.slice]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            asked = node.args
        else:
            continue
        names = (one.value for one in asked if isinstance(one, ast.Constant) and isinstance(one.value, str))
        found |= {name for name in names if NAME.fullmatch(name)}
    return found


def test_every_declared_setting_says_what_it_does() -> None:
    body = settings_module().tree.body
    documented = {
        target.id
        for node, following in itertools.pairwise(body)
        if isinstance(node, ast.Assign | ast.AnnAssign) and is_text(following)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    assert [name for name in declared() if name not in documented] == []


def is_text(node: ast.stmt) -> bool:
    """Whether a statement is a string alone: the docstring of what stands above it."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def test_profiles_set_only_what_exists() -> None:
    unknown = {
        f"{path.name}: {name}"
        for path in PROFILES.glob("*.py")
        for name in NAME.findall(path.read_text(encoding="utf-8"))
        if name not in declared()
    }
    assert unknown == set()


def test_scrapy_cfg_names_every_profile() -> None:
    config = ConfigParser()
    config.read(ROOT / "scrapy.cfg", encoding="utf-8")
    named = set(config["settings"].values())
    files = {f"settings_profiles.{path.stem}" for path in PROFILES.glob("*.py")} - {"settings_profiles.__init__"}
    assert named == files


def test_this_checkouts_profiles_are_the_packaged_ones() -> None:
    for path in PROFILES.glob("[!_]*.py"):
        here, packaged = (
            {name: value for name, value in vars(importlib.import_module(module)).items() if name.isupper()}
            for module in (f"settings_profiles.{path.stem}", f"gwc_crawler.profiles.{path.stem}")
        )
        assert here == packaged, "what a way of running changes stands in gwc_crawler/profiles"


def test_this_checkout_is_laid_out_as_a_new_project() -> None:
    new, here = ConfigParser(), ConfigParser()
    files = project_files("gwc_crawler")
    new.read_string(files["scrapy.cfg"])
    here.read(ROOT / "scrapy.cfg", encoding="utf-8")
    assert new == here
    assert files["sites/__init__.py"] == (ROOT / "sites" / "__init__.py").read_text(encoding="utf-8")
    profiles = {path.name for path in (ROOT / "settings_profiles").glob("*.py")}
    assert profiles == {path.rpartition("/")[2] for path in files if path.startswith("settings_profiles/")}


def test_what_would_open_a_door_is_shut() -> None:
    settings = importlib.import_module("gwc_crawler.settings")
    assert settings.TELNETCONSOLE_ENABLED is False
    assert settings.REMOTE_CONTROL_ENABLED is False


def test_no_setting_names_pickle() -> None:
    settings = importlib.import_module("gwc_crawler.settings")
    pickled = [name for name in dir(settings) if name.isupper() and "pickle" in str(getattr(settings, name)).lower()]
    assert pickled == []

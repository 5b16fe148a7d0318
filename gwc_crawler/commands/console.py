"""Find the command that `gwc` was asked for, and its settings: our commands and Scrapy's, in a project or without one.

In a project (a scrapy.cfg here or above, or SCRAPY_SETTINGS_MODULE) they have its settings, as with `scrapy`;
elsewhere those of the packaged profile that SCRAPY_PROJECT names. Scrapy then runs the command.
"""

from __future__ import annotations

import configparser
import os
import sys
from collections.abc import Iterable
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import entry_points
from inspect import isclass
from pkgutil import iter_modules
from traceback import extract_tb

import scrapy
from scrapy.cmdline import execute
from scrapy.commands import ScrapyCommand
from scrapy.settings import BaseSettings, default_settings
from scrapy.utils.conf import closest_scrapy_cfg, get_config, init_env
from scrapy.utils.misc import walk_modules_iter

import gwc_crawler
from gwc_crawler import profiles
from gwc_crawler.errors import GWC, InputError

SETTINGS = "SCRAPY_SETTINGS_MODULE"
PROFILE = "SCRAPY_PROJECT"
OUR_COMMANDS = "gwc_crawler.commands"
SCRAPYS_COMMANDS = "scrapy.commands"

WITHOUT_A_PROJECT = frozenset({"init", "startproject", "version"})
"""Commands that never need the settings of the project they may be called in: it may be another's, or broken."""


def run(arguments: list[str]) -> None:
    """Run one command with its arguments.

    Raises InputError: there is no such command, or no settings for it; SystemExit: it has ended, with its code.
    """
    if arguments == ["--version"]:
        arguments = ["version"]
    command = next((word for word in arguments if not word.startswith("-")), None)
    if command in {None, "help"}:
        print(_overview())
        sys.stdout.flush()
        return
    assert command is not None
    if command in WITHOUT_A_PROJECT:
        os.environ[SETTINGS] = packaged_profile("default")
    else:
        use_settings()
    known = {**commands_in(SCRAPYS_COMMANDS), **commands_in(_commands_module())}
    if command not in known:
        near = get_close_matches(command, known, 1)
        raise InputError(
            f"there is no command {command!r}; " + (f"did you mean {near[0]}?" if near else f"`{GWC}` lists them")
        )
    execute([GWC, *arguments])


def use_settings() -> str:
    """Let SCRAPY_SETTINGS_MODULE name the settings that hold here, and return it: a project's, or a packaged profile.

    Raises InputError: SCRAPY_PROJECT names none, or they can't be used.
    """
    profile = os.environ.get(PROFILE, "default")
    try:
        init_env(profile)  # reads scrapy.cfg, and makes the project's modules importable
        if SETTINGS not in os.environ and (config_file := closest_scrapy_cfg()):
            config = get_config()
            raise _unknown_profile(config_file, profile, config["settings"] if config.has_section("settings") else ())
    except configparser.Error as error:
        raise InputError(f"{closest_scrapy_cfg()} can't be read: {error}") from None
    module = os.environ.setdefault(SETTINGS, "") or packaged_profile(profile)
    os.environ[SETTINGS] = module
    _check_settings(module)
    return module


def packaged_profile(name: str) -> str:
    """Return the settings module of a packaged profile; InputError if there is none of that name."""
    known = {
        module.name.replace("_", "-"): f"{profiles.__name__}.{module.name}"
        for module in iter_modules(profiles.__path__)
    }
    known["default"] = known["local"]
    if name not in known:
        raise _unknown_profile("the package", name, sorted(known))
    return known[name]


def _unknown_profile(where: str, name: str, known: Iterable[str]) -> InputError:
    return InputError(f"{PROFILE} is {name!r}, a profile that {where} has not; it has {', '.join(known) or 'none'}")


def _check_settings(module: str) -> None:
    """Refuse settings that can't be imported or aren't made for our commands: no traceback for a slip in them."""
    place = closest_scrapy_cfg() or SETTINGS
    try:
        settings = import_module(module)
    except (ImportError, SyntaxError, NameError) as error:
        raise InputError(f"{place} names the settings {module}, which can't be imported: {error}") from error
    except Exception as error:
        last = extract_tb(error.__traceback__)[-1]
        raise InputError(
            f"{place} names the settings {module}, which can't be imported: {type(error).__name__}: {error} "
            f"({last.filename}, line {last.lineno})"
        ) from error
    if not hasattr(settings, "GWC_DATA_DIR"):
        raise InputError(
            f"{place} names the settings {module}, which are no GWC Crawler's; begin them with `from "
            f"gwc_crawler.settings import *`, or set {SETTINGS}={packaged_profile('default')} to go without them"
        )
    given = vars(settings)
    for name in given.keys() & {name for name, default in vars(default_settings).items() if isinstance(default, dict)}:
        try:
            BaseSettings(given[name])
        except (AttributeError, TypeError, ValueError):
            raise InputError(
                f'setting {name} is {given[name]!r} in the settings {module}; it can be a table: {{"…": …}}'
            ) from None


def _commands_module() -> str:
    settings = sys.modules.get(os.environ.get(SETTINGS, ""))
    return str(getattr(settings, "COMMANDS_MODULE", OUR_COMMANDS))


def commands_in(package: str) -> dict[str, str]:
    """Return name → description of the commands in a package; of Scrapy's, also those that other packages bring."""
    modules = walk_modules_iter(package)
    found = {module.__name__.rpartition(".")[2]: getattr(module, "Command", None) for module in modules}
    if package == SCRAPYS_COMMANDS:
        found |= {point.name: point.load() for point in entry_points(group=SCRAPYS_COMMANDS)}
    return {
        name: command().short_desc()
        for name, command in sorted(found.items())
        if isclass(command) and issubclass(command, ScrapyCommand)
    }


def _overview() -> str:
    try:
        module = use_settings()
        where = f"the project of {closest_scrapy_cfg()}" if closest_scrapy_cfg() else f"chosen by {PROFILE} or default"
        settings = f"{module}, {where}"
    except InputError as error:
        settings = str(error)
    ours = commands_in(_commands_module())
    theirs = {name: text for name, text in commands_in(SCRAPYS_COMMANDS).items() if name not in ours}
    return "\n".join(
        (
            f"GWC Crawler {gwc_crawler.__version__}, with Scrapy {scrapy.__version__}",
            f"Usage: {GWC} COMMAND [options]",
            *_group("Commands", ours),
            *_group("Scrapy's own", theirs),
            "",
            f"`{GWC} COMMAND --help` tells the options, exit codes and examples of one.",
            f"Settings here: {settings}",
        )
    )


def _group(title: str, found: dict[str, str]) -> list[str]:
    return ["", f"{title}:", *(f"  {name:<13} {text}" for name, text in found.items())]

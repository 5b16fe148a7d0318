"""The frame of our commands: words on `--help`, errors as one line with an exit code. Each adds its own idea: `act`.

Every `scrapy` command loads this and all modules beside it: they are words. What a command does is in `actions`.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from textwrap import dedent
from typing import TYPE_CHECKING, ClassVar

from scrapy.commands import ScrapyCommand, ScrapyHelpFormatter
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from gwc_crawler import settings as ours
from gwc_crawler.errors import EXIT_INTERRUPTED, GwcError, InputError, SiteFileError

if TYPE_CHECKING:
    Base = ScrapyCommand
else:
    Base = object  # not yet a command: Scrapy lists every subclass of ScrapyCommand that it finds in this package


class SiteCommand(Base):
    """What stands before ScrapyCommand (or BaseRunSpiderCommand) in the bases of a command.

    A command sets `summary` (its line in `scrapy`'s list), `help_text` (shown as it stands at the end of `--help`: exit
    codes, keys of --json, examples) and, where it takes something else than one site, `arguments`.
    """

    requires_project = True
    requires_crawler_process = False
    arguments: ClassVar[str] = "<site name | path to a site file>"
    summary: ClassVar[str] = ""
    help_text: ClassVar[str] = ""

    def syntax(self) -> str:
        """Return the command's arguments."""
        return f"[options] {self.arguments}"

    def short_desc(self) -> str:
        """Return the line in `scrapy`'s list of commands."""
        return self.summary

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add this command's options to Scrapy's."""
        super().add_options(parser)
        self.add_own_options(parser)
        add_help(parser, self.help_text)

    def add_own_options(self, parser: argparse.ArgumentParser) -> None:
        """Add what this command alone has."""

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Do it; the exit code says how it ended."""
        with reported_errors(self):
            check_options(args)
            assert self.settings is not None
            check_settings(self.settings)
            self.act(args, opts)

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Do what the command is for; a GwcError ends it with one line and its exit code."""
        raise TypeError(f"{type(self).__module__} has to say what it does")


def add_json(parser: argparse.ArgumentParser, instead_of: str = "") -> None:
    """Add the option --json."""
    parser.add_argument("--json", action="store_true", help=f"print JSON with stable keys{instead_of}")


@contextmanager
def reported_errors(command: ScrapyCommand) -> Iterator[None]:
    """Turn our errors into one readable message on stderr and the documented exit code; no traceback."""
    try:
        yield
        sys.stdout.flush()
    except GwcError as error:
        print(error, file=sys.stderr)
        command.exitcode = error.exit_code
    except UsageError as error:
        if not isinstance(error.__cause__, SiteFileError):
            raise
        print(error, file=sys.stderr)  # the file is wrong, not the command line: no usage
        command.exitcode = error.__cause__.exit_code
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        command.exitcode = EXIT_INTERRUPTED
    except BrokenPipeError:  # the reader of a pipe has seen enough; nothing may be written to it any more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def check_options(args: list[str]) -> None:
    """Refuse what looks like an option but is none: Scrapy hands it on as an argument."""
    for argument in args:
        if argument.startswith("-"):
            raise UsageError(f"unknown option {argument}")


def check_settings(settings: BaseSettings) -> None:
    """Refuse a value of one of our settings that is of another kind than the default.

    Raises:
        InputError: the first such setting, and what it can be.
    """
    for name, default in vars(ours).items():
        if name.startswith("GWC_") and type(default) in KINDS:
            reader, kind = KINDS[type(default)]
            try:
                getattr(settings, reader)(name)
            except (TypeError, ValueError):
                raise InputError(f"setting {name} is {settings[name]!r}; it can be {kind}") from None


KINDS = {bool: ("getbool", "True or False"), int: ("getint", "a whole number"), float: ("getfloat", "a number")}
"""How the settings are read whose default is of that type."""


def add_help(parser: argparse.ArgumentParser, text: str) -> None:
    """Show *text*, line by line as it stands, at the end of `--help`."""
    parser.formatter_class = _HelpWithText
    parser.epilog = dedent(text).strip()


class _HelpWithText(ScrapyHelpFormatter, argparse.RawDescriptionHelpFormatter):
    """Scrapy's help; texts of several lines keep their lines."""

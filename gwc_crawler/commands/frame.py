"""The frame of our commands: words on `--help`, errors as one line with an exit code. Each adds its own idea: `act`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, ClassVar

from gwc_crawler.commands.command_line import add_help, check_options, check_settings, reported_errors

if TYPE_CHECKING:
    from scrapy.commands import ScrapyCommand as Base
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

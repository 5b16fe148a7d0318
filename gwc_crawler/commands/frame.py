"""The frame of our commands: words on `--help`, errors as one line with an exit code. Each adds its own idea: `act`.

Every `scrapy` command loads this and the modules of all commands, so none of them loads much before it runs.
"""

from __future__ import annotations

import argparse
import atexit
import errno
import logging
import os
import re
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING, ClassVar, NoReturn, TextIO

from scrapy import Request
from scrapy.commands import ScrapyCommand, ScrapyHelpFormatter
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings, Settings
from scrapy.utils.log import get_scrapy_root_handler, install_scrapy_root_handler
from w3lib.url import is_url

from gwc_crawler.errors import EXIT_INTERRUPTED, EXIT_PART, GwcError, InputError, SiteFileError, StoreError, advice
from gwc_crawler.modes import LogFormat
from gwc_crawler.wiring.own_settings import EARLY, check_settings, check_tables, check_values

logger = logging.getLogger(__name__)

if TYPE_CHECKING:
    from gwc_crawler.runs.lookup import SiteFiles

    Base = ScrapyCommand
else:
    Base = object  # not yet a command: Scrapy lists every subclass of ScrapyCommand that it finds in this package


_LOG_FILE = re.compile("(?:^|\0)(?:--logfile[=\0]|(?:-s|--set=)?LOG_FILE=)([^\0]+)")
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""Errors of writing to a file that are no mistake of ours."""


class SiteCommand(Base):
    """Comes before ScrapyCommand (or BaseRunSpiderCommand) in the bases of a command.

    A command's docstring is its line in `scrapy`'s list. It sets `help_text` (shown unchanged at the end of
    `--help`: exit codes, keys of --json, examples) and, if it takes something else than one site, `arguments`.
    """

    settings: Settings
    """Set by Scrapy before any method is called."""
    requires_project = True
    requires_crawler_process = False
    arguments: ClassVar[str] = "<site name | path to a site file>"
    help_text: ClassVar[str] = ""
    label_width = 12
    """Where the labels before its lines end."""
    wants_json = False
    """Whether --json was given: then nothing else goes to standard output, no usage either."""

    def syntax(self) -> str:
        return f"[options] {self.arguments}"

    def short_desc(self) -> str:
        return (type(self).__doc__ or "").removesuffix(".")

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.usage = advice(parser.usage or "")
        parser.error = partial(self._refuse, parser.error)  # type: ignore[method-assign]
        self.add_own_options(parser)
        parser.formatter_class = _HelpWithText
        parser.epilog = advice(dedent(self.help_text).strip())

    def _refuse(self, refuse: Callable[[str], NoReturn], reason: str) -> NoReturn:
        """Have the log told, too, of whatever Scrapy says of a command line before its usage."""
        note_log_file(self.settings)
        log_ending(_masked(reason), self.settings)
        refuse(reason)

    def add_own_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options that only this command has."""

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read the command line, and check the options that Scrapy reads before the command begins."""
        self.wants_json = getattr(opts, "json", False)
        note_log_file(self.settings)  # before anything else on the line can be wrong
        try:
            _check_log_file(self.settings)
            check_tables(self.settings, opts.set)
            super().process_options(args, opts)
            from gwc_crawler.wiring.access import hide_secrets  # what is only loaded to show help has nothing to hide

            hide_secrets(self.settings)
            check_values(self.settings, EARLY)
            if self.settings["GWC_LOG_FORMAT"] == LogFormat.JSON:
                from gwc_crawler.operate.monitor import JsonFormat  # only if it is used

                self.settings.set("LOG_FORMAT", JsonFormat("%(message)s"), "cmdline")
        except InputError as error:
            tell(_told(error), self.settings)
            raise SystemExit(error.exit_code) from None
        with reported_errors(self):
            for argument in args:
                if argument.startswith("-"):
                    raise UsageError(f"unknown option {argument}")
            self.look_ahead(args, opts)
        if self.exitcode:
            raise SystemExit(self.exitcode)

    def look_ahead(self, args: list[str], opts: argparse.Namespace) -> None:
        """Refuse arguments that are visibly wrong before Scrapy logs that it begins; raise as `act` does."""

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Do it; the exit code says how it ended."""
        atexit.register(keep_exit_code)
        with reported_errors(self):
            check_settings(self.settings)
            if self.settings["GWC_LOG_FORMAT"] == LogFormat.JSON and (handler := get_scrapy_root_handler()):
                from gwc_crawler.operate.monitor import JsonFormatter

                handler.setFormatter(JsonFormatter())  # Scrapy's own puts tracebacks behind the line
            self.act(args, opts)

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the command; a GwcError ends it with one line and its exit code."""
        raise TypeError(f"{type(self).__module__} has to say what it does")

    def answer(
        self, opts: argparse.Namespace, value: object, told: Iterable[tuple[str, str]] | str, *, to_stderr: bool = False
    ) -> None:
        """Print what was found: with --json *value*, else labelled lines, or a text."""
        from gwc_crawler.runs.output import print_json, print_labelled

        if opts.json:
            print_json(value, stderr=to_stderr)
        elif isinstance(told, str):
            print(told)
        else:
            print_labelled(told, width=self.label_width, stderr=to_stderr)

    def site_files(self, args: list[str]) -> SiteFiles:
        """Return the one site that the command line names; raises as `site_name_of` and `site_files_of`."""
        from gwc_crawler.runs.lookup import site_files_of, site_name_of

        return site_files_of(self, site_name_of(args, {}))


def add_json(parser: argparse.ArgumentParser, instead_of: str = "") -> None:
    """Add the option --json."""
    parser.add_argument("--json", action="store_true", help=f"print JSON with stable keys{instead_of}")


def add_where(parser: argparse.ArgumentParser) -> None:
    """Add the option --where."""
    told = "only records for which this holds: FIELD=VALUE, FIELD~TEXT, and != !~ < <= > >="
    parser.add_argument("--where", metavar="COND", action="append", default=[], help=told)


def names_in(text: str | None) -> tuple[str, ...]:
    """Return the names of an option like `--fields A,B`."""
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())


def tell_part(command: ScrapyCommand, files: SiteFiles) -> None:
    """Say that, of a shared crawl, not all is here, and end with the code for it."""
    from gwc_crawler.runs.records import part_here

    if (part := part_here(files.site.name, files.settings, files.directory)) is not None:
        print(part.told, file=sys.stderr)
        command.exitcode = command.exitcode or EXIT_PART


@contextmanager
def reported_errors(command: ScrapyCommand) -> Iterator[None]:
    """Turn our errors into one readable message, on stderr and in the log, and the documented exit code."""
    try:
        yield
        sys.stdout.flush()
    except GwcError as error:
        tell(_told(error), command.settings)
        command.exitcode = error.exit_code
    except UsageError as error:
        if not isinstance(error.__cause__, SiteFileError):
            shows_help = error.print_help and not getattr(command, "wants_json", False)
            raise UsageError(advice(str(error)), print_help=shows_help) from error
        tell(_told(error), command.settings)  # the file is wrong, not the command line: no usage
        command.exitcode = error.__cause__.exit_code
    except KeyboardInterrupt:
        tell("interrupted", command.settings)
        command.exitcode = EXIT_INTERRUPTED
    except BrokenPipeError:  # the reader of a pipe has seen enough; nothing may be written to it any more
        _give_up_stdout()
    except Exception as error:
        if not isinstance(error, OSError) or error.errno not in _NO_ROOM or error.filename is not None:
            log_ending(_masked(f"{type(error).__name__}: {error}"), command.settings)  # its traceback: on stderr
            raise
        _give_up_stdout()
        tell(f"standard output can't be written: {error.strerror}; lead it elsewhere", command.settings)
        command.exitcode = StoreError.exit_code


def note_log_file(settings: BaseSettings) -> None:
    """Take from the command line, as it stands, which file is the log."""
    if named := _LOG_FILE.search("\0".join(sys.argv)):
        settings.set("LOG_FILE", named[1], "cmdline")


def _check_log_file(settings: BaseSettings) -> None:
    if path := settings["LOG_FILE"]:
        try:
            Path(path).open("ab").close()
        except OSError as error:  # Scrapy would give a traceback
            raise InputError(f"the log {path} can't be written ({error.strerror}); see LOG_FILE, --logfile") from error


def tell(reason: str, settings: BaseSettings | None) -> None:
    """Say on stderr why a command ends, and in its log if that is a file."""
    print(reason, file=sys.stderr)
    log_ending(reason, settings)


def refuse(reason: str) -> None:
    """Say why no command begins, on stderr and in the log that the command line or the settings name, if they can."""
    settings = Settings()
    with suppress(Exception):  # the settings may be at fault
        settings.setmodule(os.environ["SCRAPY_SETTINGS_MODULE"])
    note_log_file(settings)
    tell(reason, settings)


def log_ending(reason: str, settings: BaseSettings | None) -> None:
    """Write into the log file, if there is one, why a command ends; also where the command itself logs nothing."""
    if get_scrapy_root_handler() is None and settings is not None and settings["LOG_FILE"]:
        with suppress(OSError):  # the reason is the one before
            install_scrapy_root_handler(Settings({**settings, "LOG_FILE_APPEND": True}))  # a crawl's log is in it
    handler = get_scrapy_root_handler()
    if isinstance(handler, logging.FileHandler) and not _is_stderr(handler.stream):
        logger.critical("%s", reason)


def _is_stderr(stream: TextIO | None) -> bool:
    with suppress(OSError, ValueError):  # one of them is no file, or closed
        return stream is not None and os.path.sameopenfile(stream.fileno(), sys.stderr.fileno())
    return False


def _give_up_stdout() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _told(error: Exception) -> str:
    return _masked(advice(str(error)))


def _masked(text: str) -> str:
    from gwc_crawler.network.masking import masked  # what is only loaded to show help has nothing to hide

    return masked(text)


def keep_exit_code() -> None:
    """Let no second Ctrl-C kill a process that has done its work: how it ended is decided and said.

    An interpreter takes up to half a second to end, and gives signals their own effect meanwhile: an exit code of 0 or
    130 would become a death by signal. Registered with `atexit`, as threads, which may take longer, have ended by then.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)


class _HelpWithText(ScrapyHelpFormatter, argparse.RawDescriptionHelpFormatter):
    """Scrapy's help; texts of several lines keep their lines."""


# --- What `scrapy fetch`, `scrapy view` and `scrapy shell` share: Scrapy's own, with the settings of a site -----------


LOOKING_HELP = """
    The settings of the site file are in force where the URL belongs to one, or --spider names one. Nothing else is
    fetched, and nothing is written: it may run beside a crawl of the site. `scrapy parse URL` shows what the crawl
    would make of the page.

    Exit codes: 0 done, whatever the server said; 2 no such site or spider, or a mistake in the site file.
"""


class LookingCommand(SiteCommand):
    """Stands before one of Scrapy's commands in the bases of a command that looks at one page."""

    requires_crawler_process = True
    help_text = LOOKING_HELP

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run Scrapy's own command with spiders that only look."""
        from gwc_crawler.runs.lookup import loader_of, spider_class_of
        from gwc_crawler.spiders.single_page import LookingLoader

        assert self.crawler_process is not None
        if getattr(opts, "spider", None):
            spider_class_of(self, opts.spider)  # raises if there is none
        elif args and is_url(args[0]):
            names = loader_of(self).find_by_request(Request(args[0]))
            if len(names) > 1:
                told = f"{args[0]} matches several sites ({', '.join(names)}); using none of them: name one by --spider"
                print(told, file=sys.stderr)
        self.crawler_process.spider_loader = LookingLoader(loader_of(self))
        super(SiteCommand, self).run(args, opts)  # type: ignore[safe-super]  # of the Scrapy command behind it

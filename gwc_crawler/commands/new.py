"""`scrapy new URL`: looks at a site and writes a site file, filled in; `--blank` writes one to fill in by hand."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from gwc_crawler.commands.frame import SiteCommand, add_json
from gwc_crawler.errors import InputError, advice

if TYPE_CHECKING:
    from gwc_crawler.learn.propose.site import Proposal


class Command(SiteCommand, ScrapyCommand):
    """Propose a site file for the site of an address."""

    arguments = "<address>"
    help_text = """
    Looks at some ten pages and writes sites/NAME.toml, NAME being the host of the address (without "www."): two pages
    built alike as samples, the fields found on them with their values, all of which can be learned, and comments that
    tell what each guess rests on. Read it over, change what is wrong, delete what you don't want.

    The address may be the page of one item, a list of items, or the site's front page. Nothing is overwritten.

    Keys of --json: name, file (null with --dry-run), entry, keywords, samples (url, fields), fields (name, why,
    values), left_out (name, why, problem).

    Exit codes: 0 written; 2 no http(s) address, the file exists, or the name can't be used; 3 the site can't be had;
    4 nothing can be proposed from here; 5 it can't be written.

    Examples:
      scrapy new https://books.example.com/
      scrapy new https://books.example.com/product/9780785143727 --name books
      scrapy new https://books.example.com/product/1 --second https://books.example.com/product/2 --dry-run
    """

    def add_own_options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--name", help="name of the site and its file (default: from the host)")
        second = "another page of the same kind (default: found)"
        parser.add_argument("--second", metavar="URL", default="", help=second)
        parser.add_argument("--blank", action="store_true", help="fetch nothing: write a file to fill in")
        parser.add_argument("--force", action="store_true", help="write it even if the file exists")
        parser.add_argument("-O", "--output", metavar="FILE", help="write it there instead; - is standard output")
        parser.add_argument("--dry-run", action="store_true", help="print it and write nothing")
        add_json(parser, " instead of what to do next")

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        from gwc_crawler.learn.propose.toml_form import site_text
        from gwc_crawler.runs.fetching import proposed, write_site_file
        from gwc_crawler.sites.site_files import site_template, suggest_site_name
        from gwc_crawler.sites.validation import SITE_NAME_RULE, is_site_name
        from gwc_crawler.wiring.options import sites_directory

        if len(args) != 1:
            raise UsageError("name one address, e.g. https://books.example.com/")
        head = args[0].partition("/")[0]
        is_host = "://" not in args[0] and "." in head and " " not in args[0] and ":" not in head
        url = f"https://{args[0]}" if is_host else args[0]
        name = opts.name or suggest_site_name(url)
        if not is_site_name(name):
            raise InputError(f"{name!r} can't be a site's name ({SITE_NAME_RULE}); choose another: --name NAME")
        shown = opts.dry_run or opts.output == "-"
        path = None if shown else target(sites_directory(self.settings), name, opts.output, force=opts.force)
        proposal = None
        if not opts.blank:
            suggest_site_name(url)  # raises for invalid addresses
            proposal = proposed(self.settings, url, opts.second, _tell)
        text = site_template(url, name) if proposal is None else site_text(proposal, name)
        if path is not None:
            write_site_file(path, text, force=opts.force)
        then = text.removesuffix("\n") if path is None else next_steps(path, proposal)
        self.answer(opts, as_json(proposal, name, path), then)


def target(directory: Path, name: str, output: str | None, *, force: bool) -> Path:
    """Return the file to be written. Raises InputError: it exists."""
    path = Path(output) if output else directory / f"{name}.toml"
    if path.exists() and not force:
        raise InputError(
            f"{path} exists already and stays as it is; choose another name: --name NAME, or overwrite it: --force"
        )
    return path


def as_json(proposal: Proposal | None, name: str, path: Path | None) -> dict[str, Any]:
    """Return the proposal for machines."""
    told: dict[str, Any] = {"name": name, "file": None if path is None else str(path)}
    if proposal is None:
        return told
    return told | {
        "entry": proposal.entry,
        "keywords": proposal.keywords,
        "samples": [
            {"url": page.url, "fields": {one.name: one.values[number] for one in proposal.fields if one.values[number]}}
            for number, page in enumerate(proposal.pages[:2])
        ],
        "fields": [{"name": one.name, "why": one.why, "values": one.values} for one in proposal.fields],
        "left_out": [{"name": one.name, "why": one.why, "problem": one.problem} for one in proposal.left_out],
    }


def next_steps(path: Path, proposal: Proposal | None) -> str:
    """Say which file was written, and what to do with it."""
    name = shlex.quote(path.stem)
    if proposal is None:
        return f"wrote {path}\n" + advice(
            f"  1. open it and fill in two pages whose records you want, with the values you see there\n"
            f"  2. scrapy learn {name}      fetches some pages and shows what is learned\n"
            f"  3. scrapy crawl {name}      brings the records home"
        )
    from gwc_crawler.runs.comparison import short

    first, second = proposal.pages[:2]
    rows = [f"wrote {path}, from", f"  {first.url}", f"  {second.url}"]
    width = max(len(one.name) for one in proposal.fields)
    rows += [f"    {one.name:{width}}  {short(one.values[0] or one.values[1], 70)}" for one in proposal.fields]
    if proposal.left_out:
        rows.append(f"  left out, as it can't be learned: {', '.join(one.name for one in proposal.left_out)}")
    rows.append(advice(f"look it over, then: scrapy crawl {name}"))
    return "\n".join(rows)


def _tell(text: str) -> None:
    if sys.stderr.isatty():
        print(text, file=sys.stderr)

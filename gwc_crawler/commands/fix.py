"""`scrapy fix SITE URL field="value"`: makes the right values of a stored page a sample, and learns from it."""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from gwc_crawler.commands.extract import extract
from gwc_crawler.commands.frame import SiteCommand, add_json
from gwc_crawler.errors import GwcError, InputError, advice

if TYPE_CHECKING:
    from gwc_crawler.items import FieldValue
    from gwc_crawler.knowledge.model import Knowledge
    from gwc_crawler.runs.comparison import Comparison
    from gwc_crawler.runs.correction import Correction
    from gwc_crawler.runs.lookup import SiteFiles


class Command(SiteCommand, ScrapyCommand):
    """Correct a value: its page becomes a sample, learned from stored pages."""

    arguments = '<site name | path to a site file> <URL> <field="value">…'
    help_text = """
    A record has a wrong value: name its URL and what is right. The page becomes a sample of the site file, with the
    values that are read there now besides; if it is one, its values are corrected. Where the other samples say
    otherwise than what the right value teaches, they are corrected, too (--keep-samples: not). Then it is learned from
    the stored pages, without a request, and what would change is shown, over 200 stored pages at most, before anything
    is written. Accepted, the site file gets the samples (comments and order stay), what was learned is kept, and the
    stored pages are read by it as by `scrapy extract`. A field that is read by a selector by hand is corrected there.

    title="Thor"             a text, as it stands on the page
    tags='["a", "b"]'        a list, or records ([{"author": "Ann"}]), as JSON
    discount=                the page does not have it; of a list tags='[]' says so, too

    On a terminal it asks; elsewhere --yes accepts. Refused or stopped, all is as it was; the same command runs again.

    --json prints what would change instead. Keys: site, url, samples {url: {field: value}}, read {field: value}, urls,
    more_urls, urls_of, pages_of, turns [{state, before, after, count, urls}], pages, fields [{name, same, other, lost,
    new, examples}], warnings, accepted. Keys are added, never renamed.

    Exit codes: 0 accepted, shown (--dry-run, --json), or read so already; 1 not accepted; 2 no such site, field or
    stored page, or the site file can't be changed so; 4 the value is not on the page, or no rule reads all samples;
    5 the disk or a database can't be used; 130 interrupted.

    Examples:
      scrapy fix books https://books.example.com/product/9780785143727 price='$11.48'
      scrapy fix books https://books.example.com/product/9780785143727 subtitle= authors='["Ann", "Bob"]' --dry-run
    """

    def add_own_options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--yes", action="store_true", help="accept without a question")
        parser.add_argument("--dry-run", action="store_true", help="show what would change, and write nothing")
        told = "leave the other samples as they are: they are right, and this page is made otherwise"
        parser.add_argument("--keep-samples", action="store_true", help=told)
        told = "write what is learned into FILE, for comparison; the site file and its knowledge.json stay as they are"
        parser.add_argument("--draft", type=Path, metavar="FILE", help=told)
        add_json(parser, " instead of lines")

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        from gwc_crawler.runs.correction import correct, learn_corrected
        from gwc_crawler.runs.lookup import site_files_of
        from gwc_crawler.runs.output import print_json, print_labelled

        if len(args) < 3:
            raise UsageError('name a site, the URL of a record, and what is right: field="value"')
        if opts.yes and (opts.dry_run or opts.draft):
            raise InputError("--yes does not go with --dry-run or --draft; leave one of them out")
        files, address = site_files_of(self, args[0]), args[1]
        correction = correct(files, address, values_of(files, args[2:]), keep_samples=opts.keep_samples)
        if correction is None:
            print("it is read so already", file=sys.stderr)
            if opts.json:
                print_json({"site": files.site.name, "samples": {}, "accepted": False})
            elif not (opts.dry_run or opts.draft):
                read_again(files)  # for a person who was stopped after the file was written
            return
        if not opts.json:
            print_labelled(correction.lines(), width=12)
            print("learning from the stored pages …", file=sys.stderr)
        knowledge = learn_corrected(files, correction)
        if opts.draft:
            knowledge.save(opts.draft)
            return
        from gwc_crawler.runs.output import ask_yes

        found = _compared(files, knowledge)
        if not opts.json:
            print_labelled(found.lines(), width=12)
        accepted = opts.yes or (not (opts.dry_run or opts.json) and _on_terminal() and ask_yes("Accept?"))
        if accepted:
            _accept(files, knowledge)
        if opts.json:
            print_json(as_json(files, correction, found, accepted=accepted))
        elif not accepted and not opts.dry_run:
            print("not accepted: nothing is written" + ("" if _on_terminal() else "; --yes accepts"), file=sys.stderr)
            self.exitcode = 1


def values_of(files: SiteFiles, words: list[str]) -> dict[str, FieldValue | None]:
    """Read arguments of the form field="value". Raises InputError: one has another form, or does not fit the site."""
    from gwc_crawler.runs.correction import value_of

    values: dict[str, FieldValue | None] = {}
    for word in words:
        name, sign, text = word.partition("=")
        if not sign:
            raise InputError(f'{word!r} says of no field what is right; write field="value"')
        if name.strip() in values:
            raise InputError(f"field {name.strip()!r} is given twice; give it once, a list as JSON")
        values[name.strip()] = value_of(files.site, name.strip(), text)
    return values


def _compared(files: SiteFiles, knowledge: Knowledge) -> Comparison:
    from gwc_crawler.runs.comparison import compare
    from gwc_crawler.runs.lookup import Servers

    with ExitStack() as stack:
        return compare(files, Servers(stack), files.knowledge(), knowledge)


def as_json(files: SiteFiles, correction: Correction, found: Comparison, *, accepted: bool) -> dict[str, object]:
    """Return the stable form of `scrapy fix --json`."""
    what = {"samples": correction.samples, "read": correction.read}
    return {"site": files.site.name, "url": correction.page.url, **what, **asdict(found), "accepted": accepted}


def _accept(files: SiteFiles, knowledge: Knowledge) -> None:
    from gwc_crawler.runs.correction import accept_correction
    from gwc_crawler.runs.lookup import SiteFiles

    site = accept_correction(files, knowledge)
    print(f"{site.path}: written, and learned", file=sys.stderr)
    read_again(SiteFiles(site.name, files.settings, site))


def read_again(files: SiteFiles) -> None:
    """Bring the records up to date, unless a crawl is in the way."""
    try:
        done = extract(files)
    except GwcError as error:
        then = f"a crawl that runs goes on as it began; then `scrapy extract {files.site.name}` brings them up to date"
        told = f"the records stay as they are ({error}); {then}"
        print(advice(told), file=sys.stderr)
    else:
        print(f"{done.pages:,} stored pages were read again", file=sys.stderr)


def _on_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()

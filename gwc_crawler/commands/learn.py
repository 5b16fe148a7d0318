"""`scrapy learn SITE`: fetches pages, learns, and prints the result with how sure it is."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.commands import ScrapyCommand

from gwc_crawler.commands.frame import SiteCommand, add_json
from gwc_crawler.errors import InputError, LearnError
from gwc_crawler.modes import LearnMode

if TYPE_CHECKING:
    from gwc_crawler.items import FieldValue
    from gwc_crawler.knowledge.model import Knowledge
    from gwc_crawler.sites.schema import Site


class Command(SiteCommand, ScrapyCommand):
    """Learn a site's URL classes and wrapper from its samples, and report."""

    requires_crawler_process = True
    help_text = """
    Fetches pages of the site until more of them would hardly change what is learned (with `[learn] stop = "never"`: all
    of `[learn] pages`, else that is the most), learns from them which URLs are targets and directories, and where each
    field stands, writes data/SITE/knowledge.json and prints a report. An older knowledge.json is kept as
    knowledge.previous.json. The same command goes on where it was interrupted.

    Run again, it keeps the pages it has (those fetched less than GWC_REUSE_SAMPLES_SECONDS ago: a day), fetches what
    is missing, and start URLs and samples that are new or failed; then it learns again. After the
    site has changed, `-s GWC_REUSE_SAMPLES_SECONDS=0` fetches all pages anew; --offline fetches none.

    The report fits a screen: which URLs are targets, as globs, those first that are doubtful; which lead to them; each
    field; what is unsure, and what to do about it. --verbose tells the rest, with the regexes.

    Where groups of URLs are doubtful, it asks at most three questions, each with numbers and a page to open: on a
    terminal by itself unless --yes, else with --ask, from standard input. "show" tells what is found there. The answers
    are written into the site file ([learn] also, exclude), what was learned is learned again from the stored pages, and
    the same is asked no more. Ctrl-C at a question leaves the site file as it was.

    The site is asked for three URLs at most for each page that is wanted (and 20 more): of links that give nothing but
    errors a few of each form are asked for, and the report says what was left out.

    --paper-json FILE also writes the wrapper in the published form, {"label#text": "css path"} or "label#attribute",
    whole or not at all. What a CSS path can't say (a value after a label, a part of a text) is named and left out;
    with --mode paper every field has a path.

    --json prints the knowledge. Keys: site, mode, targets and directories (lists of {regex, size, examples, score,
    evidence, given}), excluded (likewise), max_weight, keywords, ignored_query_keys, ignored_segments, wrapper,
    page_check, paging, types, site_links {common, classes}, learned_at, evidence, is_whole, is_json, version. Keys are
    added, never renamed.

    Exit codes: 0 learned; 2 no such site, a mistake in its file, or nothing is stored to learn from (--offline);
    3 the site gives nothing to crawl; 4 the pages don't show what the site file describes, or no field can be said as
    a CSS path (--paper-json); 5 the disk or a database can't be used; 130 interrupted or stopped.

    Examples:
      scrapy learn books
      scrapy learn books --offline --ask
      scrapy learn books --offline --json
      scrapy learn books --offline --mode paper --paper-json books.wrapper.json
    """

    def add_own_options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--offline", action="store_true", help="learn from the stored pages, without a request")
        modes = [one.value for one in LearnMode]
        parser.add_argument("--mode", choices=modes, help="learner to use instead of the site file's")
        parser.add_argument(
            "--paper-json", type=Path, metavar="FILE", help='also write the wrapper as {"label#text": "css path"}'
        )
        told = "write what is learned into FILE, for comparison; the site's knowledge.json stays as it is"
        parser.add_argument("--draft", type=Path, metavar="FILE", help=told)
        told = "ask what is doubtful, write the answers into the site file, and learn by them"
        parser.add_argument("--ask", action="store_true", help=told + " (on a terminal by itself)")
        parser.add_argument("--yes", action="store_true", help="don't ask")
        parser.add_argument("-v", "--verbose", action="store_true", help="tell all that was learned, not one screen")
        add_json(parser, " instead of the report: the knowledge")

    def look_ahead(self, args: list[str], opts: argparse.Namespace) -> None:
        from gwc_crawler.runs.lookup import site_class_of, site_name_of

        if opts.ask and (opts.yes or opts.json or opts.draft):
            raise InputError("--ask does not go with --yes, --json or --draft; leave one of them out")
        site_class_of(self, site_name_of(args, {}))

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        from gwc_crawler.runs.lookup import site_class_of, site_name_of
        from gwc_crawler.runs.output import ask_questions, print_json
        from gwc_crawler.sites.editing import add_url_patterns
        from gwc_crawler.sites.site_files import load_site

        if opts.paper_json is not None and opts.paper_json.is_dir():
            raise InputError(f"--paper-json {opts.paper_json}: that is a directory; name a file")
        site = site_class_of(self, site_name_of(args, {})).site
        knowledge = _learn(self, site, opts, offline=opts.offline)
        if opts.json:
            print_json(asdict(knowledge))
        else:
            self._report(knowledge, opts)
        may_ask = opts.ask or (sys.stdin.isatty() and sys.stdout.isatty())
        quiet = opts.yes or opts.json or opts.draft
        if may_ask and not quiet and (answers := ask_questions(knowledge.evidence.get("questions", ()))):
            add_url_patterns(site.path, answers)
            print(f"\n{site.path}: written; learned again from the stored pages\n")
            site = load_site(site.path)
            knowledge = _learn(self, site, opts, offline=True)
            self._report(knowledge, opts)
        if opts.paper_json is not None:
            print(write_paper_form(knowledge, site, opts.paper_json), file=sys.stderr)

    def _report(self, knowledge: Knowledge, opts: argparse.Namespace) -> None:
        from gwc_crawler.learn.report import render_report  # no other command has to load the learner
        from gwc_crawler.runs.output import output_console

        render_report(knowledge, output_console(self.settings), verbose=opts.verbose)


def _learn(command: SiteCommand, site: Site, opts: argparse.Namespace, *, offline: bool) -> Knowledge:
    from gwc_crawler.runs.site_run import SiteRun, process_of

    mode = LearnMode(opts.mode) if opts.mode else None
    with SiteRun(process_of(command), site, command.settings, mode=mode) as run:
        if run.together is not None:
            run.together.take()
        if not offline:
            run.precrawl(run.finish)
            run.run()
        return run.learn(opts.draft)


def write_paper_form(knowledge: Knowledge, site: Site, path: Path) -> str:
    """Write the wrapper as the paper does, and say how much of it a CSS path can say.

    Raises LearnError: nothing of it can be said so; nothing is written; StoreError: *path* can't be written.
    """
    from gwc_crawler.extract.wrapper import Wrapper  # only here: every command loads this module
    from gwc_crawler.knowledge.model import write_json

    form = Wrapper.from_json(knowledge.wrapper).paper_form
    said = {key.rpartition("#")[0] for key in form}
    unsaid = [label for label in labels(site) if label not in said]
    if not form:
        why = f"no CSS path can say {', '.join(unsaid)}; try --mode paper" if unsaid else "no sample has field values"
        raise LearnError(f"{path}: not written, {why}")
    write_json(path, form, "name another file; with --offline it is written without a request")
    rest = f"; none for {', '.join(unsaid)}" if unsaid else ""
    return f"{path}: {len(form)} CSS path{'s' * (len(form) > 1)}{rest}"


def labels(site: Site) -> list[str]:
    """Return the labels of a site's fields in the order of its samples; the parts of records as `label.part`."""
    parts = [(name, _parts(value)) for sample in site.samples for name, value in sample.fields.items()]
    parts += [(name, list(rule.get("parts", ()))) for name, rule in site.fields.items()]
    return list(dict.fromkeys(f"{name}.{part}" if part else name for name, found in parts for part in found or [""]))


def _parts(value: FieldValue) -> list[str]:
    return [key for row in value if isinstance(row, dict) for key in row]

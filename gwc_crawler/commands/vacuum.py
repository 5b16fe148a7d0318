"""`scrapy vacuum SITE`: makes a site's databases as small as they can be."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.commands import ScrapyCommand

from gwc_crawler.commands.frame import SiteCommand, add_json
from gwc_crawler.errors import InputError, StoreError

if TYPE_CHECKING:
    from gwc_crawler.runs.lookup import SiteLocation


class Command(SiteCommand, ScrapyCommand):
    """Make a site's databases as small as they can be."""

    help_text = """
    Packs stored HTML anew, by a dictionary that is trained on pages from everywhere in the file if that is worth it,
    and gives back what is free in crawl.db and samples.db.

    It refuses while the site is crawled. It may be ended at any moment (Ctrl-C, kill -9, a full disk): the databases
    are as good as before, and the same command goes on. Meanwhile it needs room for twice what the larger one holds.

    --json: an object with crawl.db and samples.db, each {repacked (pages), bytes_before, bytes_after}.

    Exit codes: 0 done; 2 no such site, or no data of it; 5 it is being crawled, or the disk is too full;
    130 interrupted.
    """
    label_width = 10

    def add_own_options(self, parser: argparse.ArgumentParser) -> None:
        add_json(parser, " instead of lines")

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        from gwc_crawler.operate.fleet.channel import Activity
        from gwc_crawler.runs.lookup import Servers, look_at, places, site_name_of

        place = next(places(self, site_name_of(args, {})))
        files = [file for file in (place.crawl_db, place.samples_db) if file.exists()]
        if not files:
            raise InputError(f"{place.directory}: there is no database of {place.name} yet")
        with ExitStack() as stack:  # a crawl that is not shared holds its lock
            crawl = look_at(place, Servers(stack)).crawl if place.shared else None
        asleep = (None, Activity.SILENT)
        if crawl is not None and (active := [one.owner for one in crawl.workers if one.activity not in asleep]):
            helps = "wait for them or stop them, then run again"
            raise StoreError(f"{place.name} is being crawled by {', '.join(active)}; {helps}")
        told = {file.name: _vacuumed(file, place) for file in files}
        self.answer(opts, told, ((name, line(one)) for name, one in told.items()))


def _vacuumed(file: Path, place: SiteLocation) -> dict[str, Any]:
    from gwc_crawler.runs.output import progress_bar
    from gwc_crawler.store.sqlite.upkeep import vacuum  # only here: every command loads this module

    name = f"{place.name} {file.name}"
    with progress_bar(place.settings, name) as show:
        return asdict(vacuum(file, lambda step, done, of: show(description=f"{name} {step}", completed=done, total=of)))


def line(told: dict[str, Any]) -> str:
    """Report the sizes of one database, before and after."""
    packed = f", {told['repacked']:,} pages packed anew" if told["repacked"] else ""
    return f"{told['bytes_before'] / 1e6:,.1f} MB before, {told['bytes_after'] / 1e6:,.1f} MB now{packed}"

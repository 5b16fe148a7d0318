"""`scrapy deliver SITE`: sends pages that wait on disk, or were refused, to their server, without a crawl."""

from __future__ import annotations

import argparse
from pathlib import Path

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from gwc_crawler.commands.frame import SiteCommand, add_json
from gwc_crawler.errors import InputError, StoreError


class Command(SiteCommand, ScrapyCommand):
    """Bring to its server what waits on disk, and what it has refused."""

    help_text = """
    Sends the pages and records that wait on disk since an earlier run to the SQL Server or PostgreSQL of the settings,
    and fetches nothing. SITE may also be a spider of your own with SqlServerPipeline. It ends when all is there, or
    when the server is away.

    --refused: sends again also those that the server has refused before (mssql/refused/), after its table or rule was
    mended; any that it refuses once more are kept as before.

    --json: {written, refused (pages, or items, in this run), still_refused (all that are kept), waiting_batches}.

    Exit codes: 0 the server has all; 2 no such site, or nothing of it for a server; 5 the server is away, or
    refuses something; 130 interrupted: nothing is lost, and the same command goes on.
    """

    def add_own_options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--refused", action="store_true", help="also what the server has refused before")
        add_json(parser, " instead of lines")

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        from gwc_crawler.runs.lookup import site_name_of
        from gwc_crawler.store.server.config import OutletConfig
        from gwc_crawler.store.server.sink import count_refused, deliver, engine_of
        from gwc_crawler.store.server.spool import REFUSED

        name = site_name_of(args, {})
        settings, folders = self._folders(name)
        if not folders:
            helps = "GWC_SINK = mssql or postgres makes a crawl write there"
            raise InputError(f"there is nothing of {name} for a server; {helps}")
        configs = [OutletConfig.from_settings(settings, engine_of(folder)) for folder in folders]
        states = [deliver(*one, refused=opts.refused) for one in zip(configs, folders, strict=True)]
        told = {name: sum(getattr(state, name) for state in states) for name in ("written", "refused")}
        told["still_refused"] = sum(count_refused(folder) for folder in folders)
        told["waiting_batches"] = sum(state.waiting_batches for state in states)
        kept = f", {told['still_refused']:,} are refused" if told["still_refused"] else ""
        self.answer(opts, told, f"{told['written']:,} delivered{kept}")
        if told["refused"] or told["waiting_batches"]:
            places = ", ".join(str(folder / REFUSED) for folder in folders)
            raise StoreError(f"the server refuses {told['refused']:,} of them: see the reasons in {places}")

    def _folders(self, name: str) -> tuple[BaseSettings, list[Path]]:
        from gwc_crawler.runs.lookup import places
        from gwc_crawler.store.server.config import table_of
        from gwc_crawler.store.server.sink import delivery_folders
        from gwc_crawler.wiring.options import data_directory

        data, items = data_directory(self.settings), table_of("of", name)
        own = delivery_folders(data, None, items)
        try:
            place = next(places(self, name))
        except (UsageError, InputError):
            if not own:
                raise
            return self.settings, own
        return place.settings, delivery_folders(data, place.directory, items)

"""What waits, and what was refused, goes to the server without a crawl; also as a person runs it."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from gwc_crawler.errors import StoreError
from gwc_crawler.store.server.config import OutletConfig
from gwc_crawler.store.server.sink import SqlServerSink, count_refused, deliver
from tests.conftest import Project
from tests.store.server.conftest import SETTINGS, visit_of
from tests.tds_server import Hook, TdsServer

Opened = Callable[..., SqlServerSink]
RULE = "ALTER TABLE [dbo].[records_books] {} no_poison"


@pytest.fixture
def refused(tds: TdsServer, open_sink: Opened, tmp_path: Path) -> Path:
    """A folder in which lies a page that the server has refused, and may take now."""
    sink = open_sink()
    sink.write([visit_of(0, title="good")]).result(30)
    assert sink.outlet.is_empty_within(30)
    tds.run(RULE.format("ADD CONSTRAINT") + " CHECK (title <> N'poison')")
    sink.write([visit_of(1, title="poison"), visit_of(2, title="good")]).result(30)
    sink.close()
    assert sink.outlet.state.refused == 1
    return tmp_path / "mssql"


def config(tds: TdsServer) -> OutletConfig:
    return OutletConfig.from_settings({**SETTINGS, **tds.settings})


def test_what_is_refused_again_is_kept_and_what_is_taken_is_gone(tds: TdsServer, refused: Path) -> None:
    again = deliver(config(tds), refused, refused=True)
    assert (again.written, again.refused, count_refused(refused)) == (0, 1, 1)
    drop_rule(tds)
    taken = deliver(config(tds), refused, refused=True)
    assert (taken.written, taken.refused, count_refused(refused)) == (1, 0, 0)
    assert sorted(tds.rows("SELECT title FROM dbo.records_books")) == [("good",), ("good",), ("poison",)]


def test_nothing_is_lost_while_the_server_is_away(tds: TdsServer, refused: Path, open_sink: Opened) -> None:
    tds.hook(Hook("drop", times=999))
    with pytest.raises(StoreError, match="nothing is lost"):
        sink = open_sink(GWC_MSSQL_CLOSE_SECONDS=1)
        sink.write([visit_of(7, title="waits")]).result(30)
        with suppress(StoreError):
            sink.close()
        deliver(config(tds), refused, refused=True)
    assert count_refused(refused) == 1
    tds.hook()
    assert deliver(config(tds), refused, refused=False).written == 1
    assert count_refused(refused) == 1


def test_the_command_tells_what_it_did(tds: TdsServer, refused: Path, project: Project) -> None:
    data = project.directory / "data" / "books"
    data.mkdir(parents=True)
    refused.rename(data / "mssql")
    still = project.scrapy("deliver", "books", "--refused", "--json", settings=tds.settings)
    assert still.code == 5
    assert json.loads(still.out) == {"written": 0, "refused": 1, "still_refused": 1, "waiting_batches": 0}
    assert "the server refuses 1 of them" in still.err
    drop_rule(tds)
    taken = project.scrapy("deliver", "books", "--refused", settings=tds.settings)
    assert (taken.code, taken.out) == (0, "1 delivered\n")
    nothing = project.scrapy("deliver", "nobody", settings=tds.settings)
    assert nothing.code == 2
    assert "Traceback" not in nothing.err


def drop_rule(tds: TdsServer) -> None:
    tds.run(RULE.format("DROP CONSTRAINT"))

"""What the sink leaves on the server: every value exact, every page once, whatever else goes wrong with single ones."""

from __future__ import annotations

import gzip
import json
import math
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from gwc_crawler.errors import StoreError
from gwc_crawler.knowledge.model import RecordShape
from gwc_crawler.store.server import sink as sink_module
from gwc_crawler.store.server.config import ServerConfig, url_id
from gwc_crawler.store.server.connection import Blame, ServerFault
from gwc_crawler.store.server.outlet import read_state
from gwc_crawler.store.server.schema import UnfitValue, for_column
from gwc_crawler.store.server.sink import SqlServerSink
from gwc_crawler.store.server.sql_server import SqlServerConnection, numbered
from tests.conftest import ROOT
from tests.store.server.books import JOINED, JoinedBooks
from tests.store.server.conftest import url_of, visit_of
from tests.tds_server import Hook, TdsServer

Opened = Callable[..., SqlServerSink]


def write(sink: SqlServerSink, *visits: Any) -> None:
    """Write a batch, and wait until it is on the server."""
    sink.write(visits).result(20)
    sink.close()


def test_values_arrive_as_they_were(open_sink: Opened, tds: TdsServer) -> None:
    sink = open_sink()
    odd = "黑🙂\0\ud800'; DROP TABLE x --  "
    write(
        sink,
        visit_of(1, title=odd, price=11.48, born="2010-06", tags=["a", {"b": "c"}]),
        visit_of(2, title="", price=None, born="2010-06-12T08:00:00+02:00", tags=[]),
    )
    rows = tds.rows("SELECT title, price, born, tags FROM dbo.records_books ORDER BY url")
    assert rows == [
        ("黑🙂\ufffd\ufffd'; DROP TABLE x --  ", "11.4800000000", "2010-06-01 00:00:00.000000", '["a", {"b": "c"}]'),
        ("", None, "2010-06-12 06:00:00.000000", "[]"),
    ]
    page, _ = tds.rows("SELECT url_id, body, html, fetched_at FROM dbo.pages ORDER BY url")
    assert page[:2] == (url_id("books", url_of(1)), "正文 text")
    assert gzip.decompress(page[2]) == b"<p>x</p>" * 20
    assert page[3] == "1970-01-01 00:00:07.000000"
    assert ("isbn", "is missing", "") in tds.rows("SELECT field, reason, closest FROM dbo.exceptions")


def test_a_value_that_does_not_fit_is_told_and_not_cut(open_sink: Opened, tds: TdsServer) -> None:
    long = 0.12345678901
    write(open_sink(), visit_of(1, title="x", price=long, born="no day", tags=[]))
    assert tds.rows("SELECT price, born FROM dbo.records_books") == [(None, None)]
    told = {row[0]: row[1:] for row in tds.rows("SELECT field, reason, closest FROM dbo.exceptions")}
    assert told["price"] == ("not stored: 0.12345678901 does not fit into DECIMAL(38, 10)", str(long))
    assert told["born"] == ("not stored: no date: 'no day'", "no day")


def test_columns_that_people_made_keep_their_types_and_get_what_fits(open_sink: Opened, tds: TdsServer) -> None:
    tds.run(
        "CREATE TABLE [dbo].[records_books] (url_id BINARY(16) NOT NULL, url NVARCHAR(MAX) NOT NULL, "
        "fetched_at DATETIME2(6) NOT NULL, TITLE NVARCHAR(3) NULL, price VARCHAR(4) NULL, born BIGINT NULL, "
        "tags VARBINARY(MAX) NULL, PRIMARY KEY (url_id))"
    )
    write(
        open_sink(),
        visit_of(1, title="黑 ", price="8 EU", born=7, tags=None),
        visit_of(2, title="longer", price="黑", born=7.5, tags=["a"]),
    )
    assert tds.rows("SELECT title, price, born, tags FROM dbo.records_books ORDER BY url") == [
        ("黑 ", "8 EU", 7, None),
        (None, None, None, None),
    ]
    told = dict(tds.rows("SELECT field, closest FROM dbo.exceptions WHERE reason LIKE 'not stored: %'"))
    assert told == {"title": "longer", "price": "黑", "born": "7.5", "tags": '["a"]'}


def test_a_table_of_somebody_else_is_left_alone_and_told(open_sink: Opened, tds: TdsServer) -> None:
    tds.run("CREATE TABLE [dbo].[pages] (id INT NOT NULL, PRIMARY KEY (id))")
    with pytest.raises(StoreError, match=r"already an object named.*set GWC_MSSQL_SCHEMA"):
        open_sink()
    open_sink(GWC_MSSQL_SCHEMA="crawls")


def test_tables_that_could_not_be_made_are_made_once_their_names_are_free(open_sink: Opened, tds: TdsServer) -> None:
    versions = "version INT NOT NULL, applied_at DATETIME2(0) NOT NULL, PRIMARY KEY (version)"
    tds.run(f"CREATE TABLE [dbo].[gwc_versions] ({versions})")
    write(open_sink(), visit_of(1, title="a"))
    assert tds.rows("SELECT version FROM dbo.gwc_versions") == [(3,)]


def test_a_page_of_which_no_rows_can_be_made_is_kept_apart(
    open_sink: Opened, tds: TdsServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unit_of = sink_module.page_unit

    def broken(visit: Any, keep_html: Any, paged: Any) -> dict[str, Any]:
        unit = unit_of(visit, keep_html, paged)
        return {**unit, "links": 7} if visit.page.url == url_of(2) else unit

    monkeypatch.setattr(sink_module, "page_unit", broken)
    write(open_sink(), *(visit_of(number, title="x") for number in range(1, 5)))
    assert tds.count("pages") == 3
    (kept,) = (tmp_path / "mssql" / "refused").glob("*.json")
    assert "no rows can be made of it" in json.loads(kept.read_text())["reason"]


def test_numbers_and_dates_at_their_limits_are_exact_or_unfit() -> None:
    assert for_column("12345678901234567890.1234567891", "DECIMAL(38, 10)") == "12345678901234567890.1234567891"
    assert for_column("1500e-2", "DECIMAL(4, 2)") == "15"
    assert for_column("2010-06-12T08:00:30", "DATETIME") == "2010-06-12T08:00:30"
    for value, kind in (
        ("1e999999999", "DECIMAL(38, 10)"),
        ("0001-01-01T00:00:00+05:00", "DATETIME2(6)"),
        ("2010-06-12T08:00:30.5", "DATETIME2(0)"),
        ("2010-06-12T08:00", "DATE"),
        ("1600-01-01", "DATETIME"),
        ("-1", "TINYINT"),
        ("1e39", "REAL"),
        ("x", ""),
    ):
        with pytest.raises(UnfitValue):
            for_column(value, kind)


NUMBER = "DECIMAL(38, 10)"


@pytest.mark.parametrize(
    ("value", "kind", "stored"),
    [
        (1.1 * 1.1, NUMBER, "1.21"),
        (0.1 + 0.2, NUMBER, "0.3"),
        (-(0.1 + 0.2), NUMBER, "-0.3"),
        (1.005 * 100, NUMBER, "100.5"),
        (1 / 3, NUMBER, "0.3333333333"),
        (1 / 600, NUMBER, "0.0016666667"),
        (1 / 51, NUMBER, "0.0196078431"),
        (840.03 / 1.19, NUMBER, "705.9075630252"),
        (3.14159265358979, NUMBER, "3.1415926536"),
        (1e20, NUMBER, "1" + 20 * "0"),
        (10**27, NUMBER, "1" + 27 * "0"),
        (2**63, NUMBER, str(2**63)),
        (1e-9, NUMBER, "0.000000001"),
        (-0.0, NUMBER, "0"),
        (3.0, NUMBER, "3"),
        (Decimal("1.10"), NUMBER, "1.1"),
        (0.1 + 0.2, "DECIMAL(12, 2)", "0.3"),
        (1.1 * 1.1, "MONEY", "1.21"),
        (2.9999999999999996, "INT", "3"),
        (434999999.99999994, "INT", "435000000"),
        (1234567.8800000001, "MONEY", "1234567.88"),
        (-0.0, "BIGINT", "0"),
        (1.1 * 1.1, "FLOAT", "1.2100000000000002"),
        (1.1 * 1.1, "DECIMAL(38, 20)", "1.2100000000000002"),
        (1e28, NUMBER, None),
        (1e-12, NUMBER, None),
        (1.2345678901234567e-9, NUMBER, None),
        (0.12345678901, NUMBER, None),
        ("1.2100000000000002", NUMBER, None),
        (Decimal("1.2100000000000002"), NUMBER, None),
        (float("nan"), NUMBER, None),
        (float("-inf"), NUMBER, None),
        (1 / 3, "DECIMAL(12, 2)", None),
        (333333333.3333333, "INT", None),
        (1000000000.5, "BIGINT", None),
        (1764385329123456.8, "BIGINT", None),
    ],
)
def test_the_noise_of_computed_floats_is_rounded_and_nothing_else(value: Any, kind: str, stored: str | None) -> None:
    if stored is not None:
        assert for_column(value, kind) == stored
        return
    with pytest.raises(UnfitValue):
        for_column(value, kind)


@given(st.integers(-(10**9), 10**9), st.integers(0, 6), st.integers(-(10**4), 10**4), st.integers(0, 2))
def test_what_is_computed_of_decimals_is_stored_as_exactly_computed(a: int, places: int, b: int, more: int) -> None:
    x, y = Decimal(a).scaleb(-places), Decimal(b).scaleb(-more)
    for exact, computed in ((x * y, float(x) * float(y)), (x * 3, float(x) * 3)):
        stored = for_column(computed, NUMBER)
        assert stored is not None
        assert math.isclose(Decimal(stored), exact, rel_tol=1e-15, abs_tol=1e-10), (exact, computed)


@given(st.integers(1, 10**6), st.integers(1, 10**6).filter(lambda b: b % 3 == 0))
@example(1, 51)
@example(1, 493323)
def test_quotients_without_an_end_have_a_place_in_a_column_of_numbers_or_are_told(a: int, b: int) -> None:
    """Those of which six digits that count fit; one that ends (1 / 2048) is written as it is, or told, too."""
    assume(a % 3)
    if a / b < 1e-4:
        with suppress(UnfitValue):
            assert math.isclose(Decimal(for_column(a / b, NUMBER) or ""), a / b, rel_tol=1e-6)
        return
    stored = for_column(a / b, NUMBER)
    assert stored is not None
    assert math.isclose(Decimal(stored), a / b, rel_tol=1e-6)


def test_an_old_driver_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pymssql.__version__", "2.4.5")
    with pytest.raises(ServerFault, match="garbles texts") as caught:
        SqlServerConnection(ServerConfig("server", 1, "user", "", "crawls"))
    assert (caught.value.blame, caught.value.help) == (Blame.PEOPLE, "pip install 'pymssql>=2.4.6'")


def test_a_rule_of_a_trigger_is_told_from_a_server_that_can_not() -> None:
    assert numbered("THROW", 51000).blame is Blame.ROWS
    assert numbered("out of locks", 1204).blame is Blame.MOMENT


def test_fields_of_any_name_have_columns_of_their_own(open_sink: Opened, tds: TdsServer) -> None:
    names = ("order", "Order", "url", "价格", "ｕｒｌ", "a]b'c", "カ", "か", "x" * 200)
    write(open_sink(shape=RecordShape(names)), visit_of(1, **{name: str(at) for at, name in enumerate(names)}))
    (row,) = tds.rows("SELECT * FROM dbo.records_books")
    assert row[3:] == tuple(map(str, range(len(names))))
    write(open_sink(shape=RecordShape((*names, "more"))), visit_of(2, more="later"))
    assert tds.rows("SELECT more FROM dbo.records_books WHERE more IS NOT NULL") == [("later",)]


def test_a_page_looked_at_again_replaces_what_was_there(open_sink: Opened, tds: TdsServer) -> None:
    sink = open_sink(GWC_MSSQL_LISTS="tables")
    sink.write([visit_of(1, title="old", tags=["a", {"k": "v"}]), visit_of(2, title="goes")])
    sink.write([visit_of(1, at=9.0, title="new", tags=["b"]), visit_of(2, at=9.0)])
    write(sink, visit_of(3, at=8.0, requested=url_of(1), title="moved"), visit_of(1, at=6.0, title="late"))
    assert tds.rows("SELECT url, title FROM dbo.records_books") == [(url_of(3), "moved")]
    assert dict(tds.rows("SELECT url, kind FROM dbo.urls WHERE state = 'C'"))[url_of(1)] == "redirect"
    links = tds.rows("SELECT site, link_count FROM dbo.sites ORDER BY site")
    assert links == [("else.example", 3), ("shop.example", 6)]


def test_a_page_may_have_thousands_of_links(open_sink: Opened, tds: TdsServer) -> None:
    visit = visit_of(1)
    visit.page.links = tuple(url_of(number) for number in [*range(2345), *range(5)])
    write(open_sink(), visit, visit_of(2))
    assert tds.count("link_ids") == 2345 + 2
    assert {row[0] for row in tds.rows("SELECT dst FROM dbo.link_ids")} == {
        url_id("books", url_of(number)) for number in range(2345)
    }


def test_lists_can_have_a_table(open_sink: Opened, tds: TdsServer) -> None:
    write(open_sink(GWC_MSSQL_LISTS="tables"), visit_of(1, tags=["a", {"k": "v", "l": ["w"]}]))
    items = tds.rows("SELECT field, position, part, value FROM dbo.list_items ORDER BY position, part")
    assert items == [("tags", 1, "", "a"), ("tags", 2, "k", "v"), ("tags", 2, "l", '["w"]')]


def test_two_sites_share_the_tables(open_sink: Opened, tds: TdsServer) -> None:
    write(open_sink("books"), visit_of(1, title="one"))
    write(open_sink("films"), visit_of(1, title="two"))
    assert set(tds.rows("SELECT site, url FROM dbo.pages")) == {("books", url_of(1)), ("films", url_of(1))}
    assert tds.rows("SELECT title FROM dbo.records_films") == [("two",)]


def test_a_stored_procedure_gets_title_and_content_once(open_sink: Opened, tds: TdsServer) -> None:
    long = "长" * 30_000 + "\\\nC:\\\r\n% ' "
    tds.run("CREATE TABLE [dbo].[kept] (title NVARCHAR(MAX) NULL, content NVARCHAR(MAX) NULL)")
    tds.run(
        "CREATE PROCEDURE [dbo].[keep] @title NVARCHAR(MAX), @content NVARCHAR(MAX) AS "
        "INSERT INTO [dbo].[kept] (title, content) VALUES (@title, @content)",
    )
    visit = visit_of(1, title="x")
    visit.page.text = long
    tds.hook(Hook("drop", match="COMMIT TRANSACTION", at=2, after=True))
    write(open_sink(GWC_MSSQL_PROCEDURE="keep"), visit_of(1, at=6.0), visit)
    assert tds.rows("SELECT title, content FROM dbo.kept") == [("Page 1", long)]


def test_a_row_that_the_server_refuses_is_kept_apart_and_the_others_are_stored(
    open_sink: Opened, tds: TdsServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(open_sink(), visit_of(0, title="first"))
    tds.run("ALTER TABLE [dbo].[records_books] ADD CONSTRAINT no_poison CHECK (title <> N'poison')")
    sink = open_sink()
    visits = [visit_of(number, title="poison" if number == 5 else "good") for number in range(1, 10)]
    write(sink, *visits)
    assert len(tds.rows("SELECT url FROM dbo.records_books")) == 9
    assert len(tds.rows("SELECT url FROM dbo.pages")) == 9
    (kept,) = (tmp_path / "mssql" / "refused").glob("*.json")
    assert json.loads(kept.read_text())["unit"]["record"]["title"] == "poison"
    assert f"{url_of(5)}: " in caplog.text
    state = read_state(tmp_path)
    assert state is not None
    assert (state.written, state.refused, state.waiting_batches) == (8, 1, 0)


def test_a_wrong_password_ends_it_at_once_and_is_not_shown(
    open_sink: Opened, tds: TdsServer, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(StoreError, match=rf"refuses user {tds.user}.*mend GWC_MSSQL_USER") as caught:
        open_sink(GWC_MSSQL_PASSWORD="wrong-one")
    assert "wrong-one" not in str(caught.value) + caplog.text


def test_a_server_without_tls_is_not_spoken_to_where_it_is_required(open_sink: Opened, tds: TdsServer) -> None:
    sink = open_sink(GWC_MSSQL_ENCRYPTION="require")
    assert "login" not in tds.heard()
    sink.write([visit_of(1)]).result(20)
    with pytest.raises(StoreError, match="it answers, but not by TLS, which GWC_MSSQL_ENCRYPTION = require asks for"):
        sink.close()
    assert "login" not in tds.heard()


def test_every_statement_is_t_sql(open_sink: Opened, tds: TdsServer) -> None:
    import sqlglot

    write(open_sink(), visit_of(1, title="x"))
    batches = [one for one in tds.heard() if one not in ("login", "bulk rows") and not one.startswith("insert bulk")]
    assert len(batches) > 30
    for batch in batches:
        statements = sqlglot.parse(batch.replace("SET FMTONLY ON ", "").replace(" SET FMTONLY OFF", ""), dialect="tsql")
        assert not any(isinstance(one, sqlglot.exp.Command) for one in statements), batch


@pytest.mark.skipif("GWC_TEST_SCRIPTDOM" not in os.environ, reason="tests/tds_server/microsoft.py says what it takes")
def test_every_batch_is_t_sql_to_the_parser_of_sql_server(open_sink: Opened, tds: TdsServer) -> None:
    tds.run("CREATE PROCEDURE [dbo].[keep] @title NVARCHAR(MAX), @content NVARCHAR(MAX) AS SELECT 1 AS kept")
    write(open_sink(GWC_MSSQL_LISTS="tables", GWC_MSSQL_PROCEDURE="keep"), visit_of(1, title="x", tags=["a"]))
    joined = JoinedBooks(tds, open_sink("wares", JOINED, GWC_MSSQL_LISTS="tables"))
    joined.write()
    joined.write()
    batches = [one for one in tds.heard() if one not in ("login", "bulk rows")]
    wrong = "SELECT FROM"
    found = subprocess.run(
        [sys.executable, "-m", "tests.tds_server.microsoft"],
        input=json.dumps([*batches, wrong]),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    *faults, of_wrong = map(json.loads, found.stdout.splitlines())
    assert of_wrong
    assert [(batch, fault) for batch, fault in zip(batches, faults, strict=True) if fault] == []


def test_the_procedures_that_are_brought_along_add_find_change_and_remove_pages(
    open_sink: Opened, tds: TdsServer
) -> None:
    text = (ROOT / "deploy" / "sql" / "pages.sql").read_text("utf-8").replace("dbo.", "[dbo].")
    for _ in range(2):  # installed again, it changes nothing
        for batch in text.split("\nGO\n"):
            tds.run(batch)
    write(open_sink(GWC_MSSQL_PROCEDURE="gwc_page_add"), visit_of(1), visit_of(2))
    write(open_sink(GWC_MSSQL_PROCEDURE="gwc_page_add"), visit_of(1))
    saved = tds.rows("SELECT id, title FROM dbo.gwc_saved_pages")
    assert saved == [(1, "Page 1"), (2, "Page 2")]
    tds.run("EXEC [dbo].[gwc_page_change] @id = 2, @title = N'Other', @content = N'更'")
    tds.run("EXEC [dbo].[gwc_page_remove] @id = 1")
    assert [row[:3] for row in tds.asked("EXEC [dbo].[gwc_page_find] @title = N'Other'")] == [(2, "Other", "更")]
    assert tds.count("gwc_saved_pages") == 1

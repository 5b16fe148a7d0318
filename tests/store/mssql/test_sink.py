"""What the sink leaves on the server: every value exact, every page once, whatever else goes wrong with single ones."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gwc_crawler.errors import StoreError
from gwc_crawler.knowledge import RecordShape
from gwc_crawler.store.mssql import SqlServerSink, read_state, url_id
from tests.store.mssql.conftest import url_of, visit_of
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
    long = 0.12345678901234
    write(open_sink(), visit_of(1, title="x", price=long, born="no day", tags=[]))
    assert tds.rows("SELECT price, born FROM dbo.records_books") == [(None, None)]
    told = {row[0]: row[1:] for row in tds.rows("SELECT field, reason, closest FROM dbo.exceptions")}
    assert told["price"] == ("not stored: 0.12345678901234 does not fit into DECIMAL(38, 10)", str(long))
    assert told["born"] == ("not stored: no date: 'no day'", "no day")


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
    assert tds.rows("SELECT site, link_count FROM dbo.sites") == [("else.example", 3)]


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
    long = "长" * 30_000
    tds.run("CREATE TABLE [dbo].[kept] (title NVARCHAR(MAX) NULL, content NVARCHAR(MAX) NULL)")
    tds.run(
        "CREATE PROCEDURE [dbo].[keep] @title NVARCHAR(MAX), @content NVARCHAR(MAX) AS "
        "INSERT INTO [dbo].[kept] (title, content) VALUES (@title, @content)",
    )
    visit = visit_of(1, title="x")
    visit.page.text = long
    tds.hook(Hook("drop", match="COMMIT TRANSACTION", at=2, after=True))
    write(open_sink(GWC_MSSQL_PROCEDURE="keep"), visit)
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
    with pytest.raises(StoreError, match=r"refuses user crawler.*mend GWC_MSSQL_USER") as caught:
        open_sink(GWC_MSSQL_PASSWORD="wrong-one")
    assert "wrong-one" not in str(caught.value) + caplog.text


def test_a_server_without_tls_is_not_spoken_to_where_it_is_required(open_sink: Opened, tds: TdsServer) -> None:
    sink = open_sink(GWC_MSSQL_ENCRYPTION="require")
    assert "login" not in tds.heard()
    sink.write([visit_of(1)]).result(20)
    sink.close()
    assert "login" not in tds.heard()


def test_every_statement_is_t_sql(open_sink: Opened, tds: TdsServer) -> None:
    import sqlglot

    write(open_sink(), visit_of(1, title="x"))
    batches = [one for one in tds.heard() if one not in ("login", "bulk rows") and not one.startswith("insert bulk")]
    assert len(batches) > 60
    for batch in batches:
        statements = sqlglot.parse(batch.replace("SET FMTONLY ON ", "").replace(" SET FMTONLY OFF", ""), dialect="tsql")
        assert not any(isinstance(one, sqlglot.exp.Command) for one in statements), batch

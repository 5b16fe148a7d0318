"""What goes wrong between a crawl and its server: nothing is lost, nothing is there twice; balance sheets show it."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterable
from contextlib import closing
from itertools import count
from pathlib import Path
from urllib.parse import quote

import pytest

from gwc_crawler.errors import InputError, StoreError
from gwc_crawler.knowledge.model import RecordShape
from gwc_crawler.store.server import outlet
from gwc_crawler.store.server import postgres as driver
from gwc_crawler.store.server.config import OutletConfig, url_id
from gwc_crawler.store.server.connection import ServerFault
from gwc_crawler.store.server.outlet import read_state
from gwc_crawler.store.server.sink import PostgresSink, ServerSink
from gwc_crawler.store.server.sql_server import SqlServerConnection
from gwc_crawler.store.sink import SinkConfig
from tests.postgres_server import PostgresServer
from tests.processes import wait_until
from tests.small_disk import small_disk
from tests.store.server.books import JOINED, SECONDS, Books, JoinedBooks, cut_at, messages
from tests.store.server.conftest import SETTINGS, SHAPE, SINKS, close_with_nothing_there, url_of, visit_of
from tests.tds_server import Hook, TdsServer
from tests.tds_server.real import RealServer

Opened = Callable[..., ServerSink]
Writers = list[subprocess.Popen[str]]


@pytest.fixture
def books(tds: TdsServer, open_sink: Opened) -> Books:
    books = Books(tds, open_sink())
    books.write()
    return books


@pytest.fixture
def books_anywhere(any_server: TdsServer | PostgresServer, open_sink: Opened) -> Books:
    books = Books(any_server, open_sink())
    books.write()
    return books


@pytest.fixture
def joined(any_server: TdsServer | PostgresServer, open_sink: Opened) -> JoinedBooks:
    books = JoinedBooks(any_server, open_sink(shape=JOINED, GWC_MSSQL_LISTS="tables"))
    books.write()
    return books


@pytest.mark.slow
def test_a_batch_may_be_cut_at_every_message(books_anywhere: Books) -> None:
    """Before it is heard, and after it is done."""
    last = messages(books_anywhere)
    assert last > 9
    cut_at(books_anywhere, range(1, last + 1), [Hook("drop"), Hook("drop", after=True)])


@pytest.mark.slow
@pytest.mark.parametrize("fault", [Hook("drop"), Hook("drop", after=True), Hook("error", number=1205)], ids=repr)
def test_a_batch_that_is_joined_may_be_cut_at_every_message(joined: JoinedBooks, fault: Hook) -> None:
    """Lists that go over several pages, and files that records lead to: all that is said for them, too."""
    last = messages(joined)
    assert last > 20
    cut_at(joined, range(1, last + 1), [fault])


@pytest.mark.slow
@pytest.mark.parametrize("number", [1205, 9002, 2627, 208, 0])
def test_every_message_may_be_answered_by_an_error(books: Books, number: int) -> None:
    cut_at(books, range(1, messages(books) + 1, 3), [Hook("error", number=number)])


def test_a_batch_may_be_cut_anywhere(books_anywhere: Books) -> None:
    """A sample of the above: where it begins, in the midst, at the commit and after it."""
    last = messages(books_anywhere)
    cut_at(books_anywhere, [3, last // 2, last - 1, last], [Hook("drop"), Hook("drop", after=True)])


def test_a_batch_that_is_joined_may_be_cut_anywhere(joined: JoinedBooks) -> None:
    last = messages(joined)
    cut_at(joined, [last - 9, last - 2], [Hook("drop"), Hook("drop", after=True)])


NUMBERS = {"mssql": (1205, 9002, 2627), "postgres": (40001, 53100, 23505)}


def test_a_deadlock_a_full_log_and_a_double_key_are_tried_again(books_anywhere: Books) -> None:
    books = books_anywhere
    faults = [Hook("error", number=number) for number in NUMBERS[books.tds.engine]]
    cut_at(books, [messages(books) - 2], faults)


def test_a_row_at_which_the_server_fails_in_a_way_nobody_knows_is_found(tds: TdsServer, open_sink: Opened) -> None:
    tds.run("CREATE PROCEDURE [dbo].[keep] @title NVARCHAR(MAX), @content NVARCHAR(MAX) AS SELECT 1 AS kept")
    sink = open_sink(GWC_MSSQL_PROCEDURE="keep", GWC_MSSQL_RETRY_SECONDS=0.05)
    tds.hook(Hook("error", match=f"0x{url_id('books', url_of(3)).hex()}; EXEC [dbo].[keep]", number=51000, times=999))
    sink.write([visit_of(number, title="x") for number in range(5)]).result(SECONDS)
    assert sink.outlet.is_empty_within(SECONDS)
    assert tds.count("pages") == 4
    assert sink.outlet.state.refused == 1


def test_what_a_procedure_leaves_unread_does_not_undo_its_batch(tds: TdsServer, open_sink: Opened) -> None:
    """A cancelled result ends the transaction, and so would one that the procedure has begun itself."""
    tds.run(
        "CREATE PROCEDURE [dbo].[keep] @title NVARCHAR(MAX), @content NVARCHAR(MAX) AS "
        "BEGIN SELECT 1 AS one; SELECT 2 AS two; END"
    )
    books = Books(tds, open_sink(GWC_MSSQL_PROCEDURE="keep"))
    books.write()
    books.write()
    books.assert_balanced()


def test_a_server_that_is_silent_is_given_up_and_asked_again(
    any_server: TdsServer | PostgresServer, open_sink: Opened
) -> None:
    books = Books(any_server, open_sink(GWC_MSSQL_TIMEOUT_SECONDS=1))
    books.write()
    any_server.hook(Hook("silence", match="bulk rows"))
    books.write()
    books.assert_balanced()


def test_a_server_that_is_killed_comes_back_to_all_that_waited(
    books_anywhere: Books, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    books = books_anywhere
    books.tds.kill()
    for _ in range(5):
        books.sink.write(books.batch()).result(SECONDS)
    wait_until(lambda: books.sink.outlet.state.reachable is False, SECONDS)
    assert books.sink.outlet.state.waiting_batches == 5
    books.tds.start()
    books.tds.hook()
    assert books.sink.outlet.is_empty_within(SECONDS)
    books.assert_balanced()
    assert "can't be written, what goes there waits on disk" in caplog.text


def test_a_password_that_changes_on_the_way_is_told_and_waited_for(
    books: Books, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    tds, sink = books.tds, books.sink
    tds.kill()
    with monkeypatch.context() as changed:
        changed.setattr(tds, "password", "another")
        sink.write(books.batch()).result(SECONDS)
        wait_until(lambda: sink.outlet.state.reachable is False, SECONDS)
        tds.start()
        wait_until(lambda: "Login failed" in sink.outlet.state.problem, SECONDS)
        tds.kill()
        wait_until(lambda: "Unable to connect" in sink.outlet.state.problem, SECONDS)
    assert "Login failed for user" in caplog.text
    tds.start()
    assert sink.outlet.is_empty_within(SECONDS)
    books.assert_balanced()


@pytest.mark.slow
def test_its_writer_may_be_killed_at_every_statement(books_anywhere: Books, writers: Writers) -> None:
    """kill -9, while the server has what was said last, and does it or does not."""
    kill_at(books_anywhere, writers, range(1, messages(books_anywhere) + 1))


def test_its_writer_may_be_killed_anywhere(books_anywhere: Books, writers: Writers) -> None:
    """A sample of the above."""
    last = messages(books_anywhere)
    kill_at(books_anywhere, writers, [last // 2, last - 1, last])


def kill_at(books: Books, writers: Writers, positions: Iterable[int]) -> None:
    for number in positions:
        books.tds.hook(Hook("delay", at=number, seconds=0.2))
        books.sink.write(books.batch()).result(SECONDS)
        wait_until(lambda number=number: len(books.tds.heard()) >= number, SECONDS)  # type: ignore[misc]
        writers[-1].kill()
        assert books.sink.outlet.is_empty_within(SECONDS)
    books.assert_balanced()


def test_pages_that_kill_the_writer_are_found_and_the_others_are_stored(
    tds: TdsServer, open_sink: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outlet, "MODULE", "tests.store.server.deadly_writer")
    sink = open_sink(GWC_MSSQL_RETRY_SECONDS=0.01)
    visits = [visit_of(number, title="x") for number in range(5)]
    visits[0].page.title = visits[3].page.title = "deadly"
    sink.write(visits).result(SECONDS)
    assert sink.outlet.is_empty_within(60.0)
    assert tds.count("pages") == 3
    assert sink.outlet.state.refused == 2
    kept = [one.read_text() for one in (tmp_path / "mssql" / "refused").glob("*.json")]
    assert ["the writer's process ends" in one for one in kept] == [True, True]


def test_batches_of_a_process_that_is_dead_are_taken_over(tds: TdsServer, open_sink: Opened, tmp_path: Path) -> None:
    books = Books(tds, open_sink())
    tds.hook(Hook("silence", times=99))
    books.sink.write(books.batch()).result(SECONDS)
    close_with_nothing_there(books.sink)
    state = read_state(tmp_path)
    assert state is not None
    assert state.waiting_batches == 1
    (tmp_path / "mssql" / "1").rename(tmp_path / "mssql" / "7")  # a slot that nobody takes again
    tds.hook()
    books.sink = open_sink()
    books.write()
    books.assert_balanced()


def test_what_waits_for_another_database_goes_to_the_one_that_is_named_now_and_that_is_told(
    tds: TdsServer, open_sink: Opened, caplog: pytest.LogCaptureFixture
) -> None:
    books = Books(tds, open_sink())
    tds.hook(Hook("silence", times=99))
    books.sink.write(books.batch()).result(SECONDS)
    close_with_nothing_there(books.sink)
    meant_for = tds.database
    tds.hook()
    tds.new_database()
    assert "was meant for another SQL Server" not in caplog.text
    books.sink = open_sink()
    books.write()
    books.assert_balanced()
    (told,) = [line for line in caplog.text.splitlines() if "was meant for another SQL Server" in line]
    assert f"database {meant_for} now=" in told
    assert f"database {tds.database};" in told


def test_the_end_of_a_crawl_does_not_wait_for_room_while_the_server_is_away(
    tds: TdsServer, open_sink: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outlet, "AWAY_SECONDS", 0.1)
    books = Books(tds, open_sink(GWC_MSSQL_SPILL_BYTES=1))
    tds.hook(Hook("drop", match="bulk rows", times=9999))
    books.sink.write(books.batch()).result(SECONDS)
    wait_until(lambda: books.sink.outlet.state.reachable is False, SECONDS)
    answer = books.sink.write(books.batch())
    assert not answer.done()
    books.sink.ending()
    with pytest.raises(StoreError, match="is full"):
        answer.result(SECONDS)


def test_a_damaged_batch_is_put_aside_and_told(
    tds: TdsServer, open_sink: Opened, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    books = Books(tds, open_sink())
    tds.hook(Hook("silence", times=99))
    books.sink.write(books.batch()).result(SECONDS)
    close_with_nothing_there(books.sink)
    (batch,) = (tmp_path / "mssql").glob("1/*.batch")
    batch.write_bytes(batch.read_bytes()[:-1] + b"?")
    half = tmp_path / "mssql" / "1" / ".parts" / "half"
    half.write_bytes(b"x")
    tds.hook()
    books = Books(tds, open_sink())
    books.batches = 3
    books.write()
    assert "a batch can't be read" in caplog.text
    assert sorted(one.suffix or one.name for one in (tmp_path / "mssql" / "1").iterdir()) == [
        ".damaged",
        ".parts",
        "lock",
    ]
    assert not half.exists()
    assert tds.count("pages") == 2


def test_the_next_batch_waits_where_the_spool_is_full(
    books: Books, open_sink: Opened, caplog: pytest.LogCaptureFixture
) -> None:
    tds = books.tds
    tds.kill()
    books.sink = open_sink("books", GWC_MSSQL_SPILL_BYTES=1500)
    answers = [books.sink.write(books.batch()) for _ in range(3)]
    answers[0].result(SECONDS)
    wait_until(lambda: "so the crawl waits" in caplog.text, SECONDS)
    assert not answers[2].done()
    tds.start()
    for answer in answers:
        answer.result(SECONDS)
    assert books.sink.outlet.is_empty_within(SECONDS)
    books.assert_balanced()


def test_a_full_spool_does_not_keep_a_crawl_from_ending(books: Books, open_sink: Opened) -> None:
    books.tds.kill()
    sink = open_sink("books", GWC_MSSQL_SPILL_BYTES=1)
    answers = [sink.write(books.batch()) for _ in range(2)]
    answers[0].result(SECONDS)
    close_with_nothing_there(sink)
    with pytest.raises(StoreError, match=r"is full .* raise GWC_MSSQL_SPILL_BYTES"):
        answers[1].result(SECONDS)
    books.tds.start()


def test_a_full_disk_ends_the_crawl_and_loses_nothing(tds: TdsServer, open_sink: Opened, tmp_path: Path) -> None:
    books = Books(tds, open_sink())
    books.sink.close()
    with small_disk(tmp_path, 1) as mounted:
        if not mounted:
            pytest.skip("no small disk can be mounted")
        tds.hook(Hook("silence", match="bulk rows", times=99))
        books.sink = open_sink(GWC_KEEP_HTML="none")
        kept = 0
        for number in count():
            big = visit_of(number, title="x")
            big.page.text = os.urandom(200_000).hex()
            try:
                books.sink.write([big]).result(SECONDS)
            except StoreError as error:
                assert "make room" in str(error)
                break
            kept += 1
        tds.hook()
        assert books.sink.outlet.is_empty_within(SECONDS)
        assert tds.count("pages") == kept > 0
        books.sink.close()


# --- What was seen on a real engine -----------------------------------------------------------------------------------


def test_without_a_count_of_rows_the_driver_takes_a_copy_for_failed(tds: TdsServer) -> None:
    """And so a session asks for it, whatever the server does by itself."""
    config = OutletConfig.from_settings({**SETTINGS, **tds.settings}).server
    with closing(SqlServerConnection(config)) as server:
        server.run("CREATE TABLE #t (a INT NOT NULL)")
        server.copy("#t", [(1,)])
        server.run("SET NOCOUNT ON")
        with pytest.raises(ServerFault, match="Unknown error"):
            server.copy("#t", [(2,)])


def test_a_crawl_of_which_the_server_has_nothing_ends_by_the_servers_words(tds: TdsServer, open_sink: Opened) -> None:
    sink = open_sink()
    tds.hook(Hook("error", match="UPDATE t SET", number=9002, times=999))
    sink.write([visit_of(1, title="x")]).result(SECONDS)
    with pytest.raises(StoreError, match=r"nothing is on the SQL Server.*error 9002 on request.*safe in"):
        sink.close()


def test_what_a_trigger_says_of_new_tables_is_no_fault_of_a_row(tds: TdsServer, open_sink: Opened) -> None:
    tds.hook(Hook("error", match="CREATE TABLE [dbo].[urls]", number=50000, times=999))
    with pytest.raises(StoreError, match=r"making its tables: error 50000.*somebody who may change the database"):
        open_sink()
    tds.hook(Hook("error", match="CREATE TABLE [dbo].[records_books]", number=51000, times=999))
    sink = open_sink()
    sink.write([visit_of(number, title="x") for number in range(3)]).result(SECONDS)
    wait_until(lambda: "making its tables: error 51000" in sink.outlet.state.problem, SECONDS)
    assert (sink.outlet.state.refused, sink.outlet.state.reachable) == (0, False)
    tds.hook()
    assert sink.outlet.is_empty_within(SECONDS)
    assert tds.count("records_books") == 3


def test_what_a_server_says_of_a_login_is_no_fault_of_a_row(tds: TdsServer, open_sink: Opened) -> None:
    sink = open_sink(GWC_MSSQL_RETRY_SECONDS=0.05)
    tds.hook(Hook("error", match="login", number=51000, times=8))
    sink.write([visit_of(number, title="x") for number in range(3)]).result(SECONDS)
    assert sink.outlet.is_empty_within(SECONDS)
    assert (sink.outlet.state.refused, tds.count("pages")) == (0, 3)


def test_an_end_right_behind_the_last_batches_waits_for_them(books_anywhere: Books) -> None:
    books = books_anywhere
    for _ in range(5):
        books.sink.write(books.batch())
    books.sink.close()
    books.assert_balanced()


def test_the_cause_is_told_where_the_time_is_up(tds: TdsServer, open_sink: Opened) -> None:
    """Not that the writer has ended: it was ended."""
    sink = open_sink(GWC_MSSQL_CLOSE_SECONDS=1)
    tds.hook(Hook("delay", match="bulk rows", seconds=60, times=999))
    sink.write([visit_of(1, title="x")]).result(SECONDS)
    with pytest.raises(StoreError, match=r"its time was up \(GWC_MSSQL_CLOSE_SECONDS\)"):
        sink.close()
    assert "process has ended" not in sink.outlet.state.told
    assert sink.outlet.state.waiting_batches == 1


def test_writers_at_the_same_pages_leave_each_once(
    any_server: TdsServer | PostgresServer, open_sink: Opened, tmp_path: Path
) -> None:
    """As after a lease that ran out: two workers, with two writers each, have fetched some pages both."""
    sinks = [open_sink(GWC_MSSQL_WRITERS=2), open_sink(GWC_MSSQL_WRITERS=2)]
    for number in range(0, 60, 10):
        for sink, first in zip(sinks, (number, number + 5), strict=True):
            sink.write([visit_of(n, title=f"T{n}", tags=["a"]) for n in range(first, first + 10)]).result(SECONDS)
    for sink in sinks:
        sink.close()
        assert (sink.outlet.state.written, sink.outlet.state.refused) == (60, 0)
    counts = [any_server.count(table) for table in ("pages", "records_books", "exceptions", "link_ids", "urls")]
    assert counts == [65, 65, 65, 130, 67]
    counted = "SELECT sum(link_count) FROM dbo.sites WHERE name {} 'books'"  # a site that was found, and the own one
    assert [any_server.rows(counted.format(sign)) for sign in ("<>", "=")] == [[(65,)], [(130,)]]


def test_a_row_that_postgres_refuses_is_kept_apart_and_the_others_are_stored(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    """Also by a rule of somebody's function; one that is against new tables blames no row."""
    sink = PostgresSink(SinkConfig("books", tmp_path, SHAPE, {**SETTINGS, **postgres.settings}))
    sink.write([visit_of(0, title="first")]).result(SECONDS)
    assert sink.outlet.is_empty_within(SECONDS)
    postgres.run("ALTER TABLE records_books ADD CONSTRAINT no_poison CHECK (title <> 'poison')")
    postgres.run(
        "CREATE FUNCTION rule() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN IF NEW.title = 'odd' THEN RAISE EXCEPTION 'not this one'; END IF; RETURN NEW; END $$; "
        "CREATE TRIGGER rule BEFORE INSERT ON records_books FOR EACH ROW EXECUTE FUNCTION rule()"
    )
    sink.write([visit_of(n, title={3: "poison", 4: "odd"}.get(n, "good")) for n in range(1, 8)]).result(SECONDS)
    assert sink.outlet.is_empty_within(SECONDS)
    assert (sink.outlet.state.refused, postgres.count("records_books")) == (2, 6)
    reasons = [json.loads(one.read_text())["reason"] for one in (tmp_path / "postgres" / "refused").glob("*.json")]
    assert sorted("no_poison" in one or "not this one" in one for one in reasons) == [True, True]
    sink.close()


def test_a_wrong_login_at_postgres_ends_it_at_once_and_is_not_shown(
    postgres: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("PGPASSWORD", "wrong-one")
    with pytest.raises(StoreError, match=r"PostgreSQL at .* refuses user crawler.*mend GWC_POSTGRES_URL") as caught:
        PostgresSink(SinkConfig("books", tmp_path, SHAPE, {**SETTINGS, **postgres.settings}))
    assert "wrong-one" not in str(caught.value) + caplog.text
    with pytest.raises(InputError, match="GWC_POSTGRES_URL names no PostgreSQL"):
        PostgresSink(SinkConfig("books", tmp_path, SHAPE, {**SETTINGS, "GWC_POSTGRES_URL": "mysql://x/y"}))


def test_it_is_told_who_holds_up_the_tables_of_postgres(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "LOCK_SECONDS", 0.05)
    config = OutletConfig.from_settings({**SETTINGS, **postgres.settings}, "postgres").server
    told = "another process is changing its tables"
    with (
        closing(driver.PostgresConnection(config)) as one,
        closing(driver.PostgresConnection(config)) as other,
        one.locked("tables"),
        pytest.raises(ServerFault, match=told),
        other.locked("tables"),
    ):
        pass


def test_values_arrive_at_postgres_as_they_were(postgres: PostgresServer, tmp_path: Path) -> None:
    sink = PostgresSink(SinkConfig("books", tmp_path, SHAPE, {**SETTINGS, **postgres.settings}))
    odd = "黑🙂\0\ud800'; DROP TABLE x --  [a] N'b' 0x0a #c"
    long = "长" * 300_000 + "\\\n"
    visit = visit_of(1, title=odd, price=11.48, born="2010-06", tags=["a", {"b": "c"}])
    visit.page.text = long
    sink.write([visit, visit_of(2, title="", price=None, born="2010-06-12T08:00:00+02:00", tags=[])]).result(SECONDS)
    sink.close()
    assert postgres.rows("SELECT title, price, born, tags FROM dbo.records_books ORDER BY url") == [
        (odd.replace("\0", "\ufffd").replace("\ud800", "\ufffd"), "11.4800000000", "2010-06-01 00:00:00.000000",
         '["a", {"b": "c"}]'),
        ("", None, "2010-06-12 06:00:00.000000", "[]"),
    ]  # fmt: skip
    key, body = postgres.rows(f"SELECT url_id, body FROM dbo.pages WHERE url = '{url_of(1)}'")[0]  # noqa: S608
    assert body == long
    assert postgres.rows(f"SELECT DECODE(MD5('books ' || '{url_of(1)}'), 'hex')") == [(key,)]


def test_columns_that_people_made_in_postgres_keep_their_types_and_get_what_fits(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    postgres.run(
        "CREATE TABLE records_books (url_id BYTEA PRIMARY KEY, url TEXT NOT NULL, fetched_at TIMESTAMP NOT NULL, "
        "title VARCHAR(6), price NUMERIC, born TIMESTAMPTZ, tags JSONB, a BOOLEAN, b INT, c DATE, d UUID, e REAL)"
    )
    shape = RecordShape((*SHAPE.columns, "a", "b", "c", "d", "e"))
    sink = PostgresSink(SinkConfig("books", tmp_path, shape, {**SETTINGS, **postgres.settings}))
    key = "12345678-1234-5678-1234-567812345678"
    fits = {"title": "黑 ", "price": "12345.678", "born": "2010-06-12T08:00:00+02:00", "a": "1", "b": 7}
    visits = [
        visit_of(1, **fits, c="2010-06", d=key, e=0.5, tags=None),
        visit_of(2, title="too long", price="no", born="x", a="maybe", b=7.5, c="x", d="x", e="x", tags=["x"]),
    ]
    sink.write(visits).result(SECONDS)
    sink.close()
    first, second = postgres.rows("SELECT title, price, born, a, b, c, d, e, tags FROM dbo.records_books ORDER BY url")
    assert first[:2] == ("黑 ", "12345.678")
    assert first[2].startswith("2010-06-12 06:00:00")
    assert [str(one) for one in first[3:]] == ["True", "7", "2010-06-01", key, "0.5", "None"]
    assert second == (None,) * 9
    told = postgres.rows("SELECT field FROM dbo.exceptions WHERE reason LIKE 'not stored: %' ORDER BY field")
    assert [field for (field,) in told] == ["a", "b", "born", "c", "d", "e", "price", "tags", "title"]


def test_a_procedure_of_postgres_gets_title_and_content_once(postgres: PostgresServer, tmp_path: Path) -> None:
    postgres.run("CREATE TABLE kept (title TEXT, content TEXT)")
    postgres.run(
        "CREATE PROCEDURE save(title TEXT, content TEXT) LANGUAGE sql AS "
        "'INSERT INTO kept (title, content) VALUES ($1, $2)'"
    )
    settings = {**SETTINGS, **postgres.settings, "GWC_MSSQL_PROCEDURE": "save"}
    sink = PostgresSink(SinkConfig("books", tmp_path, SHAPE, settings))
    for _ in range(2):
        sink.write([visit_of(1, title="x")]).result(SECONDS)
    sink.close()
    assert postgres.rows("SELECT title, content FROM kept") == [("Page 1", "正文 text")]


def test_the_suite_on_somebodys_server_leaves_nothing_there(tds: TdsServer, tmp_path: Path) -> None:
    """As `GWC_TEST_MSSQL` has it run: each test in a schema of its own, which is dropped with all that is in it."""
    if tds.process is None:
        pytest.skip("it runs there")
    url = f"mssql://{tds.user}:{quote(tds.password)}@127.0.0.1:{tds.port}/{tds.database}?encryption=off"
    theirs = RealServer(url)
    theirs.new_database()
    settings = {**SETTINGS, **theirs.settings}
    sink = SINKS["mssql"](SinkConfig("books", tmp_path, SHAPE, settings))
    sink.write([visit_of(1, title="x")]).result(SECONDS)
    sink.close()
    theirs.run("CREATE PROCEDURE [dbo].[keep] @title NVARCHAR(MAX), @content NVARCHAR(MAX) AS SELECT 1 AS kept")
    assert theirs.rows("SELECT title FROM dbo.records_books") == [("x",)]
    assert theirs.count("pages") == 1
    made = "SELECT name FROM sqlite_schema WHERE name LIKE 't%.%' UNION ALL SELECT name FROM sys_procedures"
    assert len(tds.rows(made)) > 10
    theirs.new_database()
    assert tds.rows(made) == []

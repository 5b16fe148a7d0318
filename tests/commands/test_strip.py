"""`scrapy strip` as a person runs it: what it prints, its exit codes, Ctrl-C once and twice."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
from contextlib import closing

import pytest

from gwc_crawler.page.strip import strip_tags
from tests.conftest import Project, ended

PAGE = "<title>t</title><nav>menu</nav><p>Page {number}</p>"
LONG = "<p><b>x</b>" * 500


@pytest.fixture
def table(project: Project) -> str:
    """A table with 3,000 pages, which is a second of work."""
    path = project.directory / "pages.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE pages (url TEXT PRIMARY KEY, content TEXT)")
        rows = ((f"http://a.example/{one}", PAGE.format(number=one) + LONG) for one in range(3000))
        connection.executemany("INSERT INTO pages VALUES (?, ?)", rows)
        connection.commit()
    return f"sqlite:{path}"


def stripped(project: Project) -> dict[str, str]:
    with closing(sqlite3.connect(project.directory / "out.db")) as connection:
        return dict(connection.execute("SELECT url, content FROM stripped").fetchall())


def test_it_tells_what_it_did_and_how_long_each_part_took(project: Project, table: str) -> None:
    outcome = project.scrapy("strip", "--from", table, "--to", "sqlite:out.db", "-s", "GWC_STRIP_GROUPS=head,nav")
    assert (outcome.code, outcome.err) == (0, "")
    for told in ("stripped  3,000 pages in", "buffer holds 1,000 pages", "inside", "outside", "read", "strip", "write"):
        assert told in outcome.out
    content = PAGE.format(number=7) + LONG
    assert stripped(project)["http://a.example/7"] == strip_tags(content, ["head", "nav"])
    again = project.scrapy("strip", "--from", table, "--to", "sqlite:out.db", "--json")
    told = json.loads(again.out)
    assert (told["pages"], told["done_before"], told["stopped"]) == (0, 3000, False)
    assert set(told["operations"]) == {"list", "look up"}


def test_the_sizes_are_settings(project: Project, table: str) -> None:
    sizes = ("GWC_STRIP_ROWS=30", "GWC_STRIP_BLOCK_PAGES=7", "GWC_STRIP_BLOCKS=5")
    options = [word for size in sizes for word in ("-s", size)]
    outcome = project.scrapy("strip", "--from", table, "--to", "sqlite:out.db", *options)
    assert "buffer holds 35 pages" in outcome.out
    assert len(stripped(project)) == 3000


@pytest.mark.parametrize(
    ("size", "words"),
    [
        ("GWC_STRIP_ROWS=2000", "has no room for 2000 rows; set GWC_STRIP_ROWS to 1000, or raise one of them"),
        ("GWC_STRIP_BLOCKS=0", "setting GWC_STRIP_BLOCKS is '0'; it can be a whole number, 1 or more"),
    ],
)
def test_a_size_that_can_not_be_is_refused(project: Project, table: str, size: str, words: str) -> None:
    outcome = project.scrapy("strip", "--from", table, "--to", "sqlite:out.db", "-s", size)
    assert outcome.code == 2
    assert words in outcome.err
    assert not (project.directory / "out.db").exists()


@pytest.mark.parametrize("signals", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_ctrl_c_loses_nothing(project: Project, table: str, signals: int) -> None:
    process = project.start("strip", "--from", table, "--to", "sqlite:out.db", "-s", "GWC_PROGRESS=on")
    written = project.directory / "out.db-wal"
    while not (written.exists() and written.stat().st_size > 200_000):
        assert process.poll() is None
    for _ in range(signals):
        os.kill(process.pid, signal.SIGINT)
    outcome = ended(process)
    assert outcome.code == 130
    assert "finishing the pages at work" in outcome.err
    if signals == 1:
        assert f"stripped  {len(stripped(project)):,} pages" in outcome.out
    assert project.scrapy("strip", "--from", table, "--to", "sqlite:out.db").code == 0
    assert len(stripped(project)) == 3000


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((), 2, "name where pages are read and where they go: --from sqlite:PATH"),
        (("--from", "dir:empty", "--to", "sqlite:out.db"), 2, "--from dir:empty: no page waits there"),
        (("--from", "dir:.", "--to", "sqlite:/proc/out.db"), 5, "/proc/out.db"),
        (("--from", "dir:.", "--to", "sqlite:o.db", "-s", "GWC_STRIP_GROUPS=hed"), 2, "did you mean 'head'"),
    ],
)
def test_mistakes_are_told_in_a_line(project: Project, arguments: tuple[str, ...], code: int, message: str) -> None:
    (project.directory / "empty").mkdir()
    (project.directory / "page.html").write_text("<p>x")
    outcome = project.scrapy("strip", *arguments)
    assert outcome.code == code
    assert message in outcome.err
    assert "Traceback" not in outcome.err

"""`scrapy export` and `scrapy view`: what is stored, as files and on the terminal."""

from __future__ import annotations

import json
import shutil
import signal
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.commands.stored_shop import store_shop
from tests.conftest import Project, ended
from tests.site_server import SiteServer


@pytest.fixture
def crawled(project: Project) -> Project:
    """A shop as a crawl leaves it."""
    store_shop(project)
    return project


def stored(project: Project) -> list[tuple[Any, ...]]:
    return project.rows("SELECT url, title FROM records_shop ORDER BY url", name="shop")


def test_an_export_has_all_records_and_may_be_done_again(crawled: Project) -> None:
    path = crawled.directory / "out.jsonl"
    for _ in range(2):
        told = json.loads(crawled.scrapy("export", "shop", "-o", "out.jsonl", "--json").out)
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        assert [(row["url"], row["title"]) for row in rows] == stored(crawled)
        assert told["rows"] == len(rows)
    package = json.loads((crawled.directory / "datapackage.json").read_text(encoding="utf-8"))
    (resource,) = package["resources"]
    assert [field["name"] for field in resource["schema"]["fields"]] == list(rows[0])
    assert resource["bytes"] == path.stat().st_size
    assert resource["schema"]["primaryKey"] == ["url"]


def test_what_somebody_else_wrote_is_left_alone(crawled: Project) -> None:
    path = crawled.directory / "out.csv"
    path.write_text("mine", encoding="utf-8")
    outcome = crawled.scrapy("export", "shop", "-o", "out.csv")
    assert outcome.code == 2
    assert "-O overwrites" in outcome.err
    assert path.read_text(encoding="utf-8") == "mine"
    (crawled.directory / "datapackage.json").write_text('{"resources": []}', encoding="utf-8")
    outcome = crawled.scrapy("export", "shop", "-O", "out.csv")
    assert outcome.code == 0
    assert (crawled.directory / "datapackage.json").read_text(encoding="utf-8") == '{"resources": []}'
    assert (crawled.directory / "out.csv.datapackage.json").exists()
    path.write_text("edited", encoding="utf-8")
    assert crawled.scrapy("export", "shop", "-o", "out.csv").code == 2


def test_to_standard_output(crawled: Project) -> None:
    chosen = crawled.scrapy("export", "shop", "-o", "-", "--fields", "url", "--where", f"url={stored(crawled)[0][0]}")
    assert json.loads(chosen.out) == {"url": stored(crawled)[0][0]}
    table = crawled.scrapy("export", "shop", "-o", "-", "--format", "csv", "--fields", "title")
    assert table.code == 0, table.err
    assert table.out.splitlines()[0] == "title"
    assert len(table.out.splitlines()) == len(stored(crawled)) + 1


def test_since_leaves_out_what_was_there_before(crawled: Project) -> None:
    def count(since: str) -> int:
        told: dict[str, Any] = json.loads(
            crawled.scrapy("export", "shop", "-O", "out.csv", "--since", since, "--json").out
        )
        return int(told["rows"])

    assert (count("1h"), count("2099-01-01"), count("2001-01-01T10:00Z")) == (
        len(stored(crawled)),
        0,
        len(stored(crawled)),
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["shop"], "-o FILE"),
        (["shop", "-o", "a.docx"], "there is no format"),
        (["shop", "-o", "noending"], "--format"),
        (["shop", "-o", "a.csv", "--fields", "titel"], "did you mean title"),
        (["shop", "-o", "a.csv", "--since", "soon"], "is no time"),
        (["shop", "-o", "a.csv", "--where", "title"], "is no condition"),
        (["shop", "-o", "a.csv", "--where", "tilte=x"], "did you mean title"),
        (["shop", "-o", "-", "--format", "sqlite"], "can't go to standard output"),
        (["shop", "-o", "a.parquet.gz"], "compressed already"),
        (["nobody", "-o", "a.csv"], "no site or spider"),
    ],
)
def test_mistakes_are_said_in_words(crawled: Project, arguments: list[str], said: str) -> None:
    outcome = crawled.scrapy("export", *arguments)
    assert outcome.code == 2
    assert said in outcome.err
    assert "Traceback" not in outcome.err
    assert sorted(path.name for path in crawled.directory.iterdir() if path.is_file()) == []


@pytest.mark.parametrize("name", ["data/shop/crawl.db", "other.db"])
def test_no_option_overwrites_what_a_crawl_lives_by(crawled: Project, name: str) -> None:
    path = crawled.directory / name
    copy = not path.exists()
    if copy:
        path.write_bytes((crawled.directory / "data/shop/crawl.db").read_bytes())
    before = path.read_bytes()
    outcome = crawled.scrapy("export", "shop", "-O", name, "--format", "sqlite", "--no-schema")
    assert (outcome.code, "keeps its state" in outcome.err, path.read_bytes() == before) == (2, True, True), outcome.err
    if copy:
        path.unlink()


@pytest.mark.parametrize("arguments", [("export", "shop", "-o", "-"), ("status", "shop"), ("view", "shop")])
def test_a_standard_output_that_is_full(crawled: Project, arguments: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        outcome = ended(crawled.start(*arguments, stdout=full), 60)
    assert outcome.code == 5
    assert (
        outcome.err.splitlines()[-1] == "standard output can't be written: No space left on device; lead it elsewhere"
    )
    assert "Traceback" not in outcome.err


def test_a_directory_that_is_not_there(crawled: Project) -> None:
    outcome = crawled.scrapy("export", "shop", "-o", "nowhere/a.csv")
    assert (outcome.code, "make it first" in outcome.err) == (5, True)


def test_before_the_first_crawl(project: Project, site: SiteServer) -> None:
    project.write_graph_site(site.url)
    outcome = project.scrapy("export", "graph", "-o", "a.csv")
    assert (outcome.code, "not crawled yet" in outcome.err) == (2, True)


def test_what_kill_leaves_behind_is_written_anew(crawled: Project) -> None:
    process = crawled.start("export", "shop", "-o", "out.csv", "--where", "title!=x", stdin=subprocess.DEVNULL)
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=60)
    (crawled.directory / ".out.csv.part").write_bytes(b"half a li")
    assert crawled.scrapy("export", "shop", "-O", "out.csv").code == 0
    assert not (crawled.directory / ".out.csv.part").exists()
    assert len((crawled.directory / "out.csv").read_text(encoding="utf-8").splitlines()) == len(stored(crawled)) + 1


def test_a_table_of_records(crawled: Project) -> None:
    shown = crawled.scrapy("view", "shop", "--fields", "title", "--limit", "2")
    assert shown.code == 0, shown.err
    assert stored(crawled)[0][1] in shown.out
    assert "there are more" in shown.out
    some = json.loads(crawled.scrapy("view", "shop", "--json", "--limit", "1").out)
    assert [row["url"] for row in some] == [stored(crawled)[0][0]]
    none = crawled.scrapy("view", "shop", "--where", "title=nobody")
    assert (none.code, none.out) == (1, "")


def test_one_record_with_where_its_values_stand(crawled: Project) -> None:
    url, title = stored(crawled)[0]
    told = json.loads(crawled.scrapy("view", "shop", "--url", url, "--json").out)
    assert told["record"]["title"] == title
    assert told["read_by"]["title"]
    assert told["reads_now"] == {}
    assert crawled.scrapy("view", "shop", "--url", "http://nowhere.example/").code == 1
    lines = crawled.scrapy("view", "shop", "--url", url).out
    assert "read by" in lines


def test_the_parts_of_several_machines_are_one_export(crawled: Project, tmp_path: Path) -> None:
    """Each URL once, as it was fetched last; columns of all of them."""
    urls = [url for url, _ in stored(crawled)]
    here, there = crawled.directory / "data", tmp_path / "other"
    shutil.copytree(here, there)
    with closing(sqlite3.connect(here / "shop" / "crawl.db")) as database, database:
        database.execute("DELETE FROM records_shop WHERE url = ?", (urls[0],))
    with closing(sqlite3.connect(there / "shop" / "crawl.db")) as database, database:
        database.execute("DELETE FROM records_shop WHERE url = ?", (urls[1],))
        database.execute(
            "UPDATE records_shop SET title = 'newer', fetched_at = fetched_at + 9 WHERE url = ?", (urls[2],)
        )
        database.execute("ALTER TABLE records_shop ADD COLUMN more TEXT")
        database.execute("UPDATE records_shop SET more = 'there'")
    outcome = crawled.scrapy("export", "shop", "-o", "-", "--merge", str(there), "--fields", "url,title,more")
    assert outcome.code == 0, outcome.err
    rows = [json.loads(line) for line in outcome.out.splitlines()]
    assert [row["url"] for row in rows] == urls
    assert (rows[2]["title"], rows[0]["more"], rows[1]["more"]) == ("newer", "there", None)
    alone = crawled.scrapy("export", "shop", "-o", "-", "--merge", str(there / "shop"), "--merge", str(here))
    assert len(alone.out.splitlines()) == len(urls)
    nowhere = crawled.scrapy("export", "shop", "-o", "-", "--merge", str(tmp_path))
    assert nowhere.code == 2
    assert f"--merge {tmp_path}: there is no shop/crawl.db in it" in nowhere.err

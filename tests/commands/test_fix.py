"""`scrapy fix`: what is said right once is right over all; what is refused, mistyped or stopped changes nothing."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sqlite3
import tomllib
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from tests import started
from tests.conftest import ROOT, Outcome, Project
from tests.processes import kill
from tests.site_server import SiteServer
from tests.small_disk import small_disk
from tests.terminal import Terminal

ASKED = b"Accept? [Y/n] "
WRONG = """# what I want
entry = ["{url}/"]

[[samples]]
url = "{url}/item/1"  # the first
fields = {{ title = "Book 1", price = "$21.00", tags = ["r1", "s1"], maker = "作者1号" }}

[[samples]]
url = "{url}/item/2"
[samples.fields]
title = "Book 2"
price = "$22.00"  # as I saw it
tags = ["r2", "s2"]
maker = "作者2号"

# how
[learn]
pages = 40
"""
"""Both samples say what the books did cost, and what is related for the tags."""
ITEMS = range(1, 15)


def page_of(number: int) -> str:
    tags, others = ("".join(f"<li>{letter}{number}</li>" for letter in letters) for letters in ("tu", "rs"))
    return (
        f"<h2>Book {number}</h2><p>Was <s class='old'>${number + 20}.00</s> now <b class='now'>${number}.50</b></p>"
        f"<ul class='tags'>{tags}</ul><ul class='others'>{others}</ul>"
        f"<p>By <i class='maker'>作者{number}号</i></p><p>Shipping: ${number}.50</p>"
    )


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Project, SiteServer]]:
    """A crawled shop whose samples are wrong."""
    with Project(tmp_path_factory.mktemp("wrong")) as project, SiteServer() as site:
        site.links = {"/": [f"/item/{n}" for n in ITEMS], **{f"/item/{n}": ["/"] for n in ITEMS}}
        site.texts = {f"/item/{n}": page_of(n) for n in ITEMS}
        project.write_site("shop", WRONG.format(url=site.url))
        outcome = project.scrapy("crawl", "shop")
        assert outcome.code == 0, outcome.err
        yield project, site


@pytest.fixture
def url(project: Project, first: tuple[Project, SiteServer]) -> Iterator[str]:
    """The site of the crawled shop, which `project` has; it is asked for nothing."""
    project.copy(first[0])
    first[1].clear()
    yield first[1].url
    assert not first[1].hits


def state(project: Project) -> dict[str, bytes]:
    """What must stay, to the byte."""
    paths = (Path("sites/shop.toml"), Path("data/shop/knowledge.json"))
    return {str(path): (project.directory / path).read_bytes() for path in paths}


def prices(project: Project) -> dict[str, str]:
    rows = project.rows("SELECT url, price FROM records_shop", name="shop")
    return {address.rpartition("/")[2]: price for address, price in rows}


RIGHT = {str(number): f"${number}.50" for number in ITEMS}


def samples(project: Project) -> dict[str, dict[str, Any]]:
    told = tomllib.loads((project.directory / "sites" / "shop.toml").read_text("utf-8"))
    return {one["url"].rpartition("/")[2]: one["fields"] for one in told["samples"]}


def refused(project: Project, code: int, *args: str) -> Outcome:
    """What a call ends with that must change nothing."""
    before = state(project)
    outcome = project.scrapy("fix", "shop", *args)
    assert outcome.code == code, outcome.out + outcome.err
    assert "Traceback" not in outcome.err
    assert state(project) == before
    return outcome


def test_a_value_said_right_on_a_terminal_is_right_over_all(project: Project, url: str) -> None:
    assert prices(project)["5"] == "$25.00"
    before = (project.directory / "sites" / "shop.toml").read_text("utf-8")
    terminal = Terminal(project, "fix", "shop", f"{url}/item/5", "price=$5.50")
    shown = re.sub(r"\x1b\[\d+m", "", terminal.until(ASKED))
    assert "price  $25.00 → $5.50" in shown
    assert f"{url}/item/1, which says otherwise" in shown
    assert "14 another value" in shown
    assert state(project)["sites/shop.toml"].decode() == before
    terminal.answer(b"what?\n")
    terminal.until(ASKED)
    terminal.answer(b"\n")
    code, told = terminal.to_the_end()
    assert code == 0, told
    assert prices(project) == RIGHT
    own = {"title": "Book 5", "price": "$5.50", "tags": ["r5", "s5"], "maker": "作者5号"}
    assert samples(project)["5"] == own
    assert [samples(project)[number]["price"] for number in "12"] == ["$1.50", "$2.50"]
    after = (project.directory / "sites" / "shop.toml").read_text("utf-8")
    assert [line for line in before.splitlines() if "#" in line and line.partition("#")[2] not in after] == []
    again = project.scrapy("fix", "shop", f"{url}/item/5", "price=$5.50")
    assert (again.code, "it is read so already" in again.err) == (0, True)
    assert project.scrapy("learn", "shop", "--offline").code == 0


@pytest.mark.parametrize("end", [b"n\n", b"\x03"])
def test_no_or_ctrl_c_at_the_question_leaves_all_as_it_was(project: Project, url: str, end: bytes) -> None:
    before = state(project)
    terminal = Terminal(project, "fix", "shop", f"{url}/item/5", "price=$5.50")
    terminal.until(ASKED)
    terminal.answer(end)
    assert terminal.to_the_end()[0] == (1 if end == b"n\n" else 130)
    assert state(project) == before


def test_without_a_terminal_it_is_shown_and_yes_accepts(project: Project, url: str) -> None:
    fix = f"{url}/item/1", "price=$1.50"
    assert "--yes accepts" in refused(project, 1, *fix).err
    assert "another value" in refused(project, 0, *fix, "--dry-run").out
    told = json.loads(refused(project, 0, *fix, "--json").out)
    assert (told["accepted"], told["pages"], told["read"]["price"]) == (False, 14, "$21.00")
    assert told["samples"][f"{url}/item/1"] == {"price": "$1.50"}
    done = project.scrapy("fix", "shop", *fix, "--yes")
    assert (done.code, prices(project)) == (0, RIGHT), done.err
    assert samples(project)["1"] | {"price": "$1.50"} == samples(project)["1"]


def test_lists_are_json(project: Project, url: str) -> None:
    told = json.loads(project.scrapy("fix", "shop", f"{url}/item/3", 'tags=["t3", "u3"]', "--json").out)
    said = {address.rpartition("/")[2]: fields["tags"] for address, fields in told["samples"].items()}
    assert said == {"1": ["t1", "u1"], "2": ["t2", "u2"], "3": ["t3", "u3"]}


def test_what_a_given_value_may_lack_is_told_before_it_is_accepted(project: Project, url: str) -> None:
    told = project.scrapy("fix", "shop", f"{url}/item/3", "price=3.50", "--dry-run").out
    assert "warning  field 'price': '3.50' is a part of a longer text: '$3.50'" in told


def test_what_no_rule_reads_is_refused_with_what_helps(project: Project, url: str) -> None:
    told = refused(project, 4, f"{url}/item/3", "maker=").err
    assert f"field 'maker': what is learned with it reads '作者3号' on {url}/item/3, not nothing" in told
    assert "[fields.maker] css = …" in told
    assert "tags  2 × r3 → –" in project.scrapy("fix", "shop", f"{url}/item/3", "tags=[]").out


MISTAKES = (
    (2, ("{url}/item/5", "pirce=$5.50"), "shop has no field 'pirce' (did you mean 'price'?)"),
    (2, ("{url}/item/5", "price"), "write field=\"value\""),
    (2, ("{url}/itm/5", "price=$5.50"), "did you mean '{url}/item/5'?"),
    (2, ("item 5", "price=$5.50"), "is no http or https address"),
    (2, ("{url}/itm/5", "price=$5.50"), "crawl it first: scrapy queue shop add {url}/itm/5, then scrapy crawl shop"),
    (2, ("http://else.example/far/away/page.html", "price=$5.50"), "crawl it first"),
    (2, ("{url}/item/5", "price=$5.55", "price=$5.50"), "field 'price' is given twice"),
    (2, ("{url}/item/5", "tags=[3]"), "an item of field 'tags' is the number 3; write it in quotes"),
    (2, ("{url}/item/5", 'tags=[{{"a": "b"}}]'), 'write it as JSON: tags=\'["first", "second"]\''),
    (4, ("{url}/item/5", "price=$5.55"), "'$5.55' is nowhere on {url}/item/5; the closest text there is '$5.50'"),
    (4, ("{url}/item/5", "maker=作者五号"), "the closest text there is '作者5号'"),
    (4, ("{url}/item/5", 'tags=["t5", "w5"]'), "the value 'w5' is nowhere on {url}/item/5"),
    (4, ("{url}/item/5", 'tags=["t5"]'), 'not \'["t5"]\': no rule reads all samples'),
)  # fmt: skip


def test_mistakes_are_told_with_what_helps(project: Project, url: str) -> None:
    for code, words, told in MISTAKES:
        assert told.replace("{url}", url) in refused(project, code, *(word.format(url=url) for word in words)).err


def test_a_field_by_hand_is_corrected_there(project: Project, url: str) -> None:
    path = project.directory / "sites" / "shop.toml"
    path.write_text(path.read_text("utf-8") + '\n[fields.price]\ncss = ".old"\n', "utf-8")
    assert "correct it in sites/shop.toml:20" in refused(project, 2, f"{url}/item/5", "price=$5.50").err


def test_a_site_without_a_store_says_what_to_do(project: Project) -> None:
    project.write_site("shop", WRONG.format(url="http://127.0.0.1:9"))
    told = project.scrapy("fix", "shop", "http://127.0.0.1:9/item/5", "price=$5.50")
    assert (told.code, "nothing is learned about 'shop' yet" in told.err) == (2, True)


def test_a_page_that_the_crawl_alone_has_is_learned_from(project: Project, url: str) -> None:
    """And later by `scrapy learn`, too."""
    with closing(sqlite3.connect(project.directory / "data" / "shop" / "samples.db")) as connection, connection:
        connection.execute("UPDATE pages SET html = NULL WHERE url = ?", (f"{url}/item/5",))
    assert project.scrapy("fix", "shop", f"{url}/item/5", "price=$5.50", "--yes").code == 0
    assert prices(project) == RIGHT
    assert project.scrapy("learn", "shop", "--offline").code == 0


def test_beside_a_crawl_the_records_are_left_to_a_later_look(
    project: Project, first: tuple[Project, SiteServer]
) -> None:
    project.copy(first[0])
    site = first[1]
    site.delays["/"] = 600.0
    crawl = project.start("crawl", "shop", "-a", "recrawl=all", settings={"DOWNLOAD_TIMEOUT": 600})
    site.wait_for("/")
    told = project.scrapy("fix", "shop", f"{site.url}/item/5", "price=$5.50", "--yes")
    assert (told.code, "the records stay as they are" in told.err) == (0, True), told.err
    assert "a crawl that runs goes on as it began; then `scrapy extract shop` brings them up to date" in told.err
    kill(crawl)
    site.delays.clear()
    assert len(samples(project)) == 3
    assert project.scrapy("extract", "shop").code == 0
    assert prices(project) == RIGHT


def test_a_kill_while_it_learns_leaves_all_whole_and_the_same_runs_again(project: Project, url: str) -> None:
    before = state(project)
    fix = "fix", "shop", f"{url}/item/5", "price=$5.50", "--yes"
    process = project.start(*fix)
    assert process.stderr is not None
    process.stderr.readline()
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert state(project) == before
    assert project.scrapy(*fix).code == 0
    assert prices(project) == RIGHT


STEPS = (
    ("gwc_crawler.runs.correction", "", "keep_learned"),
    ("gwc_crawler.knowledge.model", ".Knowledge", "save"),
    ("gwc_crawler.sites.editing", "", "write_whole"),
    ("gwc_crawler.runs.learning", "", "keep_previous"),
    ("gwc_crawler.commands.fix", "", "extract"),
)
"""What is to come next when the process dies, in the order in which it is done."""


@pytest.mark.parametrize(("module", "owner", "name"), STEPS)
def test_who_dies_between_two_writes_leaves_both_files_whole_and_does_the_same_again(
    project: Project, url: str, module: str, owner: str, name: str
) -> None:
    words = ["fix", "shop", f"{url}/item/5", "price=$5.50", "--yes"]
    environment = {**os.environ, "SCRAPY_SETTINGS_MODULE": "settings_profiles.local", "PYTHONPATH": str(ROOT)}
    place = (module, owner, name)
    died = started.run("tests.commands.dying", *place, *words, cwd=project.directory, env=environment)
    assert died.returncode == 9, died.stderr
    assert project.knowledge("shop")["wrapper"]["fields"]
    assert len(samples(project)) == (3 if name in ("keep_previous", "extract") else 2)
    assert project.scrapy(*words).code == 0
    assert project.scrapy("extract", "shop").code == 0
    assert prices(project) == RIGHT


@pytest.mark.parametrize("full", ["data", "sites"])
def test_a_full_disk_leaves_both_files_as_they_were_and_asks_for_room(project: Project, url: str, full: str) -> None:
    aside = project.directory / "aside"
    shutil.copytree(project.directory / full, aside)
    with small_disk(project.directory / full, 4) as mounted:
        if not mounted:
            pytest.skip("a small disk can only be mounted by root")
        shutil.copytree(aside, project.directory / full, dirs_exist_ok=True)
        with suppress(OSError), (project.directory / full / "rest").open("wb", buffering=0) as rest:
            while rest.write(bytes(4096)):
                pass
        told = refused(project, 5, f"{url}/item/5", "price=$5.50", "--yes").err
    assert "(No space left on device); make room on its disk" in told


def test_the_same_again_reads_the_records_again(project: Project, url: str) -> None:
    """Who was stopped behind the writing runs it for that."""
    fix = "fix", "shop", f"{url}/item/1", "price=$1.50", "--yes"
    assert project.scrapy(*fix).code == 0
    again = project.scrapy(*fix)
    assert (again.code, "it is read so already" in again.err) == (0, True)
    assert "stored pages were read again" in again.err
    assert prices(project) == RIGHT


def test_two_corrections_at_once_lose_neither(project: Project, url: str) -> None:
    both = [
        project.start("fix", "shop", f"{url}/item/{number}", f"title=Book {number}", f"price=${number}.50", "--yes")
        for number in (4, 5)
    ]
    codes = [one.communicate(timeout=60) and one.returncode for one in both]
    accepted = [number for number, code in zip("45", codes, strict=True) if code == 0]
    assert accepted
    assert set(codes) <= {0, 2}
    assert set(accepted) <= set(samples(project))


def test_broken_json_is_told(project: Project, url: str) -> None:
    assert "is no JSON" in refused(project, 2, f"{url}/item/3", 'tags=["t3", "u3"').err

"""`scrapy new`: a file that is filled in, or one to fill in; written once, and whole."""

from __future__ import annotations

import json
import tomllib

import pytest

from tests.conftest import Project
from tests.learn.propose.pages import NAMES, dish, front
from tests.site_server import SiteServer


def test_a_new_site_file_is_written_and_its_gaps_are_named(project: Project) -> None:
    outcome = project.scrapy("new", "https://www.books.example.com/product/1", "--blank")
    assert (outcome.code, outcome.err) == (0, "")
    path = project.directory / "sites" / "books.example.com.toml"
    assert 'entry = ["https://www.books.example.com/"]' in path.read_text()
    assert "scrapy learn books.example.com" in outcome.out
    learned = project.scrapy("learn", "books.example.com")
    assert learned.code == 2
    assert "books.example.com.toml:" in learned.err


def test_an_existing_file_is_never_touched(project: Project) -> None:
    path = project.write_site("books", "mine")
    outcome = project.scrapy("new", "https://books.example.com/", "--name", "books", "--blank")
    assert outcome.code == 2
    assert "exists already" in outcome.err
    assert path.read_text() == "mine"


@pytest.mark.parametrize(
    "arguments, word",
    [
        (("ftp://a.example/",), "http"),
        (("https://a.example/", "--name", "../evil"), "can't be a site's name"),
        ((), "name one address"),
        (("https://a.example/", "--nmae=x"), "unknown option --nmae=x"),
    ],
)
def test_what_cannot_be_written_is_said_in_a_line(project: Project, arguments: tuple[str, ...], word: str) -> None:
    outcome = project.scrapy("new", *arguments)
    assert outcome.code == 2
    assert word in outcome.err
    assert "Traceback" not in outcome.err
    assert not (project.directory / "sites").exists()


def test_the_chosen_name_stands_in_the_file(project: Project) -> None:
    project.scrapy("new", "https://a.example/", "--name", "shop", "--blank")
    assert "scrapy learn shop" in (project.directory / "sites" / "shop.toml").read_text()


@pytest.fixture
def shop(site: SiteServer) -> SiteServer:
    """The dishes of the proposals' tests, served."""
    site.bodies["/"] = (front().encode(), "text/html")
    for number in range(len(NAMES)):
        site.bodies[f"/dish/{number}.html"] = (dish(number).encode(), "text/html")
    return site


def test_a_site_file_is_proposed_written_and_crawled(project: Project, shop: SiteServer) -> None:
    shown = project.scrapy("new", f"{shop.url}/", "--dry-run", "--name", "dishes")
    assert shown.code == 0, shown.err
    assert not (project.directory / "sites").exists()
    told = project.scrapy("new", f"{shop.url}/", "--name", "dishes", "--json")
    answer = json.loads(told.out)
    text = (project.directory / answer["file"]).read_text(encoding="utf-8")
    assert text == shown.out
    assert tomllib.loads(text)["samples"][0]["fields"] == answer["samples"][0]["fields"]
    assert project.scrapy("crawl", "dishes").code == 0
    rows = project.rows("SELECT title, price FROM records_dishes", name="dishes")
    assert sorted(map(tuple, rows)) == sorted((name, f"${number + 7}.50") for number, name in enumerate(NAMES))


def test_a_site_that_cannot_be_had_leaves_no_file(project: Project, shop: SiteServer) -> None:
    outcome = project.scrapy("new", f"{shop.url}/gone.html", "--name", "gone")
    assert (outcome.code, outcome.err.count("\n")) == (3, 1)
    assert "404" in outcome.err
    assert not (project.directory / "sites" / "gone.toml").exists()


def test_force_overwrites_and_a_file_can_be_named(project: Project, shop: SiteServer) -> None:
    path = project.write_site("books", "mine")
    outcome = project.scrapy("new", f"{shop.url}/dish/1.html", "-O", str(path), "--force")
    assert outcome.code == 0, outcome.err
    assert "[[samples]]" in path.read_text(encoding="utf-8")

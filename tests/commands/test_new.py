"""`scrapy new`: a file to fill in, written once, whose mistakes are then named one by one."""

from __future__ import annotations

import pytest

from tests.conftest import Project


def test_a_new_site_file_is_written_and_its_gaps_are_named(project: Project) -> None:
    outcome = project.scrapy("new", "https://www.books.example.com/product/1")
    assert (outcome.code, outcome.err) == (0, "")
    path = project.directory / "sites" / "books.example.com.toml"
    assert 'entry = ["https://www.books.example.com/"]' in path.read_text()
    assert "scrapy learn books.example.com" in outcome.out
    learned = project.scrapy("learn", "books.example.com")
    assert learned.code == 2
    assert "books.example.com.toml:" in learned.err


def test_an_existing_file_is_never_touched(project: Project) -> None:
    path = project.write_site("books", "mine")
    outcome = project.scrapy("new", "https://books.example.com/", "--name", "books")
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
    project.scrapy("new", "https://a.example/", "--name", "shop")
    assert "scrapy learn shop" in (project.directory / "sites" / "shop.toml").read_text()

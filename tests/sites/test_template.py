"""The starter site file: right for its address, led by its own mistakes, good once filled in."""

from __future__ import annotations

from pathlib import Path

import pytest

from gwc_crawler.errors import InputError, SiteFileError
from gwc_crawler.sites.site_files import load_site, site_template, suggest_site_name

URL = "https://www.books.example.com/product/1?a=b"


def fill_in(text: str) -> str:
    text = text.replace('url = ""', 'url = "https://www.books.example.com/product/2"')
    for title in ("Thor", "From Dead to Worse"):
        text = text.replace('title = ""', f'title = "{title}"', 1)
    return text


def test_filled_in_it_is_a_good_site_file(tmp_path: Path) -> None:
    path = tmp_path / f"{suggest_site_name(URL)}.toml"
    path.write_text(fill_in(site_template(URL)), encoding="utf-8")
    site = load_site(path)
    assert site.entry == ("https://www.books.example.com/",)
    assert [sample.url for sample in site.samples] == [URL, "https://www.books.example.com/product/2"]
    assert [sample.fields for sample in site.samples] == [{"title": "Thor"}, {"title": "From Dead to Worse"}]
    assert site.warnings == ()


def test_every_commented_line_works_when_it_is_switched_on(tmp_path: Path) -> None:
    lines = fill_in(site_template(URL)).splitlines()
    switched = [
        line.removeprefix("# ") if line.startswith("# ") and (" = " in line or "[" in line[:3]) else line
        for line in lines
    ]
    path = tmp_path / "books.toml"
    path.write_text("\n".join(switched), encoding="utf-8")
    site = load_site(path)
    assert site.keywords and site.types and site.settings and site.crawl.max_pages == 1000
    assert site.field_names == ("title", "price", "authors", "reviews")


def test_what_is_not_filled_in_is_named(tmp_path: Path) -> None:
    path = tmp_path / "books.toml"
    path.write_text(site_template("https://books.example.com"), encoding="utf-8")
    with pytest.raises(SiteFileError) as caught:
        load_site(path)
    assert [text.partition(";")[0] for _, text in caught.value.problems] == [
        "url is empty",
        "field 'title' is empty",
        "url is empty",
        "field 'title' is empty",
    ]


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://www.Example.com/x", "example.com"),
        ("http://127.0.0.1:8765/", "127.0.0.1-8765"),
        ("http://[::1]:80/", "1"),
        ("https://bücher.example/", "xn--bcher-kva.example"),
    ],
)
def test_the_suggested_name_can_be_a_spider(url: str, name: str, tmp_path: Path) -> None:
    assert suggest_site_name(url) == name
    path = tmp_path / f"{name}.toml"
    path.write_text(f'entry = "{url}"\nkeywords = "x"\n', encoding="utf-8")
    assert load_site(path).name == name


@pytest.mark.parametrize("url", ["books.example.com", "ftp://x/", ""])
def test_what_is_no_address_is_said(url: str) -> None:
    with pytest.raises(InputError, match="is no http or https address"):
        site_template(url)

"""What a good site file gives: values, defaults, warnings, scope."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gwc_crawler.knowledge.patterns import UrlPattern
from gwc_crawler.sites.schema import CrawlOptions, LearnOptions, SampleSpec, Site
from gwc_crawler.sites.site_files import find_site_files, load_site
from tests.architecture.source import ROOT

REGEX = "https://books[.]example[.]com/product/[0-9]+"
BOOKS = """\
# a comment
entry = ["https://Books.example.com"]
keywords = "ISBN && (Paperback || Hardcover)"     # && || ! ( ), optional

[[samples]]
url = "https://books.example.com/product/9780785143727#top"
fields = { title = "Thor", price = "$11.48", authors = ["Billy Tan", "Ryan Stegman"], cover = "https://…/1.jpg" }

[[samples]]
url = "https://books.example.com/product/9780441015894"
[samples.fields]
title = "From Dead to Worse"
authors = ["Charlaine Harris"]
"语言" = "英文"
reviews = [
    { author = "Ann", text = '''Read it
in one night.''' },
    { author = "Bob" },
]
"""


@pytest.fixture
def load(tmp_path: Path) -> Callable[[str], Site]:
    def load_text(text: str) -> Site:
        path = tmp_path / "books.toml"
        path.write_text(text, encoding="utf-8")
        return load_site(path, known_settings=("DOWNLOAD_DELAY", "GWC_DATA_DIR"))

    return load_text


def test_the_whole_file_arrives(load: Callable[[str], Site]) -> None:
    site = load(BOOKS)
    assert site.name == "books"
    assert site.entry == ("https://books.example.com/",)
    assert site.keywords == "ISBN && (Paperback || Hardcover)"
    assert site.field_names == ("title", "price", "authors", "cover", "语言", "reviews")
    assert site.sites == {"example.com"}
    assert site.samples[0] == SampleSpec(
        "https://books.example.com/product/9780785143727",
        {
            "title": "Thor",
            "price": "$11.48",
            "authors": ["Billy Tan", "Ryan Stegman"],
            "cover": "https://…/1.jpg",
        },
        line=5,
    )
    assert site.samples[1].fields["reviews"] == [{"author": "Ann", "text": "Read it\nin one night."}, {"author": "Bob"}]
    assert (site.learn, site.crawl) == (LearnOptions(), CrawlOptions())
    assert (site.hosts, site.types, site.settings, site.warnings) == ((), {}, {}, ())


def test_every_section_is_read(load: Callable[[str], Site]) -> None:
    site = load(
        'hosts = ["example.org", "http://127.0.0.1:8765/x"]\n'
        + BOOKS
        + "[learn]\npages = 50\nmode = 'paper'\ntarget = '"
        + REGEX
        + "'\n"
        + "[crawl]\nmax_weight = 3\nmax_pages = 100\nmax_depth = 0\n[types]\nprice = 'price'\n"
        + "[settings]\nDOWNLOAD_DELAY = 0.5\nFEEDS = { 'out.csv' = { format = 'csv' } }\n"
    )
    assert site.hosts == ("example.org", "127.0.0.1:8765")
    assert site.sites == {"example.com", "example.org", "127.0.0.1:8765"}
    assert site.learn == LearnOptions(50, "paper", (UrlPattern(REGEX, REGEX),))
    assert site.crawl == CrawlOptions(3, 100, 0)
    assert site.types == {"price": "price"}
    assert site.settings == {"DOWNLOAD_DELAY": 0.5, "FEEDS": {"out.csv": {"format": "csv"}}}


def test_auto_weight_is_the_default(load: Callable[[str], Site]) -> None:
    assert load(BOOKS + '[crawl]\nmax_weight = "auto"\n') == load(BOOKS)


def test_a_single_entry_needs_no_list(load: Callable[[str], Site]) -> None:
    assert load('entry = "http://localhost:81/"\nkeywords = "x"\n').entry == ("http://localhost:81/",)


def test_a_sample_on_a_listed_host_is_in_scope(load: Callable[[str], Site]) -> None:
    site = load(
        'hosts = ["shop.example.org"]\n' + BOOKS.replace("books.example.com/product/978044", "example.org/978044")
    )
    assert site.samples[1].url == "https://example.org/9780441015894"


def test_a_list_type_makes_single_texts_lists(load: Callable[[str], Site]) -> None:
    site = load(BOOKS.replace('["Charlaine Harris"]', '"Charlaine Harris"') + '[types]\nauthors = "list"\n')
    assert site.samples[1].fields["authors"] == ["Charlaine Harris"]


def test_windows_line_ends_and_byte_order_mark_are_no_matter(tmp_path: Path) -> None:
    path = tmp_path / "books.toml"
    path.write_bytes(b"\xef\xbb\xbf" + BOOKS.replace("\n", "\r\n").encode())
    assert load_site(path).samples[1].line == 9


def test_what_a_tracker_has_put_into_an_address_is_no_part_of_it(load: Callable[[str], Site]) -> None:
    site = load(
        'entry = "http://a.example/?gclid=1"\n[[samples]]\nurl = "http://a.example/1?id=3&utm_source=x&utm_medium=y"\n'
        'fields = { t = "x" }\n[[samples]]\nurl = "http://a.example/2?ref=x"\nfields = { t = "y" }\n'
    )
    assert site.starts == ("http://a.example/", "http://a.example/1?id=3", "http://a.example/2?ref=x")
    assert site.warnings == ()


WARNINGS = {
    "one sample": (
        'entry = "http://a.example/"\n[[samples]]\nurl = "http://a.example/1"\nfields = { t = "x" }\n',
        ":2: only one sample: what is common to two pages can't be seen on one; add another [[samples]]",
    ),
    "keywords alone": (
        'entry = "http://a.example/"\nkeywords = "book"\n',
        ": no samples: keywords alone decide which pages are targets, and no records are made",
    ),
    "no fields": (
        'entry = "http://a.example/"\n[[samples]]\nurl = "http://a.example/1"\n[[samples]]\nurl = "http://a.example/2"\n',
        ":2: no sample has fields: target pages are found and stored, but no records are made",
    ),
    "fields in one sample only": (
        (
            'entry = "http://a.example/"\n[[samples]]\nurl = "http://a.example/1"\nfields = { t = "x" }\n'
            '[[samples]]\nurl = "http://a.example/2"\n'
        ),
        ":5: a sample without fields only says that this is a target page; add the values you see there",
    ),
    "a target that one sample does not fit": (
        BOOKS + "[learn]\ntarget = '.*727'\n",
        (
            ":21: target in [learn] does not match the sample https://books.example.com/product/9780441015894"
            " from end to end; mend one of them"
        ),
    ),
}


@pytest.mark.parametrize(("text", "warning"), WARNINGS.values(), ids=WARNINGS.keys())
def test_what_could_be_better_is_a_warning(
    text: str, warning: str, load: Callable[[str], Site], tmp_path: Path
) -> None:
    assert load(text).warnings == (f"{tmp_path / 'books.toml'}{warning}",)


def test_a_setting_of_somebody_else_is_no_matter(load: Callable[[str], Site]) -> None:
    assert load(BOOKS + "[settings]\nSENTRY_DSN = 'x'\n").settings == {"SENTRY_DSN": "x"}


def test_the_documented_example_is_a_good_site_file(tmp_path: Path) -> None:
    _, _, example = (ROOT / "docs/site-files.md").read_text(encoding="utf-8").split("```toml\n", 2)
    path = tmp_path / "books.toml"
    path.write_text(example.partition("```")[0], encoding="utf-8")
    site = load_site(path)
    assert site.warnings == ()
    assert site.field_names == ("title", "price", "reviews", "isbn")


def test_site_files_are_found_by_name(tmp_path: Path) -> None:
    for name in ("b.toml", "a.toml", ".a.toml.swp", ".b.toml", "__init__.py", "c.toml.bak"):
        (tmp_path / name).write_text("")
    (tmp_path / "d.toml").mkdir()
    assert find_site_files(tmp_path) == {"a": tmp_path / "a.toml", "b": tmp_path / "b.toml"}
    assert find_site_files(tmp_path / "nowhere") == {}

"""URL patterns and values of samples are put into a site file in place: what else stands in it stays, to the sign."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gwc_crawler.errors import InputError, SiteFileError, StoreError
from gwc_crawler.sites.editing import add_url_patterns, put_samples, site_with_samples, with_samples, with_url_patterns

TOP = '# what I want\nentry = ["https://a.example/"]  # the front page\nkeywords = "x"\n'
NEW = {"also": ["/b/*"], "exclude": ["/c/*", 're:/"d"']}


@pytest.mark.parametrize(
    "learn",
    [
        "",
        "\n# by hand\n[learn]  # how\npages = 50  # few\n\n[crawl]\nmax_pages = 9\n",
        "[learn]",
        '[learn]\nalso = ["/a/*"]\n',
        '[learn]\nalso = ["/a/*",]  # gifts\nexclude = "/x/*"\n',
        '[learn]\nalso = [\n    "/a/*",  # gifts\n    "/a b/]*",\n]\nexclude = [ # none yet\n]\npages = 5\n',
        'learn = { pages = 5 }\n[crawl]\n',
        "learn = {}\n",
        "learn = { also = ['/a/*'] }  # short\n",
        '[crawl]\nmax_pages = 9\n[learn]\nalso = []',
    ],
)  # fmt: skip
def test_new_patterns_stand_behind_what_is_there(learn: str) -> None:
    before = tomllib.loads(TOP + learn)
    text = with_url_patterns(TOP + learn, NEW)
    after = tomllib.loads(text)
    for key, new in NEW.items():
        had = before.get("learn", {}).get(key, [])
        assert after["learn"].pop(key) == [*([had] if isinstance(had, str) else had), *new]
        before.setdefault("learn", {}).pop(key, None)
    assert after == before
    comments = [line.partition("#")[2] for line in (TOP + learn).splitlines() if "#" in line]
    assert [line.partition("#")[2] for line in text.splitlines() if "#" in line] == comments


def test_what_is_there_already_is_not_added_again() -> None:
    text = TOP + '[learn]\nalso = ["/b/*"]\n'
    assert with_url_patterns(text, {"also": ["/b/*"]}) == text


def test_ends_of_lines_and_byte_order_mark_stay(tmp_path: Path) -> None:
    path = tmp_path / "shop.toml"
    path.write_bytes(b"\xef\xbb\xbf" + (TOP + "[learn]\n").replace("\n", "\r\n").encode())
    add_url_patterns(path, {"also": ["/菜/*"]})
    body = path.read_bytes()
    assert body.startswith(b"\xef\xbb\xbf# what")
    assert body.endswith('[learn]\r\nalso = ["/菜/*"]\r\n'.encode())
    assert body.count(b"\n") == body.count(b"\r\n")


def test_rights_and_a_link_to_the_file_stay(tmp_path: Path) -> None:
    path, link = tmp_path / "real.toml", tmp_path / "shop.toml"
    path.write_text(TOP)
    path.chmod(0o640)
    link.symlink_to(path)
    add_url_patterns(link, NEW)
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert tomllib.loads(path.read_text())["learn"]["also"] == ["/b/*"]
    assert {one.name for one in tmp_path.iterdir()} == {"real.toml", "shop.toml"}


@pytest.mark.parametrize("learn", ["learn.pages = 5\n", "[learn]\nalso = 3\n", "[learn"])
def test_what_can_not_be_changed_stays_and_it_is_said_what_to_write(tmp_path: Path, learn: str) -> None:
    path = tmp_path / "shop.toml"
    path.write_text(TOP + learn)
    with pytest.raises(InputError, match=r'write in \[learn\] by hand: also = \["/b/\*"\]; exclude = '):
        add_url_patterns(path, NEW)
    assert path.read_text() == TOP + learn


@pytest.mark.parametrize(("make", "why"), [(Path.mkdir, "Is a directory"), (id, "No such file")])
def test_a_file_that_is_not_there_is_named(tmp_path: Path, make: Callable[[Path], object], why: str) -> None:
    make(tmp_path / "shop.toml")
    with pytest.raises(StoreError, match=rf"shop\.toml: can't be written \({why}"):
        add_url_patterns(tmp_path / "shop.toml", NEW)


# --- samples ----------------------------------------------------------------------------------------------------------

ONE, TWO = "https://a.example/1", "https://a.example/2"
REVIEWS: list[dict[str, str | list[str]]] = [{"author": "安娜", "tags": ["x", 'y"']}, {"author": "Bob"}]
FORMS = (
    f'[[samples]]\nurl = "{ONE}"  # one\nfields = {{ title = "T", price = "$1" }}  # seen\n\n[learn]\npages = 5\n',
    f'[[samples]]  # one\nurl = "{ONE}"\n[samples.fields]\ntitle = "T"  # big\nprice = "$1"\n# no tag\n\n#\n[learn]',
    f'[[samples]]\nurl = "{ONE}"\nfields.title = "T"\nfields.price = "$1"\n# how\n[learn]\npages = 5\n',
    f"samples = [{{ url = '{ONE}', fields = {{ price = '$1', title = 'T' }} }}]  # all\n[learn]\n",
    f'[[samples]]\nfields = {{ price = "$1", "title" = """T""" }}\nurl = "{ONE}"',
)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "values",
    [
        {"price": "$2", "title": 'A "quoted" name\\'},
        {"price": None},
        {"title": None},
        {"书名": "红楼梦", "tags": ["a", "b"], "reviews": REVIEWS},
        {"price": None, "was": "$1", "title": "U"},
    ],
)
def test_values_of_a_sample_are_changed_where_they_stand(form: str, values: dict[str, Any]) -> None:
    before = tomllib.loads(TOP + form)
    text = with_samples(TOP + form, {ONE: values})
    fields = before["samples"][0]["fields"] | values
    before["samples"][0]["fields"] = {name: value for name, value in fields.items() if value is not None}
    assert tomllib.loads(text) == before
    kept = [line.partition("#")[2] for line in (TOP + form).splitlines() if "#" in line]
    assert [said for said in kept if said not in text] == []


@pytest.mark.parametrize("form", [*FORMS, "", "[crawl]\nmax_pages = 9"])
def test_a_new_sample_stands_behind_the_others(form: str) -> None:
    before = tomllib.loads(TOP + form)
    values = {"title": "U", "price": None, "reviews": REVIEWS}
    text = with_samples(TOP + form, {TWO: values})
    new = {"url": TWO, "fields": {"title": "U", "reviews": REVIEWS}}
    assert tomllib.loads(text) == before | {"samples": [*before.get("samples", []), new]}
    assert text.startswith(TOP)
    assert [line for line in form.splitlines() if line.partition("}]")[0] not in text] == []


def test_comments_stay_with_the_sample_that_they_belong_to() -> None:
    text = with_samples(TOP + FORMS[1], {TWO: {"title": "U"}})
    assert f'# no tag\n\n[[samples]]\nurl = "{TWO}"\n[samples.fields]\ntitle = "U"\n\n#\n[learn]' in text


def test_a_sample_without_values_gets_some() -> None:
    text = with_samples(f'[[samples]]\nurl = "{ONE}"\n', {ONE: {"title": "T", "price": None}})
    assert tomllib.loads(text) == {"samples": [{"url": ONE, "fields": {"title": "T"}}]}


def test_samples_that_can_not_be_changed_stay_and_it_is_said_what_to_write(tmp_path: Path) -> None:
    path = tmp_path / "shop.toml"
    path.write_text(TOP + f'[[samples]]\nurl = "{ONE}"\n[[samples.fields.reviews]]\nauthor = "Ann"\n')
    before = path.read_text()
    with pytest.raises(InputError, match=r'write the samples by hand: https://a.example/1: title = "T"'):
        put_samples(path, {ONE: {"title": "T"}})
    assert path.read_text() == before


def test_a_site_with_samples_is_checked_before_anything_is_written(tmp_path: Path) -> None:
    path = tmp_path / "shop.toml"
    path.write_text(TOP + FORMS[0])
    assert [one.url for one in site_with_samples(path, {TWO: {"title": "U"}}).samples] == [ONE, TWO]
    with pytest.raises(SiteFileError, match="differ in case only"):
        site_with_samples(path, {TWO: {"Title": "U"}})
    assert path.read_text() == TOP + FORMS[0]

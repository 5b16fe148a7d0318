"""What globs and regexes of `[learn] target, listing, also, exclude` mean, and what was written before them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gwc_crawler.crawl.data_files import learn_task, learning_digest
from gwc_crawler.knowledge.patterns import glob_of, read_pattern
from gwc_crawler.sites.schema import Site
from gwc_crawler.sites.site_files import load_site

HOST = "https://a.example"


def site_with(tmp_path: Path, learn: str, rest: str = "") -> Site:
    path = tmp_path / "shop.toml"
    samples = "".join(f'[[samples]]\nurl = "{HOST}/p/{n}"\nfields = {{ title = "{n}" }}\n' for n in (1, 2))
    path.write_text(f'entry = ["{HOST}/"]\n{samples}[learn]\n{learn}\n{rest}', encoding="utf-8")
    return load_site(path)


@pytest.mark.parametrize(
    ("text", "takes", "refuses"),
    [
        ("/p/*", ["/p/1", "/p/x.html"], ["/p/", "/p", "/p/1/2", "/p/1?x=1", "/q/p/1"]),
        ("/p/**", ["/p/", "/p/1/2", "/p/1?x=1"], ["/p"]),
        ("/*/*.html", ["/a/b.html"], ["/a/b/c.html", "/b.html", "/a/.html"]),
        ("/p/x*", ["/p/x", "/p/x1"], ["/p/y"]),
        ("/find?q=*", ["/find?q=", "/find?q=a/b"], ["/find?q=a&p=2", "/findXq=a"]),
        ("/a.b(c)+[1]", ["/a.b(c)+[1]"], ["/axb(c)+[1]"]),
        (f"{HOST}/p/*", ["/p/1"], ["/q/1"]),
        ("re:/p/[0-9]+", ["/p/12"], ["/p/x", "/p/12/"]),
        (r"^https://a\.example/p/\d+", ["/p/12"], ["/p/12x"]),
        ("^/p/.*", ["/p/12/x"], ["/q"]),
    ],
)
def test_a_pattern_is_for_the_whole_url(text: str, takes: list[str], refuses: list[str]) -> None:
    fits = re.compile(read_pattern(text).regex).fullmatch
    assert [path for path in takes if not fits(HOST + path)] == []
    assert [path for path in refuses if fits(HOST + path)] == []


def test_a_path_holds_on_all_hosts_of_the_site_and_a_url_on_its_own() -> None:
    path, url = (re.compile(read_pattern(text).regex).fullmatch for text in ("/p/*", f"{HOST}/p/*"))
    assert path("http://www.b.example:81/p/1")
    assert path(f"{HOST}/p/1")
    assert url(f"{HOST}/p/1")
    assert not url("http://www.b.example:81/p/1")


@pytest.mark.parametrize(
    ("target", "is_regex"),
    [
        ("'https://a[.]example/p/[0-9]+'", True),
        (r"'https://a\.example/p/\d+'", True),
        ("'.*/p/.*'", True),
        ("'https://a.example/p/*'", False),
        ("'/p/*'", False),
        ("['/p/*', '.*/q/.*']", False),
    ],
)
def test_a_target_is_a_regex_as_ever_where_it_has_signs_of_one(tmp_path: Path, target: str, *, is_regex: bool) -> None:
    site = site_with(tmp_path, f"target = {target}")
    first = site.learn.target[0]
    assert (first.text == first.regex) == is_regex
    assert re.fullmatch(learn_task(site).target or "", f"{HOST}/p/77")


def test_the_digest_of_files_without_new_keys_is_what_it_was(tmp_path: Path) -> None:
    """Knowledge that was learned before is not out of date."""
    assert learning_digest(site_with(tmp_path, "pages = 5\ntarget = 'https://a[.]example/p/[0-9]+'")) == OLD_DIGEST
    plain = learning_digest(site_with(tmp_path, "pages = 5"))
    for key in ("also", "exclude", "listing"):
        assert learning_digest(site_with(tmp_path, f'pages = 5\n{key} = ["/x/*"]')) != plain


OLD_DIGEST = "be0454eadff3c3c5"


def test_a_template_names_its_host_in_what_is_a_path(tmp_path: Path) -> None:
    """So that what is learned of it can be said of another host."""
    site = site_with(tmp_path, 'also = ["/x/*"]', '[template]\nhosts = ["*.shops.example"]\n')
    assert site.learn.also[0].regex == r"https?://a\.example/x/[^/?]+"


@pytest.mark.parametrize(
    ("regex", "glob"),
    [
        (r"http://a\.example/item/[0-9]+\.html", "/item/*.html"),
        (r"http://a\.example/(tea|pots)/[^/?]+/?", "/*/*"),
        (r"http://a\.example(?![^?]*/x)(?:/[^/?]+)*/method\.[^/?]*\.html(?:\?.*)?", "**/method.*.html"),
        (r"http://b\.example/x\?id=[0-9]+(&p=\w+)?", "http://b.example/x?id=*"),
        (r"https?://(a|b)\.example/?", "/"),
    ],
)
def test_a_regex_is_shown_as_a_glob(regex: str, glob: str) -> None:
    assert glob_of(regex, "a.example") == glob

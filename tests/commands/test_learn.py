"""`scrapy learn --paper-json FILE`: the wrapper in the published form, whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.conftest import Outcome, Project
from tests.shop_site import SAMPLES, shop
from tests.site_server import SiteServer


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Project, SiteServer]]:
    """A shop of which paper mode has learned, with the file that it wrote."""
    project = Project(tmp_path_factory.mktemp("learned"))
    with SiteServer() as site:
        shop(site)
        project.write_site("shop", f'entry = ["{site.url}/"]\n' + SAMPLES.format(url=site.url))
        outcome = project.scrapy("learn", "shop", "--mode", "paper", "--paper-json", "out/shop.json")
        assert outcome.code == 0, outcome.err
        assert "out/shop.json: 2 CSS paths\n" in outcome.err
        yield project, site


@pytest.fixture
def learned(project: Project, first: tuple[Project, SiteServer]) -> Project:
    """What was learned of the shop, to work on."""
    project.copy(first[0])
    first[1].clear()
    return project


def learn(project: Project, *options: str) -> Outcome:
    return project.scrapy("learn", "shop", "--offline", *options)


def test_label_and_css_path_of_each_field_are_written(learned: Project) -> None:
    form = json.loads((learned.directory / "out" / "shop.json").read_text(encoding="utf-8"))
    assert form == {"title#text": "html > body > h2", "price#text": "html > body > p > b"}
    assert [path.name for path in (learned.directory / "out").iterdir()] == ["shop.json"]


def test_it_is_written_from_stored_pages_without_a_request(learned: Project, first: tuple[Project, SiteServer]) -> None:
    outcome = learn(learned, "--paper-json", "best.json", "--json")
    assert outcome.code == 0, outcome.err
    form = json.loads((learned.directory / "best.json").read_text(encoding="utf-8"))
    assert set(form) == {"title#text", "price#text"}
    assert json.loads(outcome.out)["mode"] == "best"
    assert not first[1].hits


def test_what_has_no_css_path_is_named(learned: Project, first: tuple[Project, SiteServer]) -> None:
    sites = SAMPLES.format(url=first[1].url).replace("$11.48", "11.48").replace("$7.19", "7.19")
    learned.write_site("shop", f'entry = ["{first[1].url}/"]\n' + sites)
    outcome = learn(learned, "--paper-json", "part.json")
    assert outcome.code == 0, outcome.err
    assert "part.json: 1 CSS path; none for price\n" in outcome.err
    assert list(json.loads((learned.directory / "part.json").read_text(encoding="utf-8"))) == ["title#text"]


def test_where_no_field_has_a_path_the_old_file_stays(learned: Project, first: tuple[Project, SiteServer]) -> None:
    learned.write_site("shop", f'entry = ["{first[1].url}/"]\n' + "".join(
        f'[[samples]]\nurl = "{first[1].url}/item/{number}"\nfields = {{ price = "{price}" }}\n'
        for number, price in ((1, "11.48"), (2, "7.19"))
    ))  # fmt: skip
    outcome = learn(learned, "--paper-json", "out/shop.json")
    assert outcome.code == 4
    assert "out/shop.json: not written, no CSS path can say price; try --mode paper" in outcome.err
    assert "title#text" in (learned.directory / "out" / "shop.json").read_text(encoding="utf-8")


def test_a_directory_is_refused_before_anything_is_learned(learned: Project) -> None:
    outcome = learn(learned, "--paper-json", "out")
    assert outcome.code == 2
    assert "--paper-json out: that is a directory; name a file" in outcome.err


def test_a_file_that_cant_be_written_is_told_with_what_helps(learned: Project) -> None:
    outcome = learn(learned, "--paper-json", "out/shop.json/wrapper.json")
    assert outcome.code == 5
    assert "out/shop.json/wrapper.json: can't be written (" in outcome.err
    assert "--offline" in outcome.err

"""The questions of learning as cards: answered together, written into the site file, learned again, asked no more."""

from __future__ import annotations

import asyncio
import html
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from gwc_crawler.dashboard.web.security import VisitorCheck
from tests.conftest import Project
from tests.dashboard.asking import TOKEN, Browser, Question, ask, browse
from tests.learn.reference_site import COMMENT, learn_reference
from tests.site_server import SiteServer

FORM = "/{kind}.{word}.html"
TOKEN_FIELD = {"form_token": VisitorCheck(TOKEN).form_token}
LEARNED, ANSWERS = "/sites/ref/learned", "/sites/ref/learned/answers"


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Project, SiteServer]]:
    with Project(tmp_path_factory.mktemp("cards")) as project, SiteServer() as site:
        learn_reference(project, site, FORM)
        yield project, site


@pytest.fixture
def directory(project: Project, learned: tuple[Project, SiteServer]) -> Path:
    project.copy(learned[0])
    learned[1].clear()
    return project.directory


def asked_in(text: str) -> str:
    """The question of the one card."""
    (told,) = re.findall(r'name="question0" value="(.*?)"', text)
    return html.unescape(told)


@pytest.mark.parametrize(("language", "words"), [("en", "60 pages like this one"), ("zh", "60 个类似的页面")])
def test_a_card_shows_an_example_and_the_first_values(directory: Path, language: str, words: str) -> None:
    (seen,) = ask(directory, Question(LEARNED, headers={"Accept-Language": language}))
    assert words in seen.text
    assert "/signal." in asked_in(seen.text)
    for name in ("title", "lead", "params"):
        assert re.search(rf"<dt>{name}</dt><dd>.+?</dd>", seen.text)


@pytest.mark.parametrize("said", ["yes", "no"])
def test_an_answer_is_written_and_learned_and_asked_no_more(
    project: Project, directory: Path, learned: tuple[Project, SiteServer], said: str
) -> None:
    async def answered(client: Browser) -> str:
        told = asked_in(await (await client.get(LEARNED)).text())
        done = await client.post(ANSWERS, {**TOKEN_FIELD, "question0": told, "answer0": said})
        text = await done.text()
        while 'class="state running"' in text:
            await asyncio.sleep(0.1)
            text = await (await client.get(LEARNED)).text()
        return text

    text = browse(directory, answered)
    assert 'class="state finished"' in text
    assert 'name="question0"' not in text
    written = (directory / "sites" / "ref.toml").read_text()
    key = {"yes": "also", "no": "exclude"}[said]
    assert tomllib.loads(written)["learn"] == {"pages": 400, key: ["/signal.*.html"]}
    assert COMMENT in written
    knowledge = project.knowledge("ref")
    assert knowledge["evidence"]["by_hand"][0]["urls"] == 60
    named = {one["regex"]: one["given"] for one in knowledge["targets"]}
    assert (True in named.values()) == (said == "yes")
    assert not learned[1].hits


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"question0": "", "answer0": ""}, "Nothing was answered."),
        ({"question0": "Is this asked?", "answer0": "yes"}, "This is asked no more."),
        ({}, "Nothing was answered."),
    ],
)
def test_what_is_no_answer_changes_nothing(directory: Path, form: dict[str, str], told: str) -> None:
    before = (directory / "sites" / "ref.toml").read_bytes()
    (seen,) = ask(directory, Question(ANSWERS, {**TOKEN_FIELD, **form}))
    assert told in seen.text
    assert (directory / "sites" / "ref.toml").read_bytes() == before


def test_a_form_of_another_page_is_refused(directory: Path) -> None:
    before = (directory / "sites" / "ref.toml").read_bytes()
    (card,) = ask(directory, LEARNED)
    (seen,) = ask(directory, Question(ANSWERS, {"question0": asked_in(card.text), "answer0": "yes"}))
    assert seen.status == 403
    assert (directory / "sites" / "ref.toml").read_bytes() == before


def test_what_the_site_file_answers_is_no_card(directory: Path) -> None:
    path = directory / "sites" / "ref.toml"
    path.write_text(path.read_text().replace("[learn]\n", '[learn]\nalso = ["/signal.*.html"]\n'))
    (seen,) = ask(directory, LEARNED)
    assert seen.status == 200
    assert "question0" not in seen.text

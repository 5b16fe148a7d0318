"""`scrapy learn` asks: in a terminal by itself, else with --ask; all answers go into the site file at once, or none."""

from __future__ import annotations

import signal
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Project, ended
from tests.learn.reference_site import COMMENT, learn_reference
from tests.site_server import SiteServer
from tests.terminal import LONGEST_SECONDS, Terminal

FORM = "/{kind}.{word}.html"
ASKED = b"[Y/n/show] "


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Project, SiteServer]]:
    """A reference of which methods are the samples, pre-crawled and learned."""
    with Project(tmp_path_factory.mktemp("asking")) as project, SiteServer() as site:
        told = learn_reference(project, site, FORM)
        assert "answer a question by yes or no: scrapy learn ref --offline --ask" in told
        assert "Y/n" not in told, "nobody sits there"
        yield project, site


@pytest.fixture
def site_file(project: Project, learned: tuple[Project, SiteServer]) -> Path:
    """The site file, to be changed."""
    project.copy(learned[0])
    learned[1].clear()
    return project.directory / "sites" / "ref.toml"


def test_a_terminal_asks_by_itself_and_yes_is_written_and_learned(project: Project, site_file: Path) -> None:
    before = site_file.read_text()
    terminal = Terminal(project, "learn", "ref", "--offline")
    assert "60 pages like /signal." in terminal.until(ASKED)
    terminal.answer(b"show\n")
    shown = terminal.until(ASKED)
    assert "params: [" in shown
    assert "yes: also, no: exclude = /signal.*.html" in shown
    assert site_file.read_text() == before
    terminal.answer(b"what?\n")
    terminal.until(ASKED)
    terminal.answer(b"\n")
    code, told = terminal.to_the_end()
    assert code == 0
    assert site_file.read_text() == before.replace("[learn]\n", '[learn]\nalso = ["/signal.*.html"]\n')
    again = " ".join(told.rpartition("learned again from the stored pages")[2].split())
    assert "; sure of the targets" in again
    assert "also /signal.*.html takes 60 known URLs" in again
    assert "Y/n" not in again
    assert "Y/n" not in Terminal(project, "learn", "ref", "--offline").to_the_end()[1]


def test_no_is_written_as_excluded_from_a_pipe_too(
    project: Project, site_file: Path, learned: tuple[Project, SiteServer]
) -> None:
    process = project.start("learn", "ref", "--offline", "--ask", stdin=subprocess.PIPE)
    out, err = process.communicate("n\n", timeout=LONGEST_SECONDS)
    assert process.returncode == 0, err
    assert "60 pages like /signal." in out
    assert tomllib.loads(site_file.read_text())["learn"] == {"pages": 400, "exclude": ["/signal.*.html"]}
    assert COMMENT in site_file.read_text()
    assert not learned[1].hits


@pytest.mark.parametrize("offline", [True, False])
def test_ctrl_c_at_a_question_leaves_the_site_file_as_it_was(
    project: Project, site_file: Path, *, offline: bool
) -> None:
    """Also where a crawl ran before, which took Ctrl-C for its own."""
    before = site_file.read_bytes(), site_file.stat().st_mtime_ns
    terminal = Terminal(project, "learn", "ref", *["--offline"] * offline)
    terminal.until(ASKED)
    terminal.answer(b"\x03")
    assert terminal.to_the_end()[0] == 130
    assert (site_file.read_bytes(), site_file.stat().st_mtime_ns) == before
    assert [one.name for one in site_file.parent.iterdir() if one.name.startswith(".")] == []


def test_an_input_that_ends_leaves_the_question_open(project: Project, site_file: Path) -> None:
    before = site_file.read_text()
    process = project.start("learn", "ref", "--offline", "--ask", stdin=subprocess.DEVNULL)
    outcome = ended(process)
    assert outcome.code == 0
    assert "60 pages like /signal." in outcome.out
    assert site_file.read_text() == before


def test_yes_asks_nothing_in_a_terminal(project: Project, site_file: Path) -> None:
    code, told = Terminal(project, "learn", "ref", "--offline", "--yes").to_the_end()
    assert code == 0
    assert "Y/n" not in told
    assert "also" not in site_file.read_text()


@pytest.mark.parametrize("other", ["--yes", "--json", "--draft=x.json"])
def test_to_ask_goes_with_nothing_that_answers_otherwise(project: Project, site_file: Path, other: str) -> None:
    outcome = project.scrapy("learn", "ref", "--offline", "--ask", other)
    assert outcome.code == 2
    assert "--ask does not go with --yes, --json or --draft; leave one of them out" in outcome.err


def test_a_site_file_that_can_not_be_changed_is_told_with_what_to_write(project: Project, site_file: Path) -> None:
    text = site_file.read_text().replace("[[samples]]", "learn.pages = 400\n[[samples]]", 1)
    site_file.write_text(text.partition("[learn]")[0])
    process = project.start("learn", "ref", "--offline", "--ask", stdin=subprocess.PIPE)
    _, err = process.communicate("y\n", timeout=LONGEST_SECONDS)
    assert process.returncode == 2
    assert 'write in [learn] by hand: also = ["/signal.*.html"]' in err


def test_a_kill_at_a_question_leaves_the_site_file_as_it_was(project: Project, site_file: Path) -> None:
    before = site_file.read_bytes()
    terminal = Terminal(project, "learn", "ref", "--offline")
    terminal.until(ASKED)
    terminal.process.send_signal(signal.SIGKILL)
    terminal.to_the_end()
    assert site_file.read_bytes() == before

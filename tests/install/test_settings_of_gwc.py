"""Whose settings `gwc` takes, and what it says where there are none."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gwc_crawler import __main__ as gwc
from gwc_crawler.commands import console
from gwc_crawler.commands.init import project_files, write_files
from gwc_crawler.errors import InputError

SETTINGS = "SCRAPY_SETTINGS_MODULE"


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A directory without a project, and nothing said in the environment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv(SETTINGS, "")  # so that it's put back in the end
    monkeypatch.delenv(SETTINGS)
    monkeypatch.delenv("SCRAPY_PROJECT", raising=False)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return tmp_path


def configure(text: str) -> None:
    Path("scrapy.cfg").write_text(text, encoding="utf-8")


def code_of(*arguments: str, monkeypatch: pytest.MonkeyPatch) -> int | str | None:
    monkeypatch.setattr(sys, "argv", ["/usr/bin/gwc", *arguments])
    with pytest.raises(SystemExit) as ended:
        gwc.main()
    return ended.value.code


@pytest.mark.parametrize("name, module", [(None, "local"), ("default", "local"), ("cluster", "cluster")])
def test_outside_a_project_a_packaged_profile_holds(
    monkeypatch: pytest.MonkeyPatch, name: str | None, module: str
) -> None:
    if name:
        monkeypatch.setenv("SCRAPY_PROJECT", name)
    assert console.use_settings() == os.environ[SETTINGS] == f"gwc_crawler.profiles.{module}"


def test_in_a_project_its_settings_hold(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    configure("[settings]\ndefault = mine_of_gwc\n")
    Path("mine_of_gwc.py").write_text("from gwc_crawler.settings import *\n")
    (elsewhere / "below").mkdir()
    monkeypatch.chdir(elsewhere / "below")
    assert console.use_settings() == "mine_of_gwc"


def test_what_the_environment_names_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    configure("[settings]\ndefault = not_there\n")
    monkeypatch.setenv(SETTINGS, "gwc_crawler.profiles.polite")
    assert console.use_settings() == "gwc_crawler.profiles.polite"


@pytest.mark.parametrize(
    "config, said",
    [
        ("[settings]\ndefault = x\npolite = y\n", "SCRAPY_PROJECT is 'claster', a profile that"),
        ("[settings]\ndefault = x\npolite = y\n", "has not; it has default, polite"),
        ("[deploy]\nurl = x\n", "it has none"),
        ("default = x\n", "scrapy.cfg can't be read"),
        ("[settings]\nclaster = not_there\n", "names the settings not_there, which can't be imported"),
        ("[settings]\nclaster = broken_of_gwc\n", "can't be imported: "),
        ("[settings]\nclaster = dividing_of_gwc\n", "can't be imported: ZeroDivisionError: division by zero ("),
        (
            "[settings]\nclaster = listed_of_gwc\n",
            "setting ITEM_PIPELINES is ['my.Pipe'] in the settings listed_of_gwc",
        ),
        ("[settings]\nclaster = foreign_of_gwc\n", "begin them with `from gwc_crawler.settings import *`"),
    ],
)
def test_settings_that_cannot_serve_are_one_line(
    config: str, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    configure(config)
    Path("broken_of_gwc.py").write_text("GWC = (\n")
    Path("dividing_of_gwc.py").write_text("GWC = 1 / 0\n")
    Path("listed_of_gwc.py").write_text("from gwc_crawler.settings import *\nITEM_PIPELINES = ['my.Pipe']\n")
    Path("foreign_of_gwc.py").write_text("BOT_NAME = 'other'\n")
    monkeypatch.setenv("SCRAPY_PROJECT", "claster")
    assert code_of("crawl", "x", monkeypatch=monkeypatch) == InputError.exit_code
    told = capsys.readouterr().err
    assert said in told
    assert "Traceback" not in told


def test_a_profile_that_is_not_there_is_named_outside_a_project_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRAPY_PROJECT", "claster")
    with pytest.raises(
        InputError, match=r"'claster', .*; it has browser, cluster, cluster-mssql, default, fast, local, mssql, polite"
    ):
        console.use_settings()


def test_an_unknown_command_is_told_with_the_nearest(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert code_of("crwl", "x", monkeypatch=monkeypatch) == InputError.exit_code
    assert capsys.readouterr().err == "there is no command 'crwl'; did you mean crawl?\n"


def test_an_interrupt_while_it_loads_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Interrupted:
        def __getattr__(self, name: str) -> None:
            raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "gwc_crawler.commands.console", Interrupted())
    assert code_of("crawl", "books", monkeypatch=monkeypatch) == 130
    assert capsys.readouterr().err == "interrupted\n"


def test_an_interrupt_while_scrapy_loads_is_said_as_soon_as_the_settings_are_read() -> None:
    code = "import gwc_crawler.settings\nraise KeyboardInterrupt"
    died = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (died.stderr, died.returncode) == ("interrupted\n", -signal.SIGINT)


@pytest.mark.parametrize("arguments", [(), ("--help",), ("help",)])
def test_the_overview_lists_all_commands_even_where_no_settings_serve(
    arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    configure("default = x\n")
    monkeypatch.setattr(sys, "argv", ["gwc", *arguments])
    gwc.main()
    told = capsys.readouterr().out
    ours, theirs = told.partition("Scrapy's own:")[::2]
    assert "\n  crawl         Crawl a site" in ours
    assert "\n  init          Make a project" in ours
    assert "\n  genspider     " in theirs
    assert "crawl  " not in theirs
    assert "scrapy.cfg can't be read" in told


def test_nothing_is_written_over_or_written_in_part(elsewhere: Path) -> None:
    (elsewhere / "scrapy.cfg").write_text("mine")
    (elsewhere / "sites").mkdir()
    (elsewhere / "sites" / "books.toml").write_text("mine")
    with pytest.raises(InputError, match=r"scrapy\.cfg exists already and nothing was written"):
        write_files(elsewhere, project_files("x"))
    assert sorted(path.name for path in elsewhere.rglob("*")) == ["books.toml", "scrapy.cfg", "sites"]
    (elsewhere / "scrapy.cfg").unlink()
    write_files(elsewhere, project_files("x"))
    with pytest.raises(InputError, match=r"scrapy\.cfg, setup\.py, .* exist already"):
        write_files(elsewhere, project_files("x"))


@pytest.mark.parametrize("name, project", [("my-shops", "my_shops"), ("café 100%", "caf_100"), ("店", "crawls")])
def test_the_name_for_scrapyd_is_made_of_plain_letters(name: str, project: str) -> None:
    assert f"\nproject = {project}\n" in project_files(name)["scrapy.cfg"]

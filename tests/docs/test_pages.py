"""README and docs/: their code blocks run, and the files, names, commands, codes and settings they name exist."""

from __future__ import annotations

import argparse
import ast
import doctest
import re
import shutil
import subprocess
import sys
from configparser import ConfigParser
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from scrapy.cmdline import _get_commands_dict
from scrapy.settings import Settings

from gwc_crawler import errors
from gwc_crawler.sites.site_files import load_site
from tests.docs.pages import ALL, BY_NAME, ROOT, WRITTEN, Block, Page, blocks, commands

LENIENT = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
PACKAGE = ROOT / "gwc_crawler"
FOLDERS = "gwc_crawler|settings_profiles|tests|benchmarks|scripts|docs"

each_page = pytest.mark.parametrize("page", ALL, ids=lambda page: page.name)


def line_of(block: Block) -> str:
    return f"{block.page}, line {block.line}"


@pytest.mark.parametrize("block", blocks("python"), ids=line_of)
def test_python_blocks_give_what_they_show(block: Block) -> None:
    assert ">>>" in block.text
    example = doctest.DocTestParser().get_doctest(block.text, {}, block.page, block.page, block.line)
    said: list[str] = []
    doctest.DocTestRunner(optionflags=LENIENT).run(example, out=said.append)
    assert not said, "".join(said)


@pytest.mark.parametrize("block", blocks("toml"), ids=line_of)
def test_site_files_are_valid(block: Block, tmp_path: Path) -> None:
    path = tmp_path / "books.toml"
    path.write_text(block.text, encoding="utf-8")
    assert load_site(path).warnings == ()


@pytest.mark.parametrize("block", [block for block in blocks("console") if block.tested], ids=line_of)
def test_commands_print_what_is_shown(block: Block, tmp_path: Path) -> None:
    for name in ("scrapy.cfg", "settings_profiles", "sites"):
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, tmp_path / name)
    for step in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, shown = step.partition("\n")
        printed = run_in(tmp_path, command)
        assert doctest.OutputChecker().check_output(shown, printed, LENIENT), printed


def run_in(directory: Path, command: str) -> str:
    """Run a shell command with `scrapy` and `python` of this environment; give stdout and stderr."""
    here = f"scrapy() {{ '{sys.executable}' -m scrapy \"$@\"; }}; "
    done = subprocess.run(["/bin/sh", "-c", here + command], cwd=directory, capture_output=True, text=True, timeout=60)
    return done.stdout + done.stderr


def test_something_is_run_and_read() -> None:
    assert blocks("python")
    assert len(blocks("toml")) >= 2
    assert any(block.tested for block in blocks("console"))


# --- links ------------------------------------------------------------------------------------------------------------


@each_page
def test_links_lead_somewhere(page: Page) -> None:
    for link in page.links:
        path, anchor = page.at(link)
        assert (ROOT / path).exists(), link
        assert not anchor or anchor in BY_NAME[path].anchors, link


def test_every_page_is_in_the_index() -> None:
    index = BY_NAME["docs/README.md"]
    listed = {index.at(link)[0] for link in index.links}
    assert sorted({page.name for page in ALL if page.name.startswith("docs/")} - {index.name} - listed) == []


def test_the_readme_is_a_front_door() -> None:
    readme = BY_NAME["README.md"]
    assert len(readme.text.encode()) <= 10 * 1024
    assert "docs/README.md" in readme.links


@each_page
def test_no_heading_stands_twice(page: Page) -> None:
    for part in re.split(r"^## ", page.prose, flags=re.MULTILINE):
        headings = re.findall(r"^### (.+)$", part, flags=re.MULTILINE)
        assert len(headings) == len(set(headings))
    headings = re.findall(r"^## (.+)$", page.prose, flags=re.MULTILINE)
    assert len(headings) == len(set(headings))


# --- files and what is in them ----------------------------------------------------------------------------------------


@each_page
def test_every_file_that_is_named_exists(page: Page) -> None:
    named = re.findall(rf"`((?:{FOLDERS})/[\w./-]*)[`:]", page.text)
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.name)
def test_every_file_that_is_named_without_its_folder_exists(page: Page) -> None:
    named = set(re.findall(r"`(\w+\.(?:py|lua))`", page.text))
    there = {path.name for folder in FOLDERS.split("|") for path in (ROOT / folder).rglob("*.*")}
    assert named - there == set()


@each_page
def test_every_name_in_a_file_is_there(page: Page) -> None:
    """`gwc_crawler/page/reader.py:PageReader.read`."""
    for path, name in re.findall(rf"`((?:{FOLDERS})/[\w./]*\.py):([\w.]+)`", page.text):
        assert_is_defined(path, name)


def assert_is_defined(path: str, name: str) -> None:
    """Fail where the file at a path from the root defines no such name, or no such member of a class."""
    body: Any = ast.parse((ROOT / path).read_text(encoding="utf-8")).body
    for part in name.split("."):
        found = [node for node in body if part in names_of(node)]
        assert found, f"{path}:{name}"
        body = getattr(found[0], "body", [])


def names_of(node: ast.stmt) -> set[str]:
    """What a statement defines."""
    if isinstance(node, ast.Assign):
        return {target.id for target in node.targets if isinstance(target, ast.Name)}
    if isinstance(node, ast.AnnAssign):
        return {node.target.id} if isinstance(node.target, ast.Name) else set()
    return {getattr(node, "name", "")}


def test_the_architecture_names_many_files_and_functions() -> None:
    text = BY_NAME["docs/architecture.md"].text
    assert len({*re.findall(r"`gwc_crawler/([\w./]*)`", text), *(path for path, _ in led_to())}) > 60
    assert len(re.findall(r"`gwc_crawler/[\w./]*\.py:\w", text)) > 15


def led_to() -> list[tuple[str, str]]:
    """Where *To change X, open Y* leads: paths below the package, each with a name in that file, or ""."""
    table = section("docs/architecture.md", "To change X, open Y")
    named = re.findall(rf"`(?!(?:{FOLDERS})/)((?:\w+/)*(?:\w+\.\w+)?)(?::([\w.]+))?`", table)
    return [(path, name) for path, name in named if "/" in path or name]


def test_what_leads_from_a_change_to_a_file_leads_to_one() -> None:
    named = [(f"{PACKAGE.name}/{path}", name) for path, name in led_to()]
    assert [path for path, _ in named if not (ROOT / path).exists()] == []
    for path, name in named:
        if name:
            assert_is_defined(path, name)


def test_every_room_is_told() -> None:
    told = set(re.findall(r"^\| `gwc_crawler/(\w+)/` \|", section("docs/architecture.md", "The rooms"), re.MULTILINE))
    there = {path.parent.name for path in (ROOT / "gwc_crawler").glob("*/__init__.py")}
    assert told == there


def test_sections_that_are_named_exist() -> None:
    """`docs/operate.md, *Exit codes*`, in pages and in docstrings."""
    code = [path for folder in ("gwc_crawler", "scripts", "benchmarks") for path in (ROOT / folder).rglob("*.py")]
    texts = [page.text for page in ALL] + [path.read_text(encoding="utf-8") for path in code]
    named = [found for text in texts for found in re.findall(r"((?:docs/)?[\w-]+\.md|README)`?, \*([^*\n]+)\*", text)]
    assert len(named) >= 4
    for name, title in named:
        assert name in BY_NAME, f"{name}, *{title}*: no such page"
        assert title in BY_NAME[name].headings, f"{name}, *{title}*"


# --- commands ---------------------------------------------------------------------------------------------------------


def test_every_make_target_that_is_named_exists() -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    named = {match[1] for _, text in commands() if (match := re.match(r"make ([a-z-]+)", text))}
    assert {"crawl", "test", "bench"} <= named <= set(targets)


def test_every_module_that_is_run_exists() -> None:
    modules = re.compile(r"python -m ((?:tests|benchmarks)[\w.]*)")
    named = {match[1] for _, text in commands() if (match := modules.search(text))}
    assert len(named) > 5
    for module in named:
        path = ROOT / module.replace(".", "/")
        assert path.with_suffix(".py").exists() or (path / "__main__.py").exists(), module


@cache
def commands_there_are() -> dict[str, Any]:
    """The commands of `scrapy` and `gwc` in this project."""
    settings = Settings()
    settings.setmodule("settings_profiles.local", "project")
    found: dict[str, Any] = _get_commands_dict(settings, True)
    for command in found.values():
        command.settings = settings
    return found


@cache
def options_of(name: str) -> set[str]:
    """The options of one command."""
    parser = argparse.ArgumentParser(conflict_handler="resolve")
    commands_there_are()[name].add_options(parser)
    return {option for action in parser._actions for option in action.option_strings}


def test_every_command_and_option_that_is_named_exists() -> None:
    named = set()
    for page, text in commands():
        match = re.match(r"(?:[A-Z_]+=\S+ )*(?:scrapy|gwc) ([a-z]+)\b(.*)", text.partition("#")[0])
        if match is None or page == "CHANGELOG.md":
            continue
        named.add(match[1])
        assert match[1] in commands_there_are(), f"{page}: {text}"
        given = re.findall(r"(?<=\s)(--?[a-zA-Z][\w-]*)", re.sub(r"'[^']*'", "''", match[2]))
        assert set(given) <= options_of(match[1]), f"{page}: {text}"
    ours = {name for name, one in commands_there_are().items() if type(one).__module__.startswith("gwc_crawler.")}
    scrapys = {"shell", "fetch", "view", "edit", "version"}
    assert ours - scrapys <= named


# --- codes, profiles, settings ----------------------------------------------------------------------------------------


def section(name: str, title: str) -> str:
    return BY_NAME[name].text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_every_exit_code_is_listed() -> None:
    rows = re.findall(r"^\| ([\d, ]+) \|", section("docs/operate.md", "Exit codes"), flags=re.MULTILINE)
    listed = {int(code) for row in rows for code in row.split(",")}
    ours = {error.exit_code for error in (errors.GwcError, *subclasses(errors.GwcError))}
    assert listed == ours | {0, errors.EXIT_PART, errors.EXIT_INTERRUPTED} | {10, 11}  # of `scrapy why`


def subclasses(kind: type[errors.GwcError]) -> list[type[errors.GwcError]]:
    return [deep for direct in kind.__subclasses__() for deep in (direct, *subclasses(direct))]


def test_every_profile_is_listed() -> None:
    config = ConfigParser()
    config.read(ROOT / "scrapy.cfg", encoding="utf-8")
    rows = re.findall(r"^\| `([\w-]+)` \|", section("docs/operate.md", "Profiles"), flags=re.MULTILINE)
    assert rows == list(config["settings"])


@pytest.mark.parametrize("page", [page for page in ALL if page.name != "CHANGELOG.md"], ids=lambda page: page.name)
def test_every_setting_that_is_named_exists(page: Page) -> None:
    from gwc_crawler import settings

    named = {name for name in re.findall(r"\bGWC_[A-Z_]+\b", page.text) if not name.startswith("GWC_TEST_")}
    assert [name for name in named if not hasattr(settings, name)] == []


def test_every_key_of_request_meta_is_told() -> None:
    from gwc_crawler import items

    keys = {(value, name) for name, value in vars(items).items() if name.startswith("META_")}
    rows = re.findall(
        r"^\| `(\w+)`, `(\w+)` \|", section("docs/architecture.md", "Keys of `Request.meta`"), flags=re.MULTILINE
    )
    assert set(rows) == keys


def test_the_messages_in_troubleshooting_are_said() -> None:
    quoted = re.findall(r"^\| (?:a setting )?`([^`]+)` \|", BY_NAME["docs/troubleshooting.md"].text, flags=re.MULTILINE)
    code = [path.read_text(encoding="utf-8") for path in (ROOT / "gwc_crawler").rglob("*.py")]
    assert len(quoted) > 5
    assert [text for text in quoted if not any(text in one for one in code)] == []

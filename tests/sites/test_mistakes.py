"""Every mistake a site file can hold: JSON cases, each with the file's lines and the problems in file order."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from gwc_crawler.errors import SiteFileError
from gwc_crawler.field_types.table import FIELD_TYPES
from gwc_crawler.sites.site_files import load_site

CASES = json.loads(Path(__file__).with_name("mistake_cases.json").read_text(encoding="utf-8"))
KNOWN_SETTINGS = ("DOWNLOAD_DELAY", "GWC_DATA_DIR")


@pytest.mark.parametrize("case", [pytest.param(case, id=case["description"]) for case in CASES])
def test_every_problem_is_named_with_its_line(case: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "shop.toml"
    path.write_text("\n".join(case["toml"]) + "\n", encoding="utf-8")
    with pytest.raises(SiteFileError) as caught:
        load_site(path, KNOWN_SETTINGS)
    problems = [problem.replace("{types}", ", ".join(FIELD_TYPES)) for problem in case["problems"]]
    lines = [f"{path}{problem}" if problem[0] == ":" else f"{path}:{problem}" for problem in problems]
    assert str(caught.value).splitlines() == lines
    assert caught.value.exit_code == 2


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SiteFileError, match=r"shop\.toml: no such site file; check the path"):
        load_site(tmp_path / "shop.toml")


def test_a_directory(tmp_path: Path) -> None:
    with pytest.raises(SiteFileError, match="is a directory; name a site file in it"):
        load_site(tmp_path)


def test_a_path_through_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SiteFileError, match=r"can't be read \(Not a directory\)"):
        load_site(tmp_path / "file" / "shop.toml")


def test_a_file_in_another_charset(tmp_path: Path) -> None:
    path = tmp_path / "shop.toml"
    path.write_bytes('entry = ["https://a.example/"]\nkeywords = "川菜"\n'.encode("gbk"))
    with pytest.raises(SiteFileError, match=r"shop\.toml:2: byte 0xb4 is not UTF-8; save the file as UTF-8"):
        load_site(path)


@pytest.mark.parametrize("name", ["-shop", "_shop", "my shop", ".hidden", "a" * 65, "shop!"])
def test_a_name_that_can_not_be_a_spider(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.toml"
    path.write_text('entry = ["https://a.example/"]\nkeywords = "book"\n', encoding="utf-8")
    with pytest.raises(SiteFileError, match="can't be a site's name"):
        load_site(path)


def test_deep_nesting_is_a_mistake_not_a_crash(tmp_path: Path) -> None:
    path = tmp_path / "shop.toml"
    path.write_text("entry = " + "[" * 50_000, encoding="utf-8")
    with pytest.raises(SiteFileError, match="nested too deeply"):
        load_site(path)


@pytest.mark.dear
def test_whatever_is_written_ends_in_a_site_or_in_problems(tmp_path: Path) -> None:
    """Cut, doubled and exchanged pieces of real files: never another exception, every line number inside the file."""
    chooser = random.Random(1)
    sources = ["\n".join(case["toml"]) for case in CASES]
    path = tmp_path / "shop.toml"
    for _ in range(1_500):
        text = chooser.choice(sources)
        for _ in range(chooser.randint(1, 4)):
            start, end = sorted((chooser.randrange(len(text) + 1), chooser.randrange(len(text) + 1)))
            text = (
                text[:start]
                + chooser.choice(["", text[start:end] * 2, '"', "]", "\n", "3", "{}", "[", "[[samples]]"])
                + text[end:]
            )
        path.write_text(text, encoding="utf-8")
        try:
            load_site(path, KNOWN_SETTINGS)
        except SiteFileError as error:
            assert error.problems
            assert all(line is None or 1 <= line <= text.count("\n") + 1 for line, _ in error.problems)

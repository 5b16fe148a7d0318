"""What sdist and wheel hold, and what they are called."""

from __future__ import annotations

import tarfile
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

import gwc_crawler
from tests.conftest import ROOT
from tests.install.conftest import Built, build_of

NOT_CARRIED = {"__pycache__", ".mypy_cache", ".ruff_cache"}


def test_the_wheel_holds_the_package_whole_and_nothing_beside_it(built: Built) -> None:
    names = zipfile.ZipFile(built.wheel).namelist()
    about = f"gwc_crawler-{gwc_crawler.__version__}.dist-info"
    assert {name.split("/")[0] for name in names} == {"gwc_crawler", about}
    files = {path.relative_to(ROOT).as_posix() for path in (ROOT / "gwc_crawler").rglob("*") if path.is_file()}
    wanted = {name for name in files if not NOT_CARRIED & set(name.split("/"))}
    assert {name for name in names if not name.startswith(about)} == wanted
    assert {"gwc_crawler/py.typed", "gwc_crawler/profiles/cluster.py", "gwc_crawler/project_files/gitignore"} <= wanted


@pytest.mark.slow
def test_wheels_of_the_tree_and_of_the_sdist_are_the_same(built: Built, tmp_path: Path) -> None:
    build_of(built.tree, tmp_path, "--wheel")
    (direct,) = tmp_path.glob("*.whl")
    from_sdist, from_tree = (zipfile.ZipFile(path) for path in (built.wheel, direct))
    assert built.wheel.name == direct.name
    contents = [{one.filename: one.CRC for one in wheel.infolist()} for wheel in (from_sdist, from_tree)]
    assert contents[0] == contents[1]


def test_the_sdist_can_be_built_from_and_read(built: Built) -> None:
    with tarfile.open(built.sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "setup.py", "README.md", "LICENSE", "CHANGELOG.md", "docs/README.md"} <= names
    assert "gwc_crawler/settings.py" in names
    assert [name for name in names if name.startswith(("tests", "settings_profiles", "sites", "data"))] == []


def test_the_metadata_says_what_it_is(built: Built) -> None:
    wheel = zipfile.ZipFile(built.wheel)
    about = f"gwc_crawler-{gwc_crawler.__version__}.dist-info"
    told = Parser().parsestr(wheel.read(f"{about}/METADATA").decode())
    assert told["Version"] == gwc_crawler.__version__
    assert told["License-File"] == "LICENSE"
    assert told.get_payload() == (ROOT / "README.md").read_text(encoding="utf-8")
    entry_points = wheel.read(f"{about}/entry_points.txt").decode()
    assert entry_points.split() == ["[console_scripts]", "gwc", "=", "gwc_crawler.__main__:main"]

"""How a proposed site file is written: whole, and for one person alone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gwc_crawler.errors import InputError
from gwc_crawler.runs.fetching import write_site_file


def test_of_those_who_choose_one_name_at_once_one_has_it_and_the_others_are_told(tmp_path: Path) -> None:
    texts = [f"# {number}\n" * 5000 for number in range(8)]

    def attempt(path: Path, text: str) -> str:
        try:
            write_site_file(path, text)
        except InputError:
            return ""
        return text

    paths = [tmp_path / f"shop{number}.toml" for number in range(10)]
    with ThreadPoolExecutor(len(texts)) as people:
        for path in paths:
            told = [*people.map(lambda text, path=path: attempt(path, text), texts)]
            assert [text for text in told if text] == [path.read_text()]
    assert sorted(tmp_path.iterdir()) == paths


def test_a_file_is_written_anew_only_if_forced(tmp_path: Path) -> None:
    path = tmp_path / "sites" / "shop.toml"
    write_site_file(path, "one")
    with pytest.raises(InputError, match="exists already"):
        write_site_file(path, "two")
    assert path.read_text() == "one"
    write_site_file(path, "two", force=True)
    assert path.read_text() == "two"
    assert path.stat().st_mode & 0o777 == 0o644
    assert [*path.parent.iterdir()] == [path]

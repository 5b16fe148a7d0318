"""The benchmarks of stripping and of the store measure what they say: every design strips every page."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import store
from benchmarks.strip import DESIGNS, Run, complaints, curve, make_pages, run_design
from gwc_crawler.items import PageKind

PAGES = 20
RUN = Run(pages=1000, seconds=1.0, cpu_seconds=1.0, database_share=0.3, memory=50_000_000, buffer=40_000_000)


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("strip") / "crawl.db"
    make_pages(path, PAGES)
    return path


@pytest.mark.parametrize("name", DESIGNS)
def test_every_design_strips_every_page(waiting: Path, tmp_path: Path, name: str) -> None:
    run = run_design(DESIGNS[name], f"sqlite:{waiting}", f"sqlite:{tmp_path / 'stripped.db'}")
    assert run.pages == PAGES
    assert 0 < run.database_share < 1
    with closing(sqlite3.connect(tmp_path / "stripped.db")) as connection:
        assert connection.execute("SELECT count(content) FROM stripped").fetchone() == (PAGES,)


def test_the_curve_has_ten_points(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    curve(300, tmp_path)
    _, *rows = capsys.readouterr().out.splitlines()
    assert rows[-1].split()[0] == "300"
    for row in rows:
        whole, inside, rest = map(float, row.split()[1:])
        assert whole > inside > 0
        assert abs(whole - inside - rest) < 0.02


def test_what_is_not_as_the_paper_has_it_is_told() -> None:
    runs = {"A1S1D": replace(RUN, cpu_seconds=3.0), "B1S1D": replace(RUN, cpu_seconds=2.0), "C1S1D": RUN, "C1S2D": RUN}
    assert complaints(runs) == []
    assert complaints(runs | {"A1S1D": replace(RUN, cpu_seconds=1.5)}) == ["A1S1D is faster than B1S1D"]
    assert complaints(runs | {"C1S2D": replace(RUN, memory=90_000_000)}) == [
        "memory is 2.2 times what the formula says"
    ]


def test_what_a_larger_file_costs_is_measured_of_whole_pages(tmp_path: Path) -> None:
    assert set(store.costs(tmp_path / "crawl.db", 300)) == set(store.costs(tmp_path / "crawl.db", 600))
    with closing(sqlite3.connect(tmp_path / "crawl.db")) as connection:
        assert connection.execute("SELECT count(html), max(kind) FROM pages").fetchone() == (600, PageKind.TARGET.value)

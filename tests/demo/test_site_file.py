"""The mall's site file is ready for use: right values, and keywords that tell products from all else."""

from __future__ import annotations

import re
import tomllib

import pytest

from gwc_crawler.demo.__main__ import main
from gwc_crawler.demo.mall import Mall
from gwc_crawler.demo.mall_server import mall_site_toml
from tests.mall_truth import truth_of

BASE = "http://127.0.0.1:8765"


@pytest.fixture(scope="module")
def mall() -> Mall:
    return Mall()


def _words_outside_links(html: str) -> str:
    body = re.sub(r"(?s)<a\b.*?</a>|<(style|script|title)>.*?</\1>", " ", html)
    return re.sub(r"<[^>]+>", " ", body)


@pytest.mark.parametrize(("seed", "size"), [(1, 30), (1, 200), (2, 50), (9, 77)])
def test_samples_hold_the_true_values_and_each_optional_field_once(seed: int, size: int) -> None:
    mall = Mall(seed, size)
    site = tomllib.loads(mall_site_toml(mall, BASE))
    first, second = site["samples"]
    for sample in (first, second):
        record = mall.records[sample["url"].removeprefix(BASE)]
        assert sample["fields"] == {name: value for name, value in record.items() if value is not None}
        assert len(sample["fields"]["tags"]) >= 2
        assert len(sample["fields"]["reviews"]) >= 2
    assert site["entry"] == [BASE + "/"]
    assert site["crawl"]["max_weight"] == truth_of(mall).island_weight


def test_the_quick_starts_samples_show_optional_fields_in_one_only(mall: Mall) -> None:
    first, second = tomllib.loads(mall_site_toml(mall, BASE))["samples"]
    assert first["fields"].keys() - second["fields"].keys() == {"discount", "warranty"}


def test_keywords_stand_in_products_outside_links_and_nowhere_else(mall: Mall) -> None:
    truth = truth_of(mall)
    for path in truth.in_scope - set(truth.redirects):
        words = _words_outside_links(mall.text(path))
        assert ("SKU" in words and ("品牌" in words or "Brand" in words)) == (path in truth.records), path


def test_the_command_writes_the_site_file(mall: Mall, tmp_path) -> None:
    assert main(["--write-site", str(tmp_path / "mall.toml")]) == 0
    assert (tmp_path / "mall.toml").read_text(encoding="utf-8") == mall_site_toml(mall)


def test_a_place_that_cannot_be_written_is_said_in_one_line(tmp_path, capsys) -> None:
    assert main(["--write-site", str(tmp_path / "no" / "mall.toml")]) == 2
    assert capsys.readouterr().err.count("\n") == 1

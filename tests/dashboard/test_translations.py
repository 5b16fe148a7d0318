"""Every word of the dashboard is there in every language, and none is left over."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from lxml.html import fromstring

from gwc_crawler.dashboard.web.rendering import STORED, retold, span
from gwc_crawler.dashboard.web.visit import Wording, languages
from gwc_crawler.extract.page_check import page_agrees
from gwc_crawler.extract.wrapper import NOT_FOUND
from gwc_crawler.items import PageKind, ValueShape
from gwc_crawler.knowledge import patterns
from gwc_crawler.knowledge.model import Sureness, Verdict
from gwc_crawler.learn.propose.guess import Clue
from gwc_crawler.operate.fleet.channel import Activity
from gwc_crawler.operate.status import Stage
from gwc_crawler.runs.comparison import LookedAt

HOME = Path(__file__).resolve().parents[2] / "gwc_crawler" / "dashboard"
IN_TEMPLATE = re.compile(r"""\b_\(\s*(?:"([^"]*)"|'([^']*)')""")


def texts_in_code() -> set[str]:
    """All texts in the code that look like words: those given to people are among them."""
    return {
        node.value
        for path in HOME.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def said_in_code() -> set[str]:
    """Texts that are given to people for sure."""
    found = set()
    for path in HOME.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            words = [one for one in node.keywords if one.arg in ("menu", "tab", "told")]
            firsts = node.args[:1] if name == "say" else node.args[2:3] if name == "refuse" else []
            for one in (*firsts, *(word.value for word in words)):
                if isinstance(one, ast.Constant) and isinstance(one.value, str) and one.value:
                    found.add(one.value)
    return found


def said_in_templates() -> set[str]:
    texts = (path.read_text("utf-8") for path in HOME.rglob("*.html"))
    return {one or other for text in texts for one, other in IN_TEMPLATE.findall(text)}


@pytest.mark.parametrize("language", [name for name in languages() if name != "en"])
def test_no_word_is_missing_or_left_over(language: str) -> None:
    words = languages()[language]
    assert sorted((said_in_code() | said_in_templates()) - set(words)) == []
    kinds = (PageKind, Verdict, Activity, Clue, Sureness, ValueShape, LookedAt, Stage)
    of_data = {one.value for kind in kinds for one in kind} | set("smhd") | {"min"}
    of_trials = {patterns.TOO_LARGE, patterns.TOO_SLOW}
    assert sorted(of_trials - set(words)) == []
    assert sorted({one.value for kind in (Clue, Stage) for one in kind} - set(words)) == []
    assert sorted(set(words) - texts_in_code() - said_in_templates() - of_data - of_trials) == []
    assert {key: word for key, word in words.items() if names(key) != names(word)} == {}


def names(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)", text))


def test_the_dashboard_is_no_terminal() -> None:
    assert [word for word in languages()["zh"].values() if "控制台" in word] == []


def test_stored_reasons_and_spans_are_told_in_the_language_of_the_page() -> None:
    chinese = Wording("zh").say
    check = {"required": ["b:SKU:"], "least_required": 1.0}
    told = page_agrees(fromstring("<body><p>x</p></body>"), None, {}, check)
    assert told is not None
    assert retold(told, chinese) == "目标页的 1 个特征缺少 1 个，例如 'SKU:'"
    assert retold(NOT_FOUND, chinese) == "页面上没有找到"
    assert retold("HTTP 404", chinese) == "HTTP 404"
    assert [form for form in STORED if form not in languages()["zh"]] == []
    assert span(7300, chinese) == "2 小时 1 分"

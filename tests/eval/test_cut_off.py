"""A sample has to its end what the truth cuts off."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.eval.cut_off import completed
from tests.eval.tasks import EvalPage, parse

PAGE = """<h1>Hook</h1><div><p>Registers a hook, replacing any that <code>set</code> was given.</p><p>More.</p></div>
<p>Wait for it\u2026<br>and go on</p>"""


@pytest.mark.parametrize(
    ("cut", "whole"),
    [
        ("Registers a hook, replacing any \u2026", "Registers a hook, replacing any that set was given."),
        ("Wait for it\u2026", "Wait for it\u2026"),
        ("Removes a hook, replacing \u2026", None),
        (
            [{"name": "Hook", "desc": "Registers\u2026"}],
            [{"name": "Hook", "desc": "Registers a hook, replacing any that set was given."}],
        ),
    ],
)
def test_a_text_that_is_cut_off_goes_on_as_on_the_page(cut: object, whole: object) -> None:
    assert completed(cut, parse(PAGE)) == whole


def test_a_sample_has_what_its_truth_cuts_off(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(PAGE, encoding="utf-8")
    page = EvalPage(
        "http://example.com/", file, {"name": "Hook", "summary": None}, {"summary": "Registers a hook, \u2026"}
    )
    assert page.sample_fields() == {"name": "Hook", "summary": "Registers a hook, replacing any that set was given."}
    assert page.truth["summary"] is None

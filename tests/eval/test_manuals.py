"""The truth about manuals is read as their pages have it; the manuals themselves are crawled by hand."""

from __future__ import annotations

from pathlib import Path

from tests.eval.manuals import MANUALS, truth_of

QT = """<html><body><h1 class="title">{title}</h1><a href="{file}-members.html">all members</a>
<table><tr><td> Header:</td><td>#include &lt;{title}&gt;</td></tr></table>
<a href="beside.html#more">beside</a><a href="https://other.example/">other</a></body></html>"""


def test_targets_are_what_links_lead_to_and_its_form_says(tmp_path: Path) -> None:
    manual = MANUALS["qt"]
    folder = tmp_path / manual.entry
    folder.parent.mkdir()
    folder.write_text("<html><body><a href='qlabel.html'>QLabel</a> <a href='gone.html'>gone</a></body></html>")
    (folder.parent / "qlabel.html").write_text(QT.format(title="QLabel Class", file="qlabel"))
    (folder.parent / "beside.html").write_text(
        QT.format(title="Notes on QLabel Class", file="x").replace("members", "")
    )
    (folder.parent / "unlinked.html").write_text(QT.format(title="QUnlinked Class", file="qunlinked"))
    assert truth_of(manual, tmp_path) == {
        "qtwidgets/qlabel.html": {"title": "QLabel Class", "header": "#include <QLabel Class>"}
    }


def test_a_page_without_a_field_has_no_value_for_it() -> None:
    page = b"<div class='refentry' id='SQL-X'><span class='refentrytitle'>X</span></div>"
    assert MANUALS["postgresql"].read(page) == {"name": "X"}
    assert MANUALS["postgresql"].read(b"<div class='refentry' id='APP-X'>X</div>") is None

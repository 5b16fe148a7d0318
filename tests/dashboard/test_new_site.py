"""New site: what is shown of a foreign page does nothing; a click gives a field; drafts are few."""

from __future__ import annotations

import os
import re
import time
from html import unescape
from pathlib import Path

import pytest
from markupsafe import Markup

from gwc_crawler.dashboard.queries.drafts import (
    MOST_DRAFTS,
    MOST_FIELDS,
    OLDEST_SECONDS,
    Drafts,
    SiteDraft,
    new_id,
    pick,
)
from gwc_crawler.dashboard.web.rendering import elements_of, harmless
from gwc_crawler.dashboard.web.security import VisitorCheck
from gwc_crawler.errors import InputError
from gwc_crawler.learn.propose.guess import Clue, FieldProposal
from gwc_crawler.learn.propose.page_reading import ReadPage
from tests.dashboard.asking import TOKEN, Question, ask, form_token
from tests.learn.propose.pages import ORIGIN, page
from tests.site_server import SiteServer

DAY = re.compile(r"20\d\d-\d\d-\d\d")

HOSTILE = b"""<body onload="alert(1)"><h1 style="background:url(http://evil.example/a)" onclick="alert(2)">Name</h1>
<script>alert(3)</script><img src="http://evil.example/x.png" onerror="alert(4)" alt='"><script>alert(5)</script>'>
<a href="javascript:alert(6)">link</a><iframe src="http://evil.example/"></iframe>
<form action="/drop"><input name="x"></form>
<svg onload="alert(7)"><a href="x">y</a></svg><p>&lt;script&gt;alert(8)&lt;/script&gt; \xe2\x80\xaeturned</p></body>"""


def draft(**how: int) -> SiteDraft:
    """A draft of two dishes, with no field yet."""
    return SiteDraft(new_id(), "dishes", f"{ORIGIN}/", "", [page(0, **how), page(1, **how), page(2, **how)], [])


def number_of(at: ReadPage, text: str) -> int:
    """The number of the innermost element with this text."""
    return [n for n, element in enumerate(elements_of(at.tree)) if at.text(element) == text][-1]


# --- what is shown ----------------------------------------------------------------------------------------------------


def test_of_a_foreign_page_nothing_is_left_but_its_texts() -> None:
    shown = harmless(ReadPage("http://evil.example/", HOSTILE).tree, {})
    assert isinstance(shown, Markup)
    names = set(re.findall(r"<([a-z0-9]+)", shown))
    assert names <= {"body", "div", "span", "p", "br"}
    attributes = set(re.findall(r'\s([a-z-]+)="', re.sub(r">[^<]*<", "><", shown)))
    assert attributes <= {"data-e", "tabindex", "role", "class"}
    assert "&lt;script&gt;alert(8)" in shown
    assert "evil.example" not in shown
    assert "\u202e" not in shown


def test_a_huge_page_is_shown_in_part_and_closed() -> None:
    body = b"<div><ul>" + b"<li>row</li>" * 30_000 + b"</ul></div>"
    shown = harmless(ReadPage("http://h.example/", body).tree, {})
    assert len(shown) < 1_000_000
    assert shown.count("<li") == shown.count("</li>")
    assert shown.count("<ul") == shown.count("</ul>")


# --- a click ----------------------------------------------------------------------------------------------------------


def test_a_clicked_value_is_guessed_on_the_other_page() -> None:
    one = draft()
    field = pick(one, 0, number_of(one.pages[0], "300 g"), "weight", like=False)
    assert (field.values, field.problem) == (["300 g", "301 g"], "")
    assert one.fields == [field]


def test_a_click_on_one_review_takes_the_others_like_it() -> None:
    one = draft(reviews=3)
    field = pick(one, 1, number_of(one.pages[1], "guest 1-2"), "", like=True)
    assert field.name == "reviews"
    assert field.problem == ""
    for number, value in enumerate(field.values):
        assert isinstance(value, list)
        assert [row["author"] for row in value if isinstance(row, dict)] == [f"guest {number}-{n}" for n in range(3)]


def test_a_second_click_corrects_the_guess() -> None:
    one = draft()
    pick(one, 0, number_of(one.pages[0], "300 g"), "weight", like=False)
    field = pick(one, 1, number_of(one.pages[1], "Kung Pao Chicken"), "weight", like=False)
    assert field.values == ["300 g", "Kung Pao Chicken"]
    assert field.problem


@pytest.mark.parametrize(("element", "name"), [(-1, "x"), (99_999, "x"), (3, "a=b"), (3, "<script>")])
def test_what_cannot_be_taken_is_told(element: int, name: str) -> None:
    one = draft()
    with pytest.raises(InputError):
        pick(one, 0, element, name, like=False)
    assert one.fields == []


def test_a_draft_has_only_so_many_fields() -> None:
    one = draft()
    one.fields += [FieldProposal(f"f{number}", [None, None], Clue.CLICKED) for number in range(MOST_FIELDS)]
    with pytest.raises(InputError, match="at most 60 fields"):
        pick(one, 0, number_of(one.pages[0], "300 g"), "weight", like=False)
    assert len(one.fields) == MOST_FIELDS


# --- drafts -----------------------------------------------------------------------------------------------------------


def test_a_draft_is_read_as_it_was_kept(tmp_path: Path) -> None:
    one = draft()
    one.fields.append(FieldProposal("tags", [["a", "b"], None], "clicked"))
    drafts = Drafts(tmp_path)
    drafts.keep(one, [(at, "") for at in one.pages])
    again = drafts.read(one.id)
    assert (again.name, again.fields) == (one.name, one.fields)
    assert [at.body for at in again.pages] == [at.body for at in one.pages]
    drafts.drop(one.id)
    with pytest.raises(InputError, match="begin a new one"):
        drafts.read(one.id)


def test_keywords_hold_once_a_person_has_written_them(tmp_path: Path) -> None:
    one = draft()
    one.proposed_keywords = "Weight"
    one.fields.append(FieldProposal("title", ["a", "b"], "clicked"))
    Drafts(tmp_path / "data").keep(one, [(at, "") for at in one.pages])
    form = {"form_token": VisitorCheck(TOKEN).form_token, "site": "dishes"}
    shown, proposed, wanted = ask(
        tmp_path,
        f"/new/{one.id}",
        Question(f"/new/{one.id}/fields", {**form, "keywords": "", "then": "try"}),
        Question(f"/new/{one.id}/fields", {**form, "keywords": "Guests", "then": "try"}),
    )
    assert "<code>Weight</code>" in shown.text
    assert "\n# keywords = &#34;Weight&#34;" in proposed.text
    assert "\nkeywords = &#34;Guests&#34;" in wanted.text


def test_the_site_file_that_is_shown_is_the_one_that_is_saved(tmp_path: Path) -> None:
    """Without the field that can't be learned."""
    one = draft()
    pick(one, 0, number_of(one.pages[0], "300 g"), "weight", like=False)
    one.fields.append(FieldProposal("stars", ["five", "six"], "clicked", problem="is nowhere on the page"))
    Drafts(tmp_path / "data").keep(one, [(at, "") for at in one.pages])
    form = {"form_token": VisitorCheck(TOKEN).form_token, "name": "dishes", "then": "stay"}
    shown, _ = ask(tmp_path, f"/new/{one.id}/try", Question(f"/new/{one.id}/save", form))
    assert "stars can&#39;t be learned" in shown.text
    text = re.search(r"<pre>(.*?)</pre>", shown.text, re.DOTALL)
    assert text is not None
    assert unescape(text[1]) == (tmp_path / "sites" / "dishes.toml").read_text(encoding="utf-8")


def test_drafts_are_few_and_do_not_grow_old(tmp_path: Path) -> None:
    drafts = Drafts(tmp_path)
    old = draft()
    drafts.keep(old)
    then = time.time() - OLDEST_SECONDS - 60
    os.utime(tmp_path / ".drafts" / old.id, (then, then))
    for _ in range(MOST_DRAFTS + 3):
        drafts.keep(draft())
    assert len(drafts.ids()) <= MOST_DRAFTS
    assert old.id not in {one for one, _, _ in drafts.ids()}


@pytest.mark.parametrize("name", ["../../etc", "..", "a/b", ""])
def test_no_other_file_is_read_as_a_draft(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError):
        Drafts(tmp_path).read(name)


# --- asked for --------------------------------------------------------------------------------------------------------


def test_a_private_address_or_none_is_told_not_fetched(tmp_path: Path) -> None:
    seen = ask(tmp_path, "/new")[0]
    assert seen.status == 200
    assert form_token(seen.text)
    forms = [{"form_token": form_token(seen.text), "url": url} for url in ("ftp://a.example/", "http://127.0.0.1:9/")]
    answers = ask(tmp_path, *(Question("/new", form) for form in forms))
    assert "is no http or https address" in answers[0].text
    assert "127.0.0.1:9" in answers[1].text
    assert "refuses the connection" in answers[1].text
    assert 'value="http://127.0.0.1:9/"' in answers[1].text, "what was written is still there"
    assert not list((tmp_path / "sites").iterdir())


def test_where_nothing_is_found_the_field_for_a_second_page_is_named(tmp_path: Path, site: SiteServer) -> None:
    site.links = {"/": []}
    form = {"form_token": VisitorCheck(TOKEN).form_token, "url": f"{site.url}/"}
    (seen,) = ask(tmp_path, Question("/new", form))
    assert "of another one as the second page" in seen.text
    assert "<details open>" in seen.text


def test_without_a_form_of_ours_nothing_is_begun(tmp_path: Path) -> None:
    assert ask(tmp_path, Question("/new", {"url": "http://a.example/"}))[0].status == 403


def test_a_draft_that_is_gone_is_told(tmp_path: Path) -> None:
    assert ask(tmp_path, "/new/abcdefgh")[0].status == 404

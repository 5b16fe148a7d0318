"""Who is kept out of the dashboard, and what its pages may do."""

from __future__ import annotations

from pathlib import Path

import pytest

from gwc_crawler.dashboard.web import VisitorCheck
from tests.dashboard.asking import TOKEN, Question, ask

FORM = {"form_token": VisitorCheck(TOKEN).form_token, "language": "zh", "back": "/"}


def test_without_its_token_nothing_is_shown(tmp_path: Path) -> None:
    (tmp_path / "sites").mkdir()
    (tmp_path / "sites" / "books.toml").write_text('entry = ["http://b.example/"]\n')
    questions = ("/", "/live", "/sites/books", "/?token=wrong", Question("/look", FORM))
    assert [(one.status, "books" in one.text) for one in ask(tmp_path, *questions, entered=False)] == [
        (403, False)
    ] * len(questions)


def test_the_token_goes_from_the_address_into_a_cookie_of_this_site_alone(tmp_path: Path) -> None:
    (seen,) = ask(tmp_path, Question(f"/?token={TOKEN}&a=b", follow=False), entered=False)
    assert (seen.status, seen.headers["Location"]) == (303, "/?a=b")
    cookie = seen.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie


def test_a_host_name_of_somebody_else_s_is_refused(tmp_path: Path) -> None:
    hosts = ("evil.example", "localhost.evil.example:80", "127.0.0.1.evil.example", "a@evil.example", "[::1", "")
    seen = ask(tmp_path, *(Question("/", headers={"Host": host}) for host in hosts))
    assert {one.status for one in seen} <= {400, 421}
    assert all("form_token" not in one.text for one in seen)


FROM_ELSEWHERE = (
    {"Origin": "http://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1:1"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "none"},
)


@pytest.mark.parametrize("headers", FROM_ELSEWHERE, ids=str)
def test_what_another_site_sends_changes_nothing(tmp_path: Path, headers: dict[str, str]) -> None:
    (seen,) = ask(tmp_path, Question("/look", FORM, headers, follow=False))
    assert seen.status == 403
    assert "Set-Cookie" not in seen.headers


def test_a_form_needs_its_token_and_a_known_way(tmp_path: Path) -> None:
    wrong = {**FORM, "form_token": "0" * 64}
    away = {**FORM, "back": "//evil.example/"}
    seen = ask(tmp_path, Question("/look", wrong), Question("/look", FORM), Question("/look", away, follow=False))
    assert [one.status for one in seen] == [403, 200, 303]
    assert 'lang="zh"' in seen[1].text
    assert seen[2].headers["Location"] == "/"


def test_pages_run_no_script_but_ours_and_stand_in_no_other_s_frame(tmp_path: Path) -> None:
    page, missing = ask(tmp_path, "/", "/nothing")
    for seen in (page, missing):
        policy = seen.headers["Content-Security-Policy"]
        assert "unsafe" not in policy
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert seen.headers["Cache-Control"] == "no-store"
        assert "<style" not in seen.text
        assert " style=" not in seen.text
        assert " onclick=" not in seen.text
    assert missing.status == 404

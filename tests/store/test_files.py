"""What a body is, what it may be called, and which are kept."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gwc_crawler.store.kept_files import file_choice, given_name, kind_of, path_of_content, path_of_page


@pytest.mark.parametrize(
    ("body", "declared", "kind"),
    [
        (b"%PDF-1.4\n", "", "application/pdf"),
        (b"%PDF-1.4\n", "image/png", "application/pdf"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "application/octet-stream", "image/png"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF\0", "text/html", "image/jpeg"),
        (b"GIF89a\1\0\1\0", "image/jpeg", "image/gif"),
        (b"RIFF\x10\0\0\0WEBPVP8 ", "", "image/webp"),
        (b'{"a": 1}', "application/json; charset=utf-8", "application/json"),
        (b"one;two\n", "Text/CSV", "text/csv"),
        (b"BM", "text/plain", "text/plain"),
        (b"?", "no type at all", "application/octet-stream"),
        (b"", "", "application/octet-stream"),
    ],
)
def test_the_bytes_say_what_a_body_is(body: bytes, declared: str, kind: str) -> None:
    assert kind_of(body, declared) == kind


@given(st.binary(max_size=200), st.text(max_size=40))
def test_any_body_has_a_type_and_a_path_of_digits(body: bytes, said: str) -> None:
    path, digest = path_of_content(body, kind_of(body, said), said)
    assert set(path) <= set(string.ascii_lowercase + string.digits + "/.")
    assert path.startswith(f"files/{digest[:2]}/{digest}.")
    assert ".." not in path


@given(st.text(max_size=300), st.text(max_size=300))
def test_no_name_leads_out_of_its_folder(url: str, disposition: str) -> None:
    name = given_name(
        f"http://x.example/{url.translate(str.maketrans('', '', '[]'))}", f"attachment; filename={disposition}"
    )
    assert not set(name) & set('<>:"|?*\\/\r\n\0')
    assert not name.startswith(".")
    assert len(name) <= 120


def test_a_page_is_named_by_the_digits_of_its_md5() -> None:
    assert path_of_page("http://example.com/") == "html/a6/bf/a6bf1757fff057f2.html"


@pytest.mark.parametrize("text", ["", "pdf", "all none", "image/", "targets application/pdf"])
def test_what_is_neither_a_word_nor_a_type_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        file_choice(text)

"""Charsets: what is declared, unless the bytes say otherwise."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from w3lib.encoding import resolve_encoding

from gwc_crawler.page.charset import charset_evidence, decode_bytes, detect_charset
from tests.eval.corpora import page_file, read_rows

CHINESE = "<title>首页</title><p>我们的商品都在这里，价格也是最好的。</p>"
TRADITIONAL = "<title>首頁</title><p>我們的商品都在這裡，價格也是最好的。</p>"
JAPANESE = "<title>ホーム</title><p>これは日本語のページです。どうぞよろしく。</p>"
KOREAN = "<title>홈</title><p>이것은 한국어로 된 페이지입니다. 가격은 아래에 있습니다.</p>"
COMMON = "read in it the text has its language's commonest characters"
RUSSIAN = "<title>Главная</title><p>Это русская страница с ценами и описанием товаров.</p>"


@pytest.mark.parametrize(
    ("body", "content_type", "expected"),
    [
        pytest.param(CHINESE.encode("gbk"), "text/html; charset=GB2312", "gb18030", id="GB2312 means GB18030"),
        pytest.param(
            b"<meta charset=gbk>" + CHINESE.encode("gbk"), "text/html; charset=utf-8", "gb18030", id="meta is right"
        ),
        pytest.param(
            b"<meta http-equiv=Content-Type content='text/html; charset=big5'>" + TRADITIONAL.encode("big5"),
            None,
            "big5hkscs",
            id="http-equiv",
        ),
        pytest.param(
            b"<?xml version='1.0' encoding='GBK'?>" + CHINESE.encode("gbk"), None, "gb18030", id="XML declaration"
        ),
        pytest.param(CHINESE.encode(), "text/html; charset=gb2312", "utf-8", id="declared GB2312, really UTF-8"),
        pytest.param(CHINESE.encode("gbk"), "text/html; charset=utf-8", "gb18030", id="declared UTF-8, really GBK"),
        pytest.param(
            CHINESE.encode("gbk"), "text/html; charset=iso-8859-1", "gb18030", id="a server's default Latin-1"
        ),
        pytest.param(
            TRADITIONAL.encode("big5"), "text/html; charset=gb2312", "big5hkscs", id="declared GB2312, really Big5"
        ),
        pytest.param(CHINESE.encode("gbk"), "text/html; charset=big5", "gb18030", id="declared Big5, really GBK"),
        pytest.param(CHINESE.encode("gbk"), "text/html; charset=nonsense", "gb18030", id="nonsense declared"),
        pytest.param(CHINESE.encode(), None, "utf-8", id="undeclared UTF-8"),
        pytest.param(CHINESE.encode("gbk"), None, "gb18030", id="undeclared GBK"),
        pytest.param(TRADITIONAL.encode("big5"), None, "big5hkscs", id="undeclared Big5"),
        pytest.param(JAPANESE.encode("shift_jis"), None, "cp932", id="undeclared Shift-JIS"),
        pytest.param(JAPANESE.encode("euc_jp"), None, "euc_jp", id="undeclared EUC-JP"),
        pytest.param(KOREAN.encode("euc_kr"), None, "cp949", id="undeclared EUC-KR"),
        pytest.param(RUSSIAN.encode("cp1251"), None, "cp1251", id="undeclared Cyrillic"),
        pytest.param("<p>价</p>".encode("gbk"), None, "gb18030", id="one undeclared Chinese character"),
        pytest.param(
            "<p>café</p>".encode("latin-1"), "text/html; charset=iso-8859-1", "cp1252", id="Latin-1 that is true"
        ),
        pytest.param(b"\xef\xbb\xbf<meta charset=gbk>" + CHINESE.encode(), None, "utf-8", id="byte order mark"),
        pytest.param(b"\xff\xfe" + CHINESE.encode("utf-16-le"), None, "utf-16-le", id="UTF-16 with its mark"),
        pytest.param(b"<meta charset=utf-16><p>x</p>", None, "utf-8", id="a meta that was readable can't be UTF-16"),
        pytest.param(JAPANESE.encode("iso2022_jp"), None, "iso2022_jp_ext", id="ISO-2022-JP"),
        pytest.param("<p>ｶﾀｶﾅ".encode("iso2022_jp_ext"), None, "iso2022_jp_ext", id="half-width katakana"),
        pytest.param(b"\x1b$)C<p>\x0e0!\x0f", None, "iso2022_kr", id="ISO-2022-KR"),
        pytest.param(b"<p>\x1b$)A\x0e<:;;\x0f", None, "iso2022_cn", id="ISO-2022-CN"),
        pytest.param(b"<meta charset=x-sjis>" + JAPANESE.encode("cp932"), None, "cp932", id="a label of the web's"),
        pytest.param(
            b"<meta charset=windows-874><p>\xca\xc7\xd1\xca\xb4\xd5", None, "cp874", id="Thai by another label"
        ),
        pytest.param(b"<p>plain</p>", None, "utf-8", id="ASCII"),
        pytest.param(b"", None, "utf-8", id="empty"),
    ],
)
def test_detected_charset(body: bytes, content_type: str | None, expected: str) -> None:
    assert detect_charset(body, content_type) == expected


@pytest.mark.parametrize(
    ("body", "content_type", "expected"),
    [
        (b"\xef\xbb\xbfx", None, "its byte order mark"),
        (b"x", "text/html; charset=gbk", "the header says so; all of it is ASCII"),
        (b"x", None, "nothing is declared; all of it is ASCII"),
        (JAPANESE.encode("iso2022_jp"), None, "its escape sequences"),
        (b"<meta charset=gbk>" + CHINESE.encode("gbk"), None, "the page's meta says so, and the bytes agree"),
        (CHINESE.encode(), "text/html; charset=big5", "it is valid UTF-8, though the header says big5hkscs"),
        (
            b"<meta charset=big5>" + CHINESE.encode("gbk"), "text/html; charset=utf-8",
            f"{COMMON}, though the header says utf-8 and the page's meta says big5hkscs",
        ),
    ],
)  # fmt: skip
def test_what_chose_the_charset_is_said(body: bytes, content_type: str | None, expected: str) -> None:
    assert charset_evidence(body, content_type).why == expected


def test_planes_of_cns_11643_are_read() -> None:
    assert b"\xa4\xa1\xc4\xa1\x8e\xa2\xa1\xa1\x8e\xa1\xc4\xa1a".decode("euc_tw") == "\uff10一乂一a"
    assert b"\x8e\xa3\xa1\xa1\xff\xa4".decode("euc_tw", "replace") == "\ufffd\ufffd\ufffd"
    assert b"\x1b$)G\x0eD!\x0f-\x1b$*H\x1bN!!\nD!".decode("iso2022_cn") == "一-乂\nD!"
    with pytest.raises(UnicodeDecodeError):
        b"\xff".decode("euc_tw")


def decoded(body: bytes) -> str:
    return decode_bytes(body, detect_charset(body))


def test_a_page_with_a_few_broken_bytes_stays_what_it_declares() -> None:
    body = b"<meta charset=gb2312>" + (CHINESE * 5).encode("gbk") + b"\xff" + CHINESE.encode("gbk")[:-5]
    text = decoded(body)
    assert detect_charset(body) == "gb18030"
    assert text.count("商品") == 6


def test_a_utf8_body_cut_off_within_a_character_is_still_utf8() -> None:
    assert detect_charset(CHINESE.encode()[:-6], "text/html; charset=utf-8") == "utf-8"


def test_the_euro_sign_of_gbk_is_decoded() -> None:
    assert "€5" in decoded(b"<meta charset=gbk>" + CHINESE.encode("gbk") + b"\x805")


@pytest.mark.corpora
@pytest.mark.parametrize("declarations", ["kept", "removed"])
def test_labelled_files_are_decoded_as_labelled(corpora: Path, declarations: str) -> None:
    wrong = []
    for row in read_rows("pages/truth-charset.jsonl"):
        label = re.sub(r"(iso-8859-\d+|windows-\d+)-\w+", r"\1", row["encoding"])
        body = (corpora / "pages" / row["file"]).read_bytes()
        if declarations == "removed":
            body = re.sub(rb"(?i)(charset|encoding)(\s*=\s*[\"']?)[\w-]+", rb"\1\2x", body)
        text = decoded(body)
        if text.lstrip("\ufeff") != body.decode(resolve_encoding(label) or label, "replace").lstrip("\ufeff"):
            wrong.append(row["file"])
    assert wrong == []


@pytest.mark.corpora
def test_a_chinese_site_that_declares_badly_or_nothing_is_read(corpora: Path) -> None:
    pages = [row for row in read_rows("w3school/pages.jsonl")[::12] if row["bytes"] in ("gb2312", "gbk")]
    files = [file for row in pages if (file := page_file("w3school", row["url"])).is_file()]
    wrong = [file.name for file in files if detect_charset(file.read_bytes(), "text/html") != "gb18030"]
    assert len(files) > 500
    assert wrong == []

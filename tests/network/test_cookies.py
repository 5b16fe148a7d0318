"""Cookies as browsers and their add-ons export them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from gwc_crawler.errors import InputError
from gwc_crawler.network.access import CookieFile, Reach, read_cookies
from gwc_crawler.network.proxies import read_proxy_list

NOW = 1_700_000_000
HEAD = "# Netscape HTTP Cookie File\n"
REACH = Reach({"shop.example"}, in_clear=False)


def read(path: Path, content: str) -> CookieFile:
    path.write_text(content, encoding="utf-8")
    return read_cookies(path, REACH.has_cookies_of, NOW)


def shown(found: CookieFile) -> list[tuple[Any, ...]]:
    return [(one.name, one.value, one.domain, one.path, one.secure, one.expires) for one in found.cookies]


def test_netscape(tmp_path: Path) -> None:
    lines = (
        f".shop.example\tTRUE\t/\tTRUE\t{NOW + 9}\tsid\tabc-def-123\n"
        f"#HttpOnly_www.shop.example\tFALSE\t/a\tFALSE\t0\tuntil\tthe-end\n"
        f".shop.example\tTRUE\t/\tFALSE\t{NOW - 9}\told\tgone\n"
        f".other.example\tTRUE\t/\tFALSE\t{NOW + 9}\tno\tbusiness\n"
    )
    found = read(tmp_path / "cookies.txt", HEAD + lines)
    assert sorted(shown(found)) == [
        ("sid", "abc-def-123", ".shop.example", "/", True, NOW + 9),
        ("until", "the-end", "www.shop.example", "/a", False, None),
    ]
    assert found.expired == ("old",)


@pytest.mark.parametrize("whole", [list, lambda rows: {"cookies": rows, "origins": []}])
def test_json(tmp_path: Path, whole: Any) -> None:
    rows = [
        {
            "name": "sid",
            "value": "abc-def-123",
            "domain": ".shop.example",
            "path": "/",
            "expires": NOW + 9.5,
            "secure": True,
        },
        {"name": "session", "value": "the-end", "domain": "shop.example", "expires": -1, "httpOnly": True},
        {"name": "chrome", "value": "four", "domain": "shop.example", "hostOnly": False, "expirationDate": NOW + 1},
        {"name": "old", "value": "gone", "domain": "shop.example", "expirationDate": NOW - 1},
    ]
    found = read(tmp_path / "c.json", json.dumps(whole(rows)))
    assert shown(found) == [
        ("sid", "abc-def-123", ".shop.example", "/", True, NOW + 9),
        ("session", "the-end", "shop.example", "/", False, None),
        ("chrome", "four", ".shop.example", "/", False, NOW + 1),
    ]
    assert found.expired == ("old",)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "holds no cookies|no cookies.txt"),
        ("sid=abc-def-123", "is no cookies.txt"),
        (f"{HEAD}only one field: abc-def-123\n", "is no cookies.txt"),
        (HEAD, "holds no cookies"),
        ("[{]", "is no JSON: line 1"),
        ('{"a": 1}', "has no list of cookies"),
        ('[{"name": "sid"}]', "cookie 1 of .* needs name, value and domain"),
        (f"{HEAD}.other.example\tTRUE\t/\tFALSE\t{NOW + 9}\tno\tabc-def-123\n", "none is for the site, but for .other"),
        (f"{HEAD}shop.example\tFALSE\t/\tFALSE\t9\tsid\tabc-def-123\n", "all 1 of the site's have expired"),
    ],
)
def test_what_is_of_no_use_is_said_without_a_value(tmp_path: Path, content: str, why: str) -> None:
    with pytest.raises(InputError, match=why) as caught:
        read(tmp_path / "cookies.txt", content)
    assert "abc-def-123" not in str(caught.value)


def test_a_pipe_that_nobody_writes_into_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "cookies.txt")
    with pytest.raises(InputError, match="can't be read: it is a pipe or a device"):
        read_cookies(tmp_path / "cookies.txt", lambda _: True)
    with pytest.raises(InputError, match="can't be read: it is a pipe or a device"):
        read_proxy_list(tmp_path / "cookies.txt")

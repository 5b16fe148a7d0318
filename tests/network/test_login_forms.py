"""Login forms as sites write them → what is sent, or why nothing is."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest

from gwc_crawler.middlewares.login import fill_form, shows_fields, succeeded
from gwc_crawler.network.access import Success

URL = "https://shop.example/account/login?next=1"
FIELDS = {"user": "ann & bob", "pass": "ü=/?"}
INPUTS = '<input name="user"><input name="pass" type="password">'


def filled(form: str, css: str = "") -> tuple[str, list[tuple[str, str]]]:
    target, body = fill_form(f"<html><body>{form}</body></html>", URL, FIELDS, css)
    return target, parse_qsl(body.decode("ascii"), keep_blank_values=True)


def test_what_a_browser_would_send_is_sent() -> None:
    form = (
        '<form action="go" method="POST"><input type="hidden" name="csrf" value="t0ken">'
        '<input name="user" value="guest">'
        '<input name="pass" type="password"><input type="checkbox" name="stay" value="1" checked>'
        '<input type="checkbox" '
        'name="ads" value="1"><select name="lang"><option value="en"><option value="de" selected></select>'
        '<button type="button" name="help">?</button><button name="do" value="in">In</button>'
        '<button name="do">x</button>'
    )
    url, sent = filled(form)
    assert url == "https://shop.example/account/go"
    assert sorted(sent) == sorted(
        [("csrf", "t0ken"), ("stay", "1"), ("lang", "de"), ("do", "in"), ("user", "ann & bob"), ("pass", "ü=/?")]
    )


@pytest.mark.parametrize(
    ("form", "url"),
    [
        (f'<form method="post">{INPUTS}</form>', URL),
        (f'<form method="post" action="">{INPUTS}</form>', URL),
        (f'<form method="post" action="//sso.example/in">{INPUTS}</form>', "https://sso.example/in"),
        (f'<base href="/deep/"><form method="post" action="in">{INPUTS}</form>', "https://shop.example/deep/in"),
        (
            f'<form action="/q"><input name="q"></form><form method="post" action="/in">{INPUTS}</form>',
            "https://shop.example/in",
        ),
    ],
)
def test_where_it_goes(form: str, url: str) -> None:
    assert filled(form)[0] == url


def test_a_form_is_found_by_css_of_its_own_of_what_is_in_it_or_around_it() -> None:
    page = f'<div id="a"><form method="post" action="/1">{INPUTS}</form></div>'
    page += f'<div id="b"><form class="in" method="post" action="/2">{INPUTS}<i class="mark"></i></form></div>'
    for css in (".in", ".mark", "#b"):
        assert filled(page, css)[0] == "https://shop.example/2"


@pytest.mark.parametrize(
    ("form", "css", "why"),
    [
        ("<p>nothing</p>", "", "the page shows no form with the fields user, pass"),
        (f'<form method="post">{INPUTS}</form>', "#in", "the page shows no form '#in'"),
        ('<form id="in" method="post"><input name="user"></form>', "#in", "the form has no field 'pass', but user"),
        (f"<form>{INPUTS}</form>", "", "into the address"),
        (f'<form method="post" action="javascript:go()">{INPUTS}</form>', "", "a script sends the form"),
    ],
)
def test_what_can_not_be_sent_is_said(form: str, css: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        filled(form, css)


def test_an_empty_page_shows_no_form() -> None:
    assert not shows_fields("", FIELDS)
    assert not shows_fields("<!-- user pass -->", FIELDS)
    assert shows_fields(f"<form>{INPUTS}</form>", FIELDS)
    assert not shows_fields(f"<form>{INPUTS}</form>", FIELDS, "#other")


def test_all_tests_for_success_have_to_hold() -> None:
    page, url = '<a class="out">Sign out</a>', "https://shop.example/account"
    assert succeeded(page, url, Success())
    assert succeeded(page, url, Success(css="a.out", text="Sign out", url="/account$"))
    assert not succeeded(page, url, Success(css="a.in"))
    assert not succeeded(page, url, Success(text="Welcome"))
    assert not succeeded(page, url, Success(url="/home"))
    assert not succeeded("", url, Success(css="a.out"))

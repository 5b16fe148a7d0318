"""What is secret is masked in texts and logs, however it is written."""

from __future__ import annotations

import base64
import io
import json
import logging
from html import escape
from urllib.parse import quote, quote_plus

import pytest

from gwc_crawler.errors import InputError
from gwc_crawler.network.access import AccessRules, Auth, SecretText, headers_of
from gwc_crawler.network.masking import hide, masked

SECRET = "ünter & 'über\" /99"


def test_every_way_to_write_it_is_masked() -> None:
    hide(SECRET)
    forms = (SECRET, quote(SECRET), quote_plus(SECRET), json.dumps(SECRET)[1:-1], escape(SECRET), repr(SECRET)[1:-1])
    for form in forms:
        assert masked(f"a{form}b") == "a********b"


def test_a_short_one_is_masked_where_it_stands_alone() -> None:
    hide("q7x")
    assert masked("q7x, q7xy and /q7x/") == "********, q7xy and /********/"


def test_log_records_are_masked_for_every_handler_arguments_and_tracebacks_too() -> None:
    hide(SECRET)
    out = io.StringIO()
    handler = logging.StreamHandler(out)  # comes later than the secret
    logger = logging.getLogger("tests.masking")
    logger.addHandler(handler)
    try:
        logger.error("asked for %s", f"https://shop.example/?p={quote(SECRET)}")
        try:
            raise ValueError(f"no such password: {SECRET}")
        except ValueError:
            logger.exception("failed")
    finally:
        logger.removeHandler(handler)
    told = out.getvalue()
    assert "?p=********" in told
    assert "ValueError: no such password: ********" in told
    assert "Traceback" in told
    assert SECRET not in told


def test_a_text_holds_no_secret_until_it_is_revealed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_KEY", "k3y-for-once")
    text = SecretText("Bearer {env:SHOP_KEY}")
    assert "k3y-for-once" not in repr(text)
    assert text.reveal() == "Bearer k3y-for-once"
    assert masked("the k3y-for-once") == "the ********"
    for value, why in ((None, "is not set"), ("", "is empty")):
        monkeypatch.delenv("SHOP_KEY") if value is None else monkeypatch.setenv("SHOP_KEY", value)
        with pytest.raises(InputError, match=f"the environment variable SHOP_KEY {why}"):
            text.reveal()


def test_the_header_of_basic_authentication_is_masked_as_it_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_PASSWORD", "pässw0rt:x")
    sent = headers_of(AccessRules(auth=Auth(SecretText("ann"), SecretText("{env:SHOP_PASSWORD}"))))[
        "Authorization"
    ].decode()
    assert base64.b64decode(sent.removeprefix("Basic ")).decode() == "ann:pässw0rt:x"
    assert masked(sent) == "Basic ********"


def test_a_header_of_two_lines_is_refused_without_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_KEY", "one-and\nX-Evil: two")
    with pytest.raises(InputError, match="the header X-Key would hold a line break") as caught:
        headers_of(AccessRules(headers={"X-Key": SecretText("{env:SHOP_KEY}")}))
    assert "one-and" not in str(caught.value)

r"""What `escape` is for: Rich shows the text as it is, wherever it stands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from gwc_crawler.errors import escape, visible

REGEXES = (r"\[0-9]", r"p/\[[a-z]+]", r"(?:\\[a-z]+)\d", "ends with \\", "with two \\\\", "[/]", "[bold]", "[", "[a=b")

texts = st.text("\\[]a/#@ ")


def shown(markup: str) -> str:
    return Text.from_markup(markup, emoji=False).plain


@pytest.mark.parametrize("text", REGEXES)
def test_a_regex_is_shown_as_it_is(text: str) -> None:
    assert shown(f"[bold]{escape(text)}[/bold], {escape(text)}]") == f"{text}, {text}]"


@given(texts, texts)
def test_any_text_is_shown_as_it_is(one: str, other: str) -> None:
    assert shown(f"[bold]{escape(one)}[/]{escape(other)}: [red]{escape(one)}") == f"{one}{other}: {one}"


ORDERS = ("\x1b[31m", "\x1b]0;title\x07", "\x9b1m", "\0", "\r", "\u202e", "\u2066")


@pytest.mark.parametrize("order", ORDERS, ids=ascii)
def test_a_terminal_gets_no_orders_from_a_page(order: str) -> None:
    for text in (visible(f"a{order}b"), shown(escape(f"a{order}b"))):
        assert text.startswith("a\ufffd")
        assert text.endswith("b")
        assert not set(text) & set("\x1b\x07\x9b\0\r\u202e\u2066")


def test_signs_of_scripts_and_emoji_stay() -> None:
    text = "می\u200cخواهم 👩\u200d👧 soft\xadhyphen\ttab\nline"
    assert visible(text) == text

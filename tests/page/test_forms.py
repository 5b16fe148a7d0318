"""Forms: each combination of choices once, bounded; what wants something typed is left alone."""

from __future__ import annotations

import pytest

from gwc_crawler.page.links import form_links, hidden_links
from gwc_crawler.page.outline import outline
from gwc_crawler.page.parse import parse_html
from gwc_crawler.page.reader import PageReader, ReadOptions

TWO = "<select name=a><option>1<option selected>2</select><select name=b><option value=x><option value=y></select>"


def links(html: str, most: int = 100, charset: str = "utf-8") -> list[str]:
    return form_links(parse_html(html), charset, most)


def test_every_combination_comes_once_with_what_a_browser_sends_besides() -> None:
    rest = "<input type=hidden name=h value=1><input name=q><input type=checkbox name=c><input type=submit name=go>"
    assert links(f"<form action='/find?old=1#x'>{TWO}{rest}</form>" * 2) == [
        f"/find?a={a}&b={b}&h=1&q=" for a in (2, 1) for b in "xy"
    ]


def test_with_more_combinations_than_wanted_each_choice_is_varied_by_itself() -> None:
    assert links(f"<form>{TWO}</form>", 3) == ["?a=2&b=x", "?a=1&b=x", "?a=2&b=y"]
    assert links(f"<form>{TWO}</form>", 2) == []


def test_radios_are_one_choice_and_what_is_sent_is_in_the_charset_of_the_page() -> None:
    radios = "".join(f"<input type=radio name=r value={value}>" for value in ("书", "b"))
    assert links(f"<form action=f>{radios}</form>", charset="gb18030") == ["f?r=%CA%E9", "f?r=b"]


@pytest.mark.parametrize(
    "form",
    [
        f"<form method=POST>{TWO}</form>",
        f"<form>{TWO}<input type=password name=p></form>",
        f"<form>{TWO}<input type=file name=p></form>",
        f"<form>{TWO}<textarea name=t></textarea></form>",
        f"<form>{TWO}<input name=q required></form>",
        "<form><input name=q></form>",
        "<form><select name=a disabled><option>1<option>2</select></form>",
    ],
)
def test_left_alone(form: str) -> None:
    assert links(form) == []


def test_a_menu_that_jumps_is_a_list_of_links() -> None:
    options = "<option value=''>choose<option value='/a'>A<option value='b.html'>B<option value=7>C"
    assert links(f"<select onchange='window.location = this.value'>{options}</select>") == ["/a", "b.html"]
    assert links(f"<select onchange='go(this)'>{options}</select>") == []


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<tr data-href='/a'><td>x</table>", ["/a"]),
        ("<div onClick=\"location='/a'\">", ["/a"]),
        ("<div onclick=\"window.location.href = '/a';\">", ["/a"]),
        ("<div onclick='document.location.assign(\"/a\")'>", ["/a"]),
        ("<div onclick=\"if (ok) { top.location.replace('/a') }\">", ["/a"]),
        ("<div onclick=\"window.open('/a', '_blank')\">", ["/a"]),
        ("<div onclick=\"location='/a?id=' + id\">", []),
        ("<div onclick=\"location='/a'.concat(id)\">", []),
        ("<div onclick=\"location == '/a'\">", []),
        ("<div onclick=\"allocation = '/a'\">", []),
        ("<div onclick=\"go('/a')\">", []),
        ("<script>location = '/a'</script>", []),
        ("<a href=\"javascript:location='/a'\">", []),
    ],
)
def test_links_that_no_href_says(html: str, expected: list[str]) -> None:
    assert hidden_links(parse_html(html)) == expected
    assert outline(parse_html(html)).may_hide_links or not expected
    page = PageReader(None).read("http://a.example/", html.encode(), "text/html")
    assert page.links == tuple(f"http://a.example{link}" for link in expected)


def test_forms_are_links_only_where_they_are_asked_for() -> None:
    html = f"<form action=find>{TWO}</form>".encode()
    assert PageReader(None).read("http://a.example/", html, "text/html").links == ()
    deep = PageReader(None, options=ReadOptions(form_links=10))
    assert len(deep.read("http://a.example/", html, "text/html").admitted) == 4

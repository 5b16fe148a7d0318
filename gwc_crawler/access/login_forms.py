"""A page with a login form → what is sent to log in; and whether a page shows that form, or passes the test for who is
logged in. By lxml's forms. Called by the login middleware with decoded pages.

Forms that a script fills or sends are none of these: the browser profile is for them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urljoin, urlsplit

from gwc_crawler.access.schema import Success

if TYPE_CHECKING:
    from lxml.html import FormElement, HtmlElement


@dataclass(frozen=True, slots=True)
class FilledForm:
    """Where to send it, and the body of the POST."""

    url: str
    body: bytes


def fill_form(page: str, url: str, fields: Mapping[str, str], css: str = "", encoding: str = "utf-8") -> FilledForm:
    """Fill the form of the login page as a browser would: its hidden fields stay, its first button is pressed.

    Args:
        page: the page's text; *url*: its address.
        fields: name → what is typed.
        css: finds the form, or something in it; "": the one that has all the fields.

    Raises:
        ValueError: there is no such form, or one that can't be sent; the text says which.
    """
    tree = _tree(page)
    form = None if tree is None else next(_forms(tree, fields, css), None)
    if form is None:
        names = ", ".join(fields)
        raise ValueError(
            f"the page shows no form {css!r}" if css else f"the page shows no form with the fields {names}"
        )
    if missing := [name for name in fields if name not in form.fields]:
        known = ", ".join(sorted(name for name in form.fields if name))
        raise ValueError(f"the form has no field {missing[0]!r}, but {known or 'none'}")
    if form.method != "POST":
        raise ValueError("the form puts what is typed into the address (method GET), where it could not stay secret")
    target = urljoin(_base(tree, url), (form.get("action") or "").strip() or url)
    if urlsplit(target).scheme not in ("http", "https"):
        raise ValueError("a script sends the form; the browser profile can log in there")
    kept = [(name, value) for name, value in form.form_values() if name not in fields]
    data = [*kept, *_button(form, fields), *fields.items()]
    return FilledForm(target, urlencode(data, encoding=encoding, errors="xmlcharrefreplace").encode("ascii"))


def shows_fields(page: str, fields: Collection[str], css: str = "") -> bool:
    """Say whether a page shows the form to log in: one that *css* finds and that has all the fields."""
    if not all(name in page for name in fields):  # most pages end here, unparsed
        return False
    tree = _tree(page)
    return tree is not None and any(all(name in form.fields for name in fields) for form in _forms(tree, fields, css))


def succeeded(page: str, url: str, success: Success) -> bool:
    """Say whether a page passes the test for who is logged in, as far as the page can tell (see `Success`)."""
    if success.text and success.text not in page:
        return False
    if success.url and not re.search(success.url, url):
        return False
    return not success.css or _has(page, success.css)


def _tree(page: str) -> HtmlElement | None:
    from lxml import html
    from lxml.etree import ParserError

    try:
        return html.document_fromstring(page.encode(errors="replace"), html.HTMLParser(encoding="utf-8"))
    except ParserError:  # an empty page
        return None


def _has(page: str, css: str) -> bool:
    tree = _tree(page)
    return tree is not None and bool(tree.cssselect(css))


def _forms(tree: Any, fields: Collection[str], css: str) -> Iterator[FormElement]:
    if not css:
        yield from (form for form in tree.forms if all(name in form.fields for name in fields))
        return
    for found in tree.cssselect(css):
        form = found if found.tag == "form" else next(found.iterancestors("form"), None)
        yield from [form] if form is not None else found.iter("form")


def _base(tree: Any, url: str) -> str:
    bases = tree.xpath("//base/@href")
    return urljoin(url, str(bases[0])) if bases else url


def _button(form: FormElement, fields: Collection[str]) -> list[tuple[str, str]]:
    """What the form's first button adds: some servers look for it."""
    buttons = form.xpath(".//button[@name and (not(@type) or @type='submit')] | .//input[@name and @type='submit']")
    return [(one.get("name"), one.get("value") or "") for one in buttons[:1] if one.get("name") not in fields]

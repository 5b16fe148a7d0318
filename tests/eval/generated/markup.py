"""How the pages of a generated site are written: one style a site, the same for all its pages."""

from __future__ import annotations

import random
from collections.abc import Sequence
from html import escape

_UTILITIES = ("mt-4", "flex", "grid", "text-lg", "font-bold", "px-2", "rounded", "border", "gap-6", "w-full", "block")


class Style:
    """Elements named as the site's author names them."""

    def __init__(self, naming: str, fields_in: str, *, labelled: bool) -> None:
        """*labelled*: values have labels that a visitor sees, also where elements are named after them."""
        self.naming = naming
        self.labelled = labelled or naming == "utility"  # names that say nothing
        self.fields_in = "bold" if naming == "bare" and fields_in == "named" else fields_in

    def named(self, tag: str, role: str, inside: str) -> str:
        """Return an element that plays a role."""
        return f"<{tag}{self._names(role)}>{inside}</{tag}>"

    def _names(self, role: str) -> str:
        if self.naming == "bare":
            return ""
        if self.naming == "utility":
            names = random.Random(f"utility {role}").sample(_UTILITIES, 3)
            return f' class="{" ".join(names)}"'
        block, _, part = role.partition("-")
        return f' class="{f"{block}__{part}" if self.naming == "bem" and part else role}"'

    def fields(self, role: str, rows: Sequence[tuple[str, str]]) -> str:
        """Return labels and values, where the site has them."""
        if self.fields_in == "dl":
            return self.named(
                "dl", f"{role}-facts", "".join(f"<dt>{escape(a)}</dt><dd>{escape(b)}</dd>" for a, b in rows)
            )
        if self.fields_in == "table":
            cells = "".join(f"<tr><th>{escape(a)}</th><td>{escape(b)}</td></tr>" for a, b in rows)
            return self.named("table", f"{role}-facts", cells)
        if self.fields_in == "bold":
            return "".join(f"<p><b>{escape(a)}:</b> {escape(b)}</p>" for a, b in rows)
        return self.named("div", f"{role}-facts", "".join(self._named_field(role, a, b) for a, b in rows))

    def _named_field(self, role: str, label: str, value: str) -> str:
        element = self.named("span", f"{role}-{label.lower()}", escape(value))
        return self.named("span", f"{role}-label", escape(label)) + element if self.labelled else element

    def links(self, role: str, links: Sequence[tuple[str, str]]) -> str:
        """Return a list of links, each an address and a text."""
        return self.named("ul", role, "".join(f"<li>{link(address, text)}</li>" for address, text in links))


def link(address: str, text: str) -> str:
    """Return a link."""
    return f'<a href="{escape(address)}">{escape(text)}</a>'

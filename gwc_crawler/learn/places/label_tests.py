"""XPath tests for a label by what it says, whatever its number or count."""

from __future__ import annotations

from gwc_crawler.learn.places.steps import quote, step_name
from gwc_crawler.learn.texts import Chunk, Shared, label_text, prefix_ends, without_digits

_BOLD = ("b", "strong")


class LabelTests:
    """Makes tests for labels.

    Args:
        shared: what the pages have in common.
        lead: begins all paths.
    """

    def __init__(self, shared: Shared, lead: str) -> None:
        self._shared, self._lead = shared, lead

    def start(self, chunk: Chunk) -> str | None:
        """The XPath of the elements with a label's text; None where XPath can't quote it."""
        return (says := self.says(chunk)) and f"{self._lead}//{step_name(chunk.parent)}[text()[{says}]]"

    def start_in_bold(self, chunk: Chunk) -> str | None:
        """The same of bold text, however it is marked up: people write `<b>` on one page and `<strong>` on another."""
        if chunk.parent.tag not in _BOLD or (says := self.says(chunk)) is None:
            return None
        return f"{self._lead}//*[{' or '.join(f'self::{name}' for name in _BOLD)}][text()[{says}]]"

    def says(self, chunk: Chunk) -> str | None:
        """The XPath test for a label, whatever its count; of "See also: this" the beginning.

        None for both quotes.
        """
        if self._shared.is_count(chunk) and (quoted := quote(without_digits(label_text(chunk)))):
            return f"translate(normalize-space(),'0123456789','')={quoted}"
        text, shared = label_text(chunk), self._shared
        lead = next((text[:end] for end in prefix_ends(text)), text)
        if lead != text and shared.is_rare(chunk) and shared.is_shared_text(lead) and (quoted := quote(lead)):
            return f"starts-with(normalize-space(),{quoted})"
        return (quoted := quote(text)) and f"normalize-space()={quoted}"

    def says_if_label(self, chunk: Chunk) -> str | None:
        """As `says`, None for what is no label."""
        return self.says(chunk) if self._shared.is_label(chunk) else None

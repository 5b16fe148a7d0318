"""XPath tests for a label by what it says, whatever its number or count."""

from __future__ import annotations

from gwc_crawler.learn.places.steps import quote, step_name
from gwc_crawler.learn.texts import Chunk, Shared, label_text, prefix_ends


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

    def says(self, chunk: Chunk) -> str | None:
        """The XPath test for a label; of "See also: this" the beginning.

        None for both quotes.
        """
        text, shared = label_text(chunk), self._shared
        lead = next((text[:end] for end in prefix_ends(text)), text)
        if lead != text and shared.is_rare(chunk) and shared.is_shared_text(lead) and (quoted := quote(lead)):
            return f"starts-with(normalize-space(),{quoted})"
        return (quoted := quote(text)) and f"normalize-space()={quoted}"

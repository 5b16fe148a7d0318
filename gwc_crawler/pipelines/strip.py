"""HTML without parts that carry no content: of our pages, as the last use of their parse tree, and of any items.

In a project that has nothing else of ours the pipeline works as well, with the GWC_STRIP… settings.
"""

from __future__ import annotations

import re
from typing import Any

from itemadapter.adapter import ItemAdapter
from lxml.html.defs import tags as TAGS  # a constant
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem

from gwc_crawler.extract.condenser import Condenser
from gwc_crawler.items import Visit, context_of
from gwc_crawler.modes import MainText, Strip
from gwc_crawler.page.parse import parse_html
from gwc_crawler.page.strip import ALL_GROUPS, StripOptions, strip_tree
from gwc_crawler.wiring.options import condenser_of
from gwc_crawler.wiring.own_settings import of_any_project

_BEGINS = re.compile(rf"\s*+<(?:!doctype\b|!--|(?:{'|'.join(sorted(TAGS))})(?=[\s/>]))", re.I)
_WHOLE = re.compile(r"<(?:html|body)(?=[\s/>])", re.I)
_AROUND = re.compile(r"\A<html>(?:<body>)?|(?:</body>)?</html>\Z")
"""Matches the markup that the parser puts around a part of a page."""


class StripPipeline:
    """Removes the tags that carry no content (TagStrip, algorithm 1), and drops the parse tree of a page.

    First it extracts the main text of a page to read. An item that is no page of ours is stripped field by field.

    Args:
        which: the pages whose HTML is stripped (GWC_STRIP); items are stripped unless it is "none".
        main: the pages whose text is reduced to the main one (GWC_MAIN_TEXT).
        groups: the parts that are deleted (GWC_STRIP_GROUPS).
        fields: of items, the fields that hold HTML; None: look at each text (GWC_STRIP_FIELDS).
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> StripPipeline:
        settings = of_any_project(crawler.settings)
        condenser = condenser_of(settings)
        fields = tuple(name.strip() for name in settings.getlist("GWC_STRIP_FIELDS"))
        looks = not fields and context_of(crawler.spider) is None  # with our pages, other items are as they were made
        return cls(condenser.which, condenser.main, condenser.groups, None if looks else fields)

    def __init__(
        self,
        which: Strip,
        main: MainText = MainText.INFORMATION,
        groups: StripOptions = ALL_GROUPS,
        fields: tuple[str, ...] | None = (),
    ) -> None:
        self.which = which
        self.groups = groups
        self.fields = () if which is Strip.NONE else fields
        self._condenser = Condenser(which, main, groups)

    def process_item(self, item: Any) -> Any:
        """Fill `stripped_html` and `abstract` of a visit that no reading process has condensed; strip another item."""
        if isinstance(item, Visit):
            if not item.condensed:
                item.stripped_html, item.abstract = self._condenser.condense(item.page)
        elif self.fields != () and ItemAdapter.is_item(item):
            self._strip_fields(ItemAdapter(item))
        return item

    def _strip_fields(self, fields: ItemAdapter) -> None:
        for name in list(fields) if self.fields is None else self.fields:
            if name in fields and (without := self._stripped(fields[name])) != fields[name]:
                try:
                    fields[name] = without
                except (AttributeError, TypeError) as error:
                    raise DropItem(
                        f"{name} of {type(fields.item).__name__} can't be stripped, as it can't be changed ({error}); "
                        "let the class not be frozen"
                    ) from error

    def _stripped(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._stripped(one) for one in value]
        if isinstance(value, str | bytes) and (holds_html(value) if self.fields is None else value.strip()):
            return stripped(value, self.groups)
        return value


def holds_html(value: str | bytes) -> bool:
    """Say whether a value is HTML, from its first tag to its last.

    >>> holds_html("<p>It is 3 < 4"), holds_html(" <p>One<br>two</p>"), holds_html(b"<a5>"), holds_html("if a <b> c")
    (False, True, False, False)
    """
    text = value if isinstance(value, str) else value.decode("latin-1")
    return _BEGINS.match(text) is not None and text.rstrip().endswith(">")


def stripped(html: str | bytes, groups: StripOptions = ALL_GROUPS) -> str:
    """Strip a page, or a part of one, which stays a part.

    >>> stripped("<p>One<br>two</p><script>3</script>"), stripped("<body><p>One")
    ('<p>Onetwo</p>', '<html><body><p>One</p></body></html>')
    """
    whole = _WHOLE.search(html if isinstance(html, str) else html.decode("latin-1"))
    page = strip_tree(parse_html(html), groups)
    return page if whole else _AROUND.sub("", page)

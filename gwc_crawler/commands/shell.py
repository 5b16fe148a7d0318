"""`scrapy shell`: Scrapy's own, for site files and for spiders written in Python, with the values of a crawl."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

from scrapy.commands.shell import Command as ScrapyShell

from gwc_crawler.commands.frame import LOOKING_HELP, LookingCommand
from gwc_crawler.errors import KnowledgeError, did_you_mean

if TYPE_CHECKING:
    from scrapy.http import Response

    from gwc_crawler.knowledge.model import Knowledge
    from gwc_crawler.sites.schema import Site

OURS = """
    On a page of a site file there are besides:
      record                  what a crawl would store of the page
      locate("price")         what reads the field here
      try_css(".price")       what a selector reads here, as [fields] does with many = true; try_xpath, try_jmespath and
                              try_regex alike; regex="..." cuts
"""


class Command(LookingCommand, ScrapyShell):
    """Interactive console for a URL or file, with the settings of its site."""

    arguments = "[url | file]"
    help_text = OURS + LOOKING_HELP

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Open the console; with -c nothing is said besides."""
        self._tells, self._told = not opts.code, False
        super().act(args, opts)

    def update_vars(self, vars: dict[str, Any]) -> None:
        """Add functions that read the fetched page; called by Scrapy after each fetch."""
        from gwc_crawler.sites.schema import site_of_spider

        site, response = site_of_spider(vars["crawler"].spidercls), vars["response"]
        if site is None or response is None:
            return
        page = _PageRead(site, self._knowledge(site), response)
        vars |= {"record": page.record, "locate": page.locate}
        vars |= {f"try_{kind}": partial(page.try_selector, kind) for kind in ("css", "xpath", "jmespath", "regex")}
        if self._tells:
            _tell(page.note if self._told else OURS.rstrip() + page.note)
            self._told = True

    def _knowledge(self, site: Site) -> Knowledge:
        """Return the knowledge of the site; if there is none, the rules of fields in the site file."""
        from gwc_crawler.crawl.data_files import knowledge_path, load_knowledge
        from gwc_crawler.knowledge.model import Knowledge

        try:
            if knowledge_path(self.settings, site) is not None:
                return load_knowledge(self.settings, site)
        except KnowledgeError as error:
            _tell(str(error))
        return Knowledge(site.name, site.learn.mode, (), (), max_weight=1, is_json=True).with_selectors(site.fields)


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


class _PageRead:
    """A page as a crawl of its site would read it.

    Attributes:
        record: field → value, typed; empty if the page is not HTML.
        note: why a crawl would make no record of it, "" if it would.
    """

    def __init__(self, site: Site, knowledge: Knowledge, response: Response) -> None:
        from gwc_crawler.extract.page_view import PageView
        from gwc_crawler.extract.record import extract_record, wrapper_of
        from gwc_crawler.items import PageKind
        from gwc_crawler.page.reader import PageReader
        from gwc_crawler.spiders.frontier_spider import content_type_of

        reader = PageReader(knowledge, site.sites)
        page = reader.read(response.url, response.body, content_type_of(response), response.status)
        is_target, page.kind = page.kind is PageKind.TARGET, PageKind.TARGET
        read = extract_record(page, knowledge) if knowledge.wrapper else None
        self.record: dict[str, Any] = {} if read is None else dict(read.fields)
        why = "no target filter takes its URL" if not is_target else (read and read.rejected) or ""
        self.note = f"\n    a crawl makes no record of this page: {why}" if why else ""
        self._wrapper = wrapper_of(knowledge) if knowledge.wrapper else None
        self._view = PageView(page.tree, page.url) if page.tree is not None else PageView.parse(b"", page.url)

    def locate(self, name: str) -> str:
        """What reads a field on the page, and what it gives; where nothing does, what comes nearest."""
        rules = self._wrapper.rules if self._wrapper else {}
        if name not in rules:
            return f"no field {name!r} ({did_you_mean(name, rules) or ', '.join(rules) or 'there is none'})"
        if source := self._wrapper and self._wrapper.sources(self._view).get(name):
            return f"{rules[name].read(self._view)!r}, {source}"
        closest = rules[name].closest(self._view)
        return "nothing reads it here" + (f"; closest: {closest}" if closest else "")

    def try_selector(self, kind: str, selector: str, regex: str = "") -> list[str]:
        """Return all texts that a selector gives on the page; report the fault of a mistyped one."""
        from gwc_crawler.extract.selected import selected_texts
        from gwc_crawler.knowledge.selectors import selector_fault

        way = {kind: selector} | ({"regex": regex} if regex else {})
        for one, text in way.items():
            if (fault := selector_fault(one, text)) is not None:
                place = "" if fault.at is None else f" at its character {fault.at + 1}"
                _tell(f"{one} {text!r}{place} {fault.text}")
                return []
        return selected_texts(way, self._view)

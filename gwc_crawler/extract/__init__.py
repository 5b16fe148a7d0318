"""Knowledge + page → record: what a crawl needs at run time."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.extract.affixes import (
        FIRST_SENTENCE,
        FIRST_WORD,
        LABEL,
        LAST_WORD,
        NEXT_LABEL,
        NO_AFFIXES,
        SENTENCE_END,
        Affixes,
        has_digit,
        is_like_number,
    )
    from gwc_crawler.extract.best import BestRule
    from gwc_crawler.extract.css_path import matches, path_to, repeating_level
    from gwc_crawler.extract.finder import (
        BEFORE,
        BESIDES,
        COUNT,
        DASHES,
        EACH_AFTER,
        EACH_LABELLED,
        LABELLED,
        RUN,
        RUNNING,
        UNDER,
        Finder,
        Run,
        read_nodes,
        select,
        structured_cost,
    )
    from gwc_crawler.extract.nodes import (
        BREAKS,
        LEVELS,
        SPACED_LABEL,
        UNREAD,
        UNSEEN,
        child_elements,
        heading_level,
        labelled,
        run_of,
        text_of,
    )
    from gwc_crawler.extract.page_check import nesting_mark, page_agrees, page_features, shown_mark, text_mark
    from gwc_crawler.extract.page_view import PART, PageView, parted, separates
    from gwc_crawler.extract.paper import TEXT, PaperPath, PaperPlace, PaperRule
    from gwc_crawler.extract.record import extract_record, extract_target, field_sources
    from gwc_crawler.extract.records_rule import RecordsRule, RowRule, runs_of
    from gwc_crawler.extract.wrapper import Rule, Wrapper
else:
    __getattr__ = face(__name__)

__all__ = [
    "BEFORE",
    "BESIDES",
    "BREAKS",
    "COUNT",
    "DASHES",
    "EACH_AFTER",
    "EACH_LABELLED",
    "FIRST_SENTENCE",
    "FIRST_WORD",
    "LABEL",
    "LABELLED",
    "LAST_WORD",
    "LEVELS",
    "NEXT_LABEL",
    "NO_AFFIXES",
    "PART",
    "RUN",
    "RUNNING",
    "SENTENCE_END",
    "SPACED_LABEL",
    "TEXT",
    "UNDER",
    "UNREAD",
    "UNSEEN",
    "Affixes",
    "BestRule",
    "Finder",
    "PageView",
    "PaperPath",
    "PaperPlace",
    "PaperRule",
    "RecordsRule",
    "RowRule",
    "Rule",
    "Run",
    "Wrapper",
    "child_elements",
    "extract_record",
    "extract_target",
    "field_sources",
    "has_digit",
    "heading_level",
    "is_like_number",
    "labelled",
    "matches",
    "nesting_mark",
    "page_agrees",
    "page_features",
    "parted",
    "path_to",
    "read_nodes",
    "repeating_level",
    "run_of",
    "runs_of",
    "select",
    "separates",
    "shown_mark",
    "structured_cost",
    "text_mark",
    "text_of",
]

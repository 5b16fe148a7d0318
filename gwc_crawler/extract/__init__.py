"""Knowledge + page → record: what a crawl needs at run time."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.extract.affixes import (
        FIRST_SENTENCE,
        FIRST_WORD,
        LAST_WORD,
        NO_AFFIXES,
        SENTENCE_END,
        Affixes,
        has_digit,
        is_like_number,
    )
    from gwc_crawler.extract.best import BestRule
    from gwc_crawler.extract.css import path_to, repeating_level
    from gwc_crawler.extract.fields import (
        URL_ATTRIBUTES,
        convert_fields,
        fold,
        holds_address,
        is_empty,
        is_url,
        kind_of,
        level,
        said_by,
        same_text,
        same_url,
        same_value,
        split_outside,
        squeeze,
        value_key,
    )
    from gwc_crawler.extract.finder import (
        BEFORE,
        BESIDES,
        COUNT,
        EACH_AFTER,
        NO_VALUES,
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
        run_of,
        text_of,
    )
    from gwc_crawler.extract.page_check import nesting_mark, page_agrees, page_features, shown_mark, text_mark
    from gwc_crawler.extract.page_view import PART, PageView, columns_of, parted, separates
    from gwc_crawler.extract.paper import TEXT, PaperPath, PaperPlace, PaperRule
    from gwc_crawler.extract.record import extract_record, extract_target, field_sources, wrapper_of
    from gwc_crawler.extract.records_rule import RecordsRule, RowRule, runs_of
    from gwc_crawler.extract.selected import selected_texts
    from gwc_crawler.extract.structured import StructuredData
    from gwc_crawler.extract.wrapper import Rule, Wrapper, rule_class
else:
    __getattr__ = face(__name__)

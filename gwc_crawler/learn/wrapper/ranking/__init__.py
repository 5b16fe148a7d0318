"""Which of the candidates that fit all samples to trust."""

from gwc_crawler.learn.wrapper.ranking.candidates import (
    RIGHT_KIND,
    ChosenFinders,
    is_hidden,
    is_right_behind,
    is_under_header,
    path_of,
    weight,
)
from gwc_crawler.learn.wrapper.ranking.closing import above_the_closing
from gwc_crawler.learn.wrapper.ranking.elsewhere import (
    among_the_others,
    by_other_spellings,
    items_elsewhere,
    later_in_its_section,
)
from gwc_crawler.learn.wrapper.ranking.extent import as_much_as_asked, longer_first
from gwc_crawler.learn.wrapper.ranking.fallbacks import kept_to_their_field
from gwc_crawler.learn.wrapper.ranking.finer import as_it_should_be
from gwc_crawler.learn.wrapper.ranking.named import (
    at_its_label,
    by_its_name,
    calls,
    has_name,
    under_its_class,
    under_its_heading,
    under_its_name,
)
from gwc_crawler.learn.wrapper.ranking.optional import may_be_left_out, rarely_told
from gwc_crawler.learn.wrapper.ranking.own_block import is_told_by_itself
from gwc_crawler.learn.wrapper.ranking.preferred import met_once
from gwc_crawler.learn.wrapper.ranking.rank import choose, choose_in_turn, names_in_urls
from gwc_crawler.learn.wrapper.ranking.sections import in_their_section, value_in_its_section

__all__ = [
    "RIGHT_KIND",
    "ChosenFinders",
    "above_the_closing",
    "among_the_others",
    "as_it_should_be",
    "as_much_as_asked",
    "at_its_label",
    "by_its_name",
    "by_other_spellings",
    "calls",
    "choose",
    "choose_in_turn",
    "has_name",
    "in_their_section",
    "is_hidden",
    "is_right_behind",
    "is_told_by_itself",
    "is_under_header",
    "items_elsewhere",
    "kept_to_their_field",
    "later_in_its_section",
    "longer_first",
    "may_be_left_out",
    "met_once",
    "names_in_urls",
    "path_of",
    "rarely_told",
    "under_its_class",
    "under_its_heading",
    "under_its_name",
    "value_in_its_section",
    "weight",
]

"""Which of the candidates that fit all samples to trust."""

from gwc_crawler.learn.wrapper.ranking.boxes import outside_of_parts
from gwc_crawler.learn.wrapper.ranking.closing import above_the_closing
from gwc_crawler.learn.wrapper.ranking.crumbs import nearest_to_the_page
from gwc_crawler.learn.wrapper.ranking.cut_off import with_their_rest
from gwc_crawler.learn.wrapper.ranking.elsewhere import (
    among_the_others,
    by_other_spellings,
    items_elsewhere,
    later_in_its_section,
)
from gwc_crawler.learn.wrapper.ranking.extent import as_much_as_asked, longer_first
from gwc_crawler.learn.wrapper.ranking.fallbacks import (
    in_another_element,
    kept_to_their_field,
    with_its_label_inside,
)
from gwc_crawler.learn.wrapper.ranking.finer import as_it_should_be
from gwc_crawler.learn.wrapper.ranking.rank import choose, choose_in_turn, names_in_urls
from gwc_crawler.learn.wrapper.ranking.sections import in_their_section, value_in_its_section
from gwc_crawler.learn.wrapper.ranking.slots import told_by_what_they_say

__all__ = [
    "above_the_closing",
    "among_the_others",
    "as_it_should_be",
    "as_much_as_asked",
    "by_other_spellings",
    "choose",
    "choose_in_turn",
    "in_another_element",
    "in_their_section",
    "items_elsewhere",
    "kept_to_their_field",
    "later_in_its_section",
    "longer_first",
    "names_in_urls",
    "nearest_to_the_page",
    "outside_of_parts",
    "told_by_what_they_say",
    "value_in_its_section",
    "with_its_label_inside",
    "with_their_rest",
]

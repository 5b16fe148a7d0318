"""Which of the candidates that fit all samples to trust."""

from gwc_crawler.learn.wrapper.ranking.crumbs import nearest_to_the_page
from gwc_crawler.learn.wrapper.ranking.elsewhere import (
    among_the_others,
    items_elsewhere,
    later_in_its_section,
)
from gwc_crawler.learn.wrapper.ranking.fallbacks import (
    all_of_its_box,
    as_another_heading,
    in_another_element,
    kept_to_their_field,
    with_its_label_inside,
)
from gwc_crawler.learn.wrapper.ranking.finer import as_it_should_be
from gwc_crawler.learn.wrapper.ranking.in_line import in_another_layout, in_its_labels_line
from gwc_crawler.learn.wrapper.ranking.rank import choose, choose_in_turn, names_in_urls
from gwc_crawler.learn.wrapper.ranking.slots import told_by_what_they_say
from gwc_crawler.learn.wrapper.ranking.spellings import by_other_spellings

__all__ = [
    "all_of_its_box",
    "among_the_others",
    "as_another_heading",
    "as_it_should_be",
    "by_other_spellings",
    "choose",
    "choose_in_turn",
    "in_another_element",
    "in_another_layout",
    "in_its_labels_line",
    "items_elsewhere",
    "kept_to_their_field",
    "later_in_its_section",
    "names_in_urls",
    "nearest_to_the_page",
    "told_by_what_they_say",
    "with_its_label_inside",
]

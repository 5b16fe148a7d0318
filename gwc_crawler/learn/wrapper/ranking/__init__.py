"""Which of the candidates that fit all samples to trust."""

from gwc_crawler.learn.wrapper.ranking.beginning import beginning_first
from gwc_crawler.learn.wrapper.ranking.elsewhere import (
    items_elsewhere,
    later_in_its_section,
)
from gwc_crawler.learn.wrapper.ranking.finer import as_it_should_be
from gwc_crawler.learn.wrapper.ranking.rank import choose, names_in_urls
from gwc_crawler.learn.wrapper.ranking.spellings import by_other_spellings, under_its_name

__all__ = [
    "as_it_should_be",
    "beginning_first",
    "by_other_spellings",
    "choose",
    "items_elsewhere",
    "later_in_its_section",
    "names_in_urls",
    "under_its_name",
]

"""Which of the candidates that fit all samples to trust."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.learn.wrapper.ranking.beginning import beginning_first
    from gwc_crawler.learn.wrapper.ranking.candidates import (
        RIGHT_KIND,
        ChosenFinders,
        is_right_behind,
        is_under_header,
        path_of,
    )
    from gwc_crawler.learn.wrapper.ranking.finer import as_it_should_be
    from gwc_crawler.learn.wrapper.ranking.named import calls, name_in
    from gwc_crawler.learn.wrapper.ranking.rank import choose, names_in_urls
    from gwc_crawler.learn.wrapper.ranking.spellings import by_other_spellings, under_its_name
else:
    __getattr__ = face(__name__)

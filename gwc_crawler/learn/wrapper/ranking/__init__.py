"""Which of the candidates that fit all samples to trust."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.learn.wrapper.ranking.beginning import beginning_first
    from gwc_crawler.learn.wrapper.ranking.candidates import (
        RIGHT_KIND,
        ChosenFinders,
        is_under_header,
        path_of,
        weight,
    )
    from gwc_crawler.learn.wrapper.ranking.finer import as_it_should_be, is_named
    from gwc_crawler.learn.wrapper.ranking.named import calls, name_in, under_its_name
    from gwc_crawler.learn.wrapper.ranking.rank import choose, names_in_urls
else:
    __getattr__ = face(__name__)

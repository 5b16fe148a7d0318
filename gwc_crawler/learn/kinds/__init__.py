"""Which pages are of the samples' kind: by what stands on them, said in words of their URLs."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.learn.kinds.board import Board
    from gwc_crawler.learn.kinds.cuts import UNLIKE
    from gwc_crawler.learn.kinds.findings import Findings
    from gwc_crawler.learn.kinds.rule import UrlRule
    from gwc_crawler.learn.kinds.sample_values import Sign, names_of, places_of, signs_of
    from gwc_crawler.learn.kinds.smallest import smallest_rule
    from gwc_crawler.learn.kinds.splits import decide, narrow
    from gwc_crawler.learn.kinds.stand_ins import draw_stand_ins
    from gwc_crawler.learn.kinds.structure import named_directories
    from gwc_crawler.learn.kinds.twins import (
        addresses_above,
        canonical_of,
        drop_word,
        find_parts,
        find_twins,
        same_record,
        tells_canonicals,
    )
    from gwc_crawler.learn.kinds.words import Word, WordKind, words_of
else:
    __getattr__ = face(__name__)

"""What stands on sample pages, and what these have in common."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.learn.texts.columns import cell_around, column_in_table, column_of, header_over
    from gwc_crawler.learn.texts.context import ExampleContext, LearnPage, spread
    from gwc_crawler.learn.texts.names import BEGINS, COUNTING, LONGEST_NAME, SEVERAL, names_of
    from gwc_crawler.learn.texts.shared import HEADINGS, LONGEST_LABEL, Shared
    from gwc_crawler.learn.texts.text_index import (
        LABEL_PREFIX,
        Chunk,
        TextIndex,
        element_of,
        heading_chunk,
        heading_text,
        label_text,
        prefix_ends,
        xml_fold,
    )
else:
    __getattr__ = face(__name__)

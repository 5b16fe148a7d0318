"""Two pages built alike → guesses: what values stand on them, what they may be called, and what tells it."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.propose.guessing.blocks import body_field, image_field
    from gwc_crawler.propose.guessing.core import core_fields, told_fields
    from gwc_crawler.propose.guessing.field_names import free_name, name_of_class
    from gwc_crawler.propose.guessing.guess import Clue, FieldProposal, Guess, plain, position
    from gwc_crawler.propose.guessing.labels import labelled
    from gwc_crawler.propose.guessing.page_reading import ReadPage, likeness, names_of, structured_values
    from gwc_crawler.propose.guessing.rows import Rows, like_this, name_of_rows, row_fields, value_of
    from gwc_crawler.propose.guessing.varying import varying_texts
else:
    __getattr__ = face(__name__)

__all__ = [
    "Clue",
    "FieldProposal",
    "Guess",
    "ReadPage",
    "Rows",
    "body_field",
    "core_fields",
    "free_name",
    "image_field",
    "labelled",
    "like_this",
    "likeness",
    "name_of_class",
    "name_of_rows",
    "names_of",
    "plain",
    "position",
    "row_fields",
    "structured_values",
    "told_fields",
    "value_of",
    "varying_texts",
]

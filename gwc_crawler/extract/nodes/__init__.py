"""What is read of a parsed page's elements: their texts, the sections they head, what stands behind labels."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.extract.nodes.labels import SPACED_LABEL, labelled
    from gwc_crawler.extract.nodes.sections import (
        LEVELS,
        heading_level,
        run_of,
        text_after,
        texts_after,
    )
    from gwc_crawler.extract.nodes.texts import (
        BREAKS,
        UNREAD,
        UNSEEN,
        child_elements,
        enumeration_of,
        html_of,
        lines_of,
        running_text,
        text_of,
    )
else:
    __getattr__ = face(__name__)

__all__ = [
    "BREAKS",
    "LEVELS",
    "SPACED_LABEL",
    "UNREAD",
    "UNSEEN",
    "child_elements",
    "enumeration_of",
    "heading_level",
    "html_of",
    "labelled",
    "lines_of",
    "run_of",
    "running_text",
    "text_after",
    "text_of",
    "texts_after",
]

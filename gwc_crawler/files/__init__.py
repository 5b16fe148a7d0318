"""Bodies kept as files: which of them, what they are by their bytes, and under what name they are safe anywhere."""

from gwc_crawler.files.archive import Archive, Exchange, Known, KnownPayloads, Segments, message_head
from gwc_crawler.files.kept_files import (
    FileChoice,
    WholeFolder,
    file_choice,
    file_urls,
    given_name,
    kind_of,
    path_of_content,
    path_of_page,
)

"""Bodies kept as files: which of them, what they are by their bytes, and under what name they are safe anywhere."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.files.folder import WholeFolder
    from gwc_crawler.files.kept_files import FileChoice, file_choice, file_urls
    from gwc_crawler.files.kinds import kind_of
    from gwc_crawler.files.names import given_name, path_of_content, path_of_page
else:
    __getattr__ = face(__name__)

__all__ = [
    "FileChoice",
    "WholeFolder",
    "file_choice",
    "file_urls",
    "given_name",
    "kind_of",
    "path_of_content",
    "path_of_page",
]

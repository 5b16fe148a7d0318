"""Records out of the store, in any form: columns, rows, formats, and the file they go to."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.export.columns import Column, ColumnKind, ColumnPlan, plan_columns
    from gwc_crawler.export.filters import Filter, parse_filter
    from gwc_crawler.export.formats import FORMATS, Format, FormatWriter, Style, format_named, format_of, names_of
    from gwc_crawler.export.job import Selection, Written, describe_file, export_file, export_stream
    from gwc_crawler.export.moments import moment_text, parse_moment
    from gwc_crawler.export.package import Exported
    from gwc_crawler.export.rows import read_rows
    from gwc_crawler.export.target import BOOK, ExportFile
    from gwc_crawler.export.texts import as_json
else:
    __getattr__ = face(__name__)

__all__ = [
    "BOOK",
    "FORMATS",
    "Column",
    "ColumnKind",
    "ColumnPlan",
    "ExportFile",
    "Exported",
    "Filter",
    "Format",
    "FormatWriter",
    "Selection",
    "Style",
    "Written",
    "as_json",
    "describe_file",
    "export_file",
    "export_stream",
    "format_named",
    "format_of",
    "moment_text",
    "names_of",
    "parse_filter",
    "parse_moment",
    "plan_columns",
    "read_rows",
]

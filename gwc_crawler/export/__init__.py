"""Records out of the store, in any form: columns, rows, formats, and the file they go to."""

from gwc_crawler.export.columns import ColumnKind, ColumnPlan, plan_columns, read_rows
from gwc_crawler.export.filters import moment_text, parse_filter, parse_moment
from gwc_crawler.export.formats import FORMATS, Format, Style, format_named, format_of
from gwc_crawler.export.job import (
    BOOK,
    Exported,
    ExportFile,
    Selection,
    Written,
    describe_file,
    export_file,
    export_stream,
)
from gwc_crawler.export.merged import MergedRecords
from gwc_crawler.export.writers import as_json

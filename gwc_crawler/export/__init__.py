"""Records out of the store, in any form: columns, rows, formats, and the file they go to."""

from gwc_crawler.export.job import ExportFile, Selection, export_file, export_stream

__all__ = ["ExportFile", "Selection", "export_file", "export_stream"]

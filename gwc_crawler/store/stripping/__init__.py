"""The strip engine (TagStrip): waiting pages → buffer → strippers → stripped pages, each block in one transaction."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.store.stripping.engine import (
        EngineOptions,
        StopOnSignal,
        StopWatch,
        StripOutcome,
        as_json,
        open_strippers,
        peak_bytes,
        strip_pages,
        summary_lines,
        time_table,
    )
    from gwc_crawler.store.stripping.locations import check_apart, open_source, open_target
else:
    __getattr__ = face(__name__)

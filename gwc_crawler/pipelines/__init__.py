"""Item pipelines: strip tags, keep files, store in batches, hand the record on.

Behind `RecordPipeline` an item is the record of a target page, a plain dict: feeds export it, and a user's own
pipelines, whose order is 0 or more, get it. A list over several pages is here as the target page itself shows it:
the others may come hours later, and are put together in the database. A crawl that looks again (`-a recrawl=…`)
gives items of new or changed pages. Items of other spiders pass through untouched. `StripPipeline` and
`SqlServerPipeline` are for projects of any kind, too: they strip items, and store them in a SQL Server.
"""

from importlib import import_module
from typing import Any

_MODULES = {
    "FilesPipeline": "files",
    "RecordPipeline": "record",
    "SqlServerPipeline": "sql_server",
    "StorePipeline": "store",
    "StripPipeline": "strip",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"{__name__} has no {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)

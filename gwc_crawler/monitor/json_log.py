"""Log lines as JSON objects (GWC_LOG_FORMAT = json): ts, level, logger, message; error, where there is a traceback."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any


class JsonFormat(str):
    """Stands for LOG_FORMAT: a percent format whose result is a JSON object, for handlers that Scrapy makes."""

    __slots__ = ()

    def __mod__(self, values: Any) -> str:
        return _line(values, "")


class JsonFormatter(logging.Formatter):
    """One line for each record, its traceback included."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one JSON object."""
        record.message = record.getMessage()
        trace = self.formatException(record.exc_info) if record.exc_info else record.exc_text or ""
        return _line(record.__dict__, trace)


def _line(values: Mapping[str, Any], trace: str) -> str:
    told = {
        "ts": datetime.fromtimestamp(values["created"], UTC).isoformat(timespec="milliseconds"),
        "level": values["levelname"],
        "logger": values["name"],
        "message": values["message"],
    }
    return json.dumps(told | ({"error": trace} if trace else {}), ensure_ascii=False)

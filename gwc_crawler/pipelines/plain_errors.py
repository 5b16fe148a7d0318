"""What a user can mend is told in a line, also where a project is not ours: Scrapy would show where it was raised."""

from __future__ import annotations

import logging

from gwc_crawler.errors import GwcError

TELLERS = ("asyncio", "twisted")
"""Loggers to which an exception goes that ends a crawl before it begins; which one depends on the crawler process."""


def tell_plainly() -> None:
    """Have errors of ours told without a traceback; doing it twice changes nothing."""
    for name in TELLERS:
        logger = logging.getLogger(name)
        if not any(isinstance(one, _PlainErrors) for one in logger.filters):
            logger.addFilter(_PlainErrors())


class _PlainErrors(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, GwcError):
            record.msg, record.args = str(error), ()
            record.exc_info = record.exc_text = None
        return True

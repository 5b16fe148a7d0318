"""The masking of secrets: a text passed to `hide` appears as `********` in every log record, and in every text from
`masked`. Stored pages are not changed: their content is the site's own."""

from __future__ import annotations

import html
import json
import logging
import re
from typing import Any
from urllib.parse import quote, quote_plus

MASK = "********"

SHORT = 4
"""Characters below which a secret is hidden only where it stands alone: inside words it would garble every line."""

_hidden: set[str] = set()
_pattern: re.Pattern[str] | None = None
_tracebacks = logging.Formatter()


def hide(*secrets: str) -> None:
    """Have these texts masked from now on, in the ways in which they are written in URLs, JSON, HTML and code, too."""
    global _pattern
    new = {form for secret in secrets if secret.strip() for form in _forms(secret)} - _hidden
    if not new:
        return
    if not _hidden:
        _watch_logs()
    _hidden.update(new)
    longest_first = ((re.escape(secret), len(secret)) for secret in sorted(_hidden, key=len, reverse=True))
    _pattern = re.compile("|".join(one if size >= SHORT else rf"(?<!\w){one}(?!\w)" for one, size in longest_first))


def masked(text: str) -> str:
    """Return the text with every secret in it replaced.

    >>> hide("not for you")
    >>> masked("GET /?key=not+for+you")
    'GET /?key=********'
    """
    return _pattern.sub(MASK, text) if _pattern is not None else text


def masked_bytes(data: bytes) -> bytes:
    """Return the bytes with every secret in them replaced by as many asterisks, so that lengths stay true.

    >>> hide("not for you")
    >>> masked_bytes(b"Key: not for you")
    b'Key: ***********'
    """
    if _pattern is None:
        return data
    text = data.decode("utf-8", "surrogateescape")
    starred = _pattern.sub(lambda found: "*" * len(found[0].encode("utf-8", "surrogateescape")), text)
    return starred.encode("utf-8", "surrogateescape")


def _forms(secret: str) -> tuple[str, ...]:
    written = (secret, quote(secret, safe=""), quote(secret), quote_plus(secret), html.escape(secret))
    return (*written, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1], repr(secret)[1:-1])


def _watch_logs() -> None:
    """Mask records where they are made: whichever handlers there are, and come later, get nothing else."""
    make = logging.getLogRecordFactory()

    def make_masked(*args: Any, **named: Any) -> logging.LogRecord:
        record = make(*args, **named)
        told = record.getMessage()
        if (hidden := masked(told)) != told:
            record.msg, record.args = hidden, ()
        if record.exc_info and record.exc_info[0] is not None:
            trace = _tracebacks.formatException(record.exc_info)
            if (hidden := masked(trace)) != trace:
                record.exc_info, record.exc_text = None, hidden
        return record

    logging.setLogRecordFactory(make_masked)

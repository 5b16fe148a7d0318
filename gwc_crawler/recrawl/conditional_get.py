"""What is kept of a page → the headers of a conditional GET. The spiders ask for each Request."""

from __future__ import annotations

from gwc_crawler.items import Revisit

CONDITIONS = ("If-None-Match", "If-Modified-Since")


def conditions_of(revisit: Revisit) -> dict[str, str]:
    """Return the headers by which a server may say that nothing has changed (RFC 9110 §13.1.2, §13.1.3).

    They are sent back as they came. A page that was gone is asked for unconditionally: that it is back is news.

    >>> from gwc_crawler.items import PageKind
    >>> conditions_of(Revisit(1, PageKind.TARGET, True, 60.0, 0.0, 0.0, 60.0, etag='W/"7"'))
    {'If-None-Match': 'W/"7"'}
    """
    if revisit.gone_at is not None:
        return {}
    values = zip(CONDITIONS, (revisit.etag, revisit.last_modified), strict=True)
    return {name: value for name, value in values if value}

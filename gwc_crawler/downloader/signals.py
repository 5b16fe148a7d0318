"""Who listens to Scrapy's signals: where nobody does, what they would tell need not be put together."""

from __future__ import annotations

from typing import Any

from pydispatch import dispatcher

ANY = id(dispatcher.Any)


def may_be_heard(sender: Any, signal: Any) -> bool:
    """Say whether *signal* from *sender* has a receiver, or had one that is gone and not yet forgotten."""
    for key in (id(sender), ANY):
        signals = dispatcher.connections.get(key)
        if signals and (signals.get(signal) or signals.get(dispatcher.Any)):
            return True
    return False

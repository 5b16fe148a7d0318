"""How long an answer of Redis is waited for: less once the event loop runs, which stands still meanwhile.

`assembly.connect` makes clients with `OPENING`; a crawl that begins, and a worker of a fleet, call `hurry`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gwc_crawler.redis_server.breaker import Breaker
from gwc_crawler.redis_server.scripts import Server

OPENING = {"socket_timeout": 5.0, "socket_connect_timeout": 1.0}
"""Before a crawl begins: who opens it gives up at an outage."""

RUNNING = {"socket_timeout": 0.5, "socket_connect_timeout": 0.5}
"""While it runs: who asks takes an outage for a pause, and asks again later."""


def hurry(server: Server) -> None:
    """Have *server* wait as in `RUNNING` from now on, but where REDIS_PARAMS named another time.

    And once for all parts of the crawl: see `Breaker`. The nodes of a cluster are away one by one.
    """
    is_cluster = hasattr(server, "get_nodes")
    for options in _options_of(server):
        if isinstance(breaker := options.get("retry"), Breaker) and not is_cluster:
            breaker.armed = True
        options.update({name: RUNNING[name] for name in RUNNING if options.get(name) == OPENING[name]})


def _options_of(server: Server) -> Iterator[dict[str, Any]]:
    """Yield what new connections are made with; those there are are closed, so that all are new."""
    if not hasattr(server, "get_nodes"):
        nodes = [server]
    else:
        yield server.get_connection_kwargs()  # of nodes that are found later
        nodes = [node.redis_connection for node in server.get_nodes() if node.redis_connection is not None]
    for node in nodes:
        yield node.connection_pool.connection_kwargs
        node.connection_pool.disconnect()
        node.connection_pool.reset()

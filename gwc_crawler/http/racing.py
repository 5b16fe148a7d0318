"""A host's addresses of both families → the connection to one that answers. Called by `connections`.

Source:
    RFC 8305, Happy Eyeballs Version 2: §4 the order, §5 the attempts. What we do differently: an attempt is won when
    TLS stands, too, not with the TCP connection, because a server may have it on one of its addresses alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from itertools import chain, zip_longest
from typing import Any, TypeVar

T = TypeVar("T")

NEXT_ADDRESS_SECONDS = 0.3
"""How long an address of a host may take before the next one is tried beside it (RFC 8305, §5)."""


def alternating(addresses: Sequence[str]) -> list[str]:
    """Return addresses of IPv4 and IPv6 in turns, beginning with the family of the first, else in their order.

    >>> alternating(["2001:db8::1", "2001:db8::2", "192.0.2.1"])
    ['2001:db8::1', '192.0.2.1', '2001:db8::2']
    """
    first = [one for one in addresses if (":" in one) == (":" in addresses[0])]
    other = [one for one in addresses if (":" in one) != (":" in addresses[0])]
    return [one for one in chain.from_iterable(zip_longest(first, other)) if one is not None]


async def first_connected(
    addresses: Sequence[str], connect: Callable[[str], Coroutine[Any, Any, T]], give_up: Callable[[T], None]
) -> T:
    """Connect to the first address that answers; a slow one gets company, a failed one is followed at once.

    Args:
        addresses: at least one, the best first.
        connect: address → connection, or OSError.
        give_up: ends a connection that another one was faster than.

    Raises:
        OSError: what the first one failed with, when all have.
    """
    attempts: set[asyncio.Task[T]] = set()
    failure: OSError | None = None
    waiting = alternating(addresses)
    try:
        while waiting or attempts:
            if waiting:
                attempts.add(asyncio.create_task(connect(waiting.pop(0))))
            done, attempts = await asyncio.wait(
                attempts, timeout=NEXT_ADDRESS_SECONDS if waiting else None, return_when=asyncio.FIRST_COMPLETED
            )
            for attempt in done:
                error = attempt.exception()
                if not isinstance(error, OSError):
                    attempts |= done - {attempt}
                    return attempt.result()
                failure = failure or error
    finally:
        for attempt in attempts:
            if not attempt.done():
                attempt.cancel()
            elif attempt.exception() is None:
                give_up(attempt.result())
    assert failure is not None
    raise failure

"""A process that has used up its file descriptors makes room, or waits, and connects again: no page is lost by it."""

from __future__ import annotations

import asyncio
import errno
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

logger = logging.getLogger(__name__)

T = TypeVar("T")

FULL = frozenset({errno.EMFILE, errno.ENFILE})
"""What the system says when there is no descriptor left: for this process, for the machine."""

MADE_SECONDS = 0.01
"""A connection that is ended frees its descriptor in the event loop's next rounds."""
PAUSE_SECONDS = 0.5


async def connected_when_room(connect: Callable[[], Awaitable[T]], make_room: Callable[[], bool]) -> T:
    """Connect, again and again while no file descriptor is left; the caller bounds how long.

    Args:
        make_room: ends a connection nobody needs; whether there was one.

    Raises:
        OSError: what *connect* fails with for any other reason.
    """
    told = False
    while True:
        try:
            return await connect()
        except OSError as error:
            if error.errno not in FULL:
                raise
            if not told:
                logger.warning(
                    "%s: waiting for one to be free; raise the limit (ulimit -n, LimitNOFILE=) or lower "
                    "CONCURRENT_REQUESTS",
                    error.strerror,
                )
            told = True
        await asyncio.sleep(MADE_SECONDS if make_room() else PAUSE_SECONDS)

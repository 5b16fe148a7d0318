"""The shared state of rejections and classes in Redis, with a copy in each worker's file.

The state is one JSON document; a change reads it, and replaces it if it is still the same."""

from __future__ import annotations

from collections.abc import Callable

from gwc_crawler.errors import OutageError
from gwc_crawler.frontier.rejections import LimitsBook, LimitsState
from gwc_crawler.store.redis_server import TRIES, Server, redis_errors

SWAP = """
local now = redis.call('GET', KEYS[1]) or ''
if now ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1
"""


def limits_key(queue_key: str) -> str:
    """Return the key of the document beside a site's queue."""
    return f"{queue_key}:limits"


class SharedLimitsBook:
    """The state of a crawl that several workers share; *copy*: in this worker's file, where status and why read."""

    def __init__(self, server: Server, queue_key: str, copy: LimitsBook) -> None:
        self._server = server
        self._key = limits_key(queue_key)
        self._copy = copy

    def change(self, step: Callable[[LimitsState], None]) -> LimitsState:
        """Let *step* change the state; OutageError: Redis can't be reached, or others are always quicker."""
        for _ in range(TRIES):
            with redis_errors():
                old = (self._server.get(self._key) or b"").decode()
            state = LimitsState.from_json(old) if old else LimitsState()
            step(state)
            new = state.as_json()
            with redis_errors():
                done = new == old or self._server.eval(SWAP, 1, self._key, old, new)
            if done:
                self._copy.write(state)
                return state
        raise OutageError("the limits of this crawl are changed by others all the time; they are counted later")

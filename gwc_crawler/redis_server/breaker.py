"""One breaker for all that a crawl asks of its Redis: who finds it silent finds that out for the others, too.

The event loop stands still while an answer is waited for. So after a wait in vain nothing is sent for a while: whoever
asks meanwhile is told at once that the server is away. It takes the place of redis-py's `retry`, through which every
connection and every command of a client goes.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from redis.backoff import NoBackoff
from redis.exceptions import AuthenticationError, ConnectionError, TimeoutError
from redis.retry import Retry

RESTS = 4.0
"""So many times as long as was waited in vain nothing is sent: the loop stands still a fifth of the time at most."""
LONGEST_REST_SECONDS = 2.0


class Breaker(Retry):
    """Tries once, and not at all shortly after a wait in vain, once it is `armed`.

    A refusal that comes at once, such as that of a port where nothing listens, costs nothing and stops nobody.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(NoBackoff(), 0)
        self.armed = False
        self._clock = clock
        self._silent_until = float("-inf")

    def __deepcopy__(self, memo: Any) -> Breaker:
        """Be one for all connections: redis-py gives each a copy of what it is told."""
        return self

    def call_with_retry(self, do: Callable[[], Any], fail: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """Return what *do* gives.

        Raises:
            ConnectionError: it was not done, since the server was silent a moment ago; or as *do* raises.
        """
        began = self._clock()
        if self.armed and began < self._silent_until:
            raise ConnectionError("it did not answer a moment ago")
        try:
            return super().call_with_retry(do, fail, *args, **options)
        except AuthenticationError:
            raise
        except (ConnectionError, TimeoutError):
            now = self._clock()
            self._silent_until = max(self._silent_until, now + min(RESTS * (now - began), LONGEST_REST_SECONDS))
            raise

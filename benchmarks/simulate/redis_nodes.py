"""Redis in virtual time: a real server does the work; what each call took it is queued up at one of many masters.

A call waits for what its master has to do at the time, lasts as long as such a call takes the real server's CPU, and
comes back after the network's round trip. The caller waits: that is how the crawl asks Redis. Several calls of one turn
of a worker come to the master's queue at once, so that it is never idle while somebody waits.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from redis.crc import key_slot

from benchmarks.simulate.events import Events

ROUND_TRIP_SECONDS = 0.0002
FIRST_CALLS, EACH = 20, 16
"""The first calls of a kind are measured, then each so manieth: by the CPU time of the server's thread."""

TRIALS = 200
"""How often it is measured what measuring takes: it asks the server, too."""

LEAST_SECONDS = 5e-6

MOST_TIMES = 10.0
"""None counts for more than so many times their mean: a machine that stands still for a while is not Redis's doing."""


@dataclass
class Node:
    """One master. `busy_seconds`: of its one thread; `waited_seconds`: of its callers, in its queue; virtual time."""

    free_at: float = 0.0
    busy_seconds: float = 0.0
    waited_seconds: float = 0.0
    calls: int = 0


@dataclass
class Cost:
    """What calls of one kind take the server."""

    calls: int = 0
    samples: int = 0
    seconds: float = 0.0

    @property
    def mean(self) -> float:
        """Seconds."""
        return self.seconds / max(self.samples, 1)

    def measured(self, seconds: float) -> None:
        """Note what one took."""
        self.seconds += min(seconds, MOST_TIMES * self.mean) if self.samples >= FIRST_CALLS else seconds
        self.samples += 1


class Nodes:
    """The masters, and the virtual time of who calls: set `now` before, read it after."""

    def __init__(self, server: Any, masters: int, events: Events) -> None:
        self.now = events.now
        self._events = events
        self.masters = [Node() for _ in range(masters)]
        self._server = server
        self._costs: dict[str, Cost] = defaultdict(Cost)
        told = [self._told() for _ in range(TRIALS)]
        self._asking_seconds = (told[-1] - told[0]) / (TRIALS - 1)

    def client(self, name: str) -> NodeClient:
        """What looks like a connection to the master that keeps the keys of *name*."""
        return NodeClient(self._server, self, self.keeper(f"{{{name}}}"))

    def cluster(self) -> NodeClient:
        """What looks like a connection to the whole cluster: each call goes where its first key is kept."""
        return NodeClient(self._server, self, None)

    def keeper(self, key: str) -> Node:
        """The master that keeps a key."""
        tag = key[key.find("{") + 1 : key.find("}")]
        return self.masters[hash_slot(tag) % len(self.masters)]

    def call(self, node: Node, kind: str, run: Callable[[], Any]) -> Any:
        """Run a call of some kind: it waits in its master's queue, and takes the caller's time."""
        cost = self._costs[kind]
        if is_measured := cost.calls < FIRST_CALLS or cost.calls % EACH == 0:
            before = self._told()
        try:
            return run()
        finally:
            if is_measured:
                cost.measured(max(LEAST_SECONDS, self._told() - before - self._asking_seconds))
            cost.calls += 1
            node.waited_seconds += max(0.0, node.free_at - self.now)
            node.free_at = max(self._events.now, node.free_at) + cost.mean
            node.busy_seconds += cost.mean
            node.calls += 1
            self.now = max(self.now + cost.mean, node.free_at) + ROUND_TRIP_SECONDS

    def _told(self) -> float:
        """CPU seconds that the server's one thread has spent so far."""
        spent = self._server.info("cpu")
        return float(spent["used_cpu_user_main_thread"]) + float(spent["used_cpu_sys_main_thread"])


class NodeClient:
    """A Redis client whose calls take virtual time at one master, or at the one that keeps a script's keys."""

    def __init__(self, server: Any, nodes: Nodes, node: Node | None) -> None:
        self._server, self._nodes, self._node = server, nodes, node

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._server, name)
        if name == "pipeline":
            return method  # type: ignore[no-any-return]  # rare: what a fleet reports of found hosts

        def call(*arguments: Any, **options: Any) -> Any:
            kind = f"{name} {arguments[0]}" if name == "evalsha" else name
            node = self._node or self._nodes.keeper(arguments[2])
            return self._nodes.call(node, kind, lambda: method(*arguments, **options))

        return call


def hash_slot(name: str) -> int:
    """Where a cluster would put a key with this hash tag."""
    return int(key_slot(name.encode()))

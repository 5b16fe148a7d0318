"""Redis, for all who use it: scripts by name, errors told apart, one breaker, and how long an answer is waited for.

A server that can't be reached for now raises `OutageError` (wait, call again); anything else that goes wrong in Redis
is a `StoreError`. Works with `redis.Redis` and `redis.RedisCluster`: all keys of one site share one hash tag.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha1
from importlib.resources import files
from typing import Any, TypeAlias

from redis import exceptions
from redis.backoff import NoBackoff
from redis.exceptions import AuthenticationError, ConnectionError, TimeoutError
from redis.retry import Retry

from gwc_crawler.errors import OutageError, RightsError, StoreError

Server: TypeAlias = Any
"""A `redis.Redis` or `redis.RedisCluster` that returns bytes; the two have no common type."""

PASSING = (
    exceptions.ConnectionError,  # also: still loading its data, cluster down, too many clients
    exceptions.TimeoutError,
    exceptions.BusyLoadingError,
    exceptions.ClusterDownError,
    exceptions.ClusterError,
    exceptions.MasterDownError,
    exceptions.TryAgainError,
    exceptions.ReadOnlyError,  # a failover is under way
    exceptions.RedisClusterException,
)
WRONG_TYPE = "WRONGTYPE"
GRANT = "grant it to the user (docs/fleet.md, Rights in Redis)"


@contextmanager
def redis_errors() -> Iterator[None]:
    """Turn errors of redis-py into ours.

    Raises:
        OutageError: the server can't be reached or can't answer for now.
        RightsError: it refuses the user something.
        StoreError: it answers, and something is wrong.
    """
    try:
        yield
    except exceptions.NoPermissionError as error:
        raise RightsError(f"Redis refuses: {error}; {GRANT}") from error
    except (exceptions.AuthenticationError, exceptions.AuthorizationError) as error:
        helps = "check the user and password in REDIS_URL or REDIS_PARAMS"
        raise RightsError(f"Redis refuses: {error}; {helps}") from error
    except PASSING as error:
        raise OutageError(f"Redis can't be reached: {error}; start it, or name it in REDIS_URL") from error
    except exceptions.OutOfMemoryError as error:
        helps = "give it more memory (maxmemory) or set GWC_REDIS_KEEP_URLS = False"
        raise OutageError(f"Redis is full: {error}; {helps}") from error
    except exceptions.RedisError as error:
        if "The user executing the script" in str(error):
            raise RightsError(f"Redis refuses: {error}; {GRANT}") from error
        help = "; `scrapy doctor SITE` names the key" if WRONG_TYPE in str(error) else ""
        raise StoreError(f"Redis failed: {error}{help}") from error


def check_types(server: Server, types: Mapping[str, str]) -> None:
    """See that each key holds what a crawl keeps there, or nothing; *types*: key → its type, as TYPE says it.

    Raises:
        StoreError: one holds something else: which, and what.
        OutageError: see `redis_errors`.
    """
    with redis_errors():
        pipeline = server.pipeline(transaction=False)
        for key in types:
            pipeline.type(key)
        found = [kind.decode() for kind in pipeline.execute()]
    for (key, kind), there in zip(types.items(), found, strict=True):
        if there not in (kind, "none"):
            raise StoreError(
                f"the Redis key {key} holds a {there}, and a crawl keeps a {kind} there: something else has written "
                "it; RENAME or DEL it"
            )


Constant: TypeAlias = "str | float | Sequence[Constant] | Mapping[str, Constant]"
"""What Python tells Lua: a text, a number, yes or no, a list, a table."""


def lua_literal(value: Constant) -> str:
    """Write *value* as Lua reads it; lists count from 1 there.

    >>> lua_literal({"host": ["a\\n", 1, 0.5, True]})
    '{["host"] = {"a\\\\010", 1, 0.5, true}}'
    """
    if isinstance(value, str):
        letters = (
            chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\' else f"\\{byte:03d}" for byte in value.encode()
        )
        return f'"{"".join(letters)}"'
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"[{lua_literal(key)}] = {lua_literal(one)}" for key, one in value.items()) + "}"
    if isinstance(value, Sequence):
        return "{" + ", ".join(map(lua_literal, value)) + "}"
    return str(value).lower() if isinstance(value, bool) else repr(value)


@dataclass(frozen=True, eq=False)
class Lua:
    """The scripts in the folder `lua` of a *package*; each begins with the files of the *prelude*, in this order.

    Before these, *constants* become locals: what a rule in Python and its like in Lua share stands once. `ARGS` holds
    the arguments by name, as text: those of every script (*common*), then the script's own (*arguments*). The unnamed
    rest begins at `ARGV[REST]`. *types*: what keys end with behind the first one's name → what they hold.
    """

    package: str
    prelude: Sequence[str] = ()
    constants: Mapping[str, Constant] = field(default_factory=dict)
    common: Sequence[str] = ()
    arguments: Mapping[str, Sequence[str]] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)

    @cache  # noqa: B019 - a few for the whole program
    def source(self, name: str) -> str:
        """The text of one script."""
        folder = files(self.package).joinpath("lua")
        texts = [folder.joinpath(f"{part}.lua").read_text("utf-8") for part in (*self.prelude, name)]
        constants = [f"local {key} = {lua_literal(value)}" for key, value in self.constants.items()]
        named = ", ".join(f"{key} = ARGV[{place}]" for place, key in enumerate(self.names(name), 1))
        return "\n".join([*constants, f"local ARGS, REST = {{{named}}}, {len(self.names(name)) + 1}", *texts])

    @cache  # noqa: B019
    def sha(self, name: str) -> str:
        """What Redis calls it."""
        return sha1(self.source(name).encode(), usedforsecurity=False).hexdigest()

    def names(self, name: str) -> tuple[str, ...]:
        """The names of the script's arguments, in their order."""
        return (*self.common, *self.arguments.get(name, ()))


class Scripts:
    """Calls scripts of *lua* with *keys*, e.g. the queue and the dedup part of one site."""

    def __init__(self, server: Server, lua: Lua, *keys: str) -> None:
        self._server, self._lua, self._keys = server, lua, keys

    def run(self, script: str, *rest: Any, **named: Any) -> Any:
        """Run a script and return its answer; bytes, ints and lists of them. What is not *named* is '' in `ARGS`.

        Raises:
            OutageError: see `redis_errors`; the script may have run all the same.
            StoreError: Redis refused.
        """
        arguments = [named.pop(name, "") for name in self._lua.names(script)]
        if named:
            raise TypeError(f"{script}.lua has no argument {', '.join(named)}")
        with redis_errors():
            try:
                return self._call(script, *arguments, *rest)
            except exceptions.ResponseError as error:
                if WRONG_TYPE in str(error):
                    check_types(self._server, {f"{self._keys[0]}{end}": kind for end, kind in self._lua.types.items()})
                raise

    def _call(self, script: str, *arguments: Any) -> Any:
        try:
            return self._server.evalsha(self._lua.sha(script), len(self._keys), *self._keys, *arguments)
        except exceptions.NoScriptError:
            return self._server.eval(self._lua.source(script), len(self._keys), *self._keys, *arguments)


# --- One breaker for all that a crawl asks of its Redis ---------------------------------------------------------------


RESTS = 4.0
"""So many times as long as was waited in vain nothing is sent: the loop stands still a fifth of the time at most."""
TRIES = 1000
"""A write that others overtook this often is given up: something is wrong."""
LONGEST_REST_SECONDS = 2.0
"""Until a server that was silent is asked again."""


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
        """Return what *do* gives; ConnectionError: it was not done, since the server was silent a moment ago."""
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


# --- How long an answer of Redis is waited for: less once the event loop runs, which stands still meanwhile -----------


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

"""The Lua scripts of RedisFrontier: loaded once, called by name, their errors told apart.

A server that can't be reached for now raises `OutageError` (wait, call again); anything else that goes wrong in Redis
is a `StoreError`. Works with `redis.Redis` and `redis.RedisCluster`: all keys of one site share one hash tag.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import sha1
from importlib.resources import files
from typing import Any, TypeAlias

from redis import exceptions

from gwc_crawler.errors import OutageError, StoreError

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
NEVER_PASSING = (exceptions.AuthenticationError, exceptions.AuthorizationError, exceptions.NoPermissionError)


@contextmanager
def redis_errors() -> Iterator[None]:
    """Turn errors of redis-py into ours.

    Raises:
        OutageError: the server can't be reached or can't answer for now.
        StoreError: it answers, and refuses.
    """
    try:
        yield
    except NEVER_PASSING as error:
        raise StoreError(f"Redis refuses: {error}; check the user and password in REDIS_URL or REDIS_PARAMS") from error
    except PASSING as error:
        raise OutageError(f"Redis can't be reached: {error}; start it, or name it in REDIS_URL") from error
    except exceptions.OutOfMemoryError as error:
        raise OutageError(
            f"Redis is full: {error}; give it more memory (maxmemory) or set GWC_REDIS_KEEP_URLS = False"
        ) from error
    except exceptions.RedisError as error:
        raise StoreError(f"Redis failed: {error}") from error


SHARED = ("common", "queues", "states", "ways")
"""What all scripts of the frontier begin with, in this order; each builds on those before it."""


ALONE = frozenset({"limit"})
"""Scripts that work on something else than the frontier."""


@cache
def source_of(name: str) -> str:
    """The text of one script: what all share, then its own."""
    directory = files("gwc_crawler.frontier")
    parts = (name,) if name in ALONE else (*SHARED, name)
    return "\n".join(directory.joinpath(f"redis_{part}.lua").read_text("utf-8") for part in parts)


@cache
def _sha_of(name: str) -> str:
    return sha1(source_of(name).encode(), usedforsecurity=False).hexdigest()


class Scripts:
    """Calls scripts with *keys*, e.g. the queue and the dedup part of one site."""

    def __init__(self, server: Server, *keys: str) -> None:
        self._server = server
        self._keys = keys
        self.calls = 0

    def run(self, name: str, *arguments: Any) -> Any:
        """Run a script and return its answer; bytes, ints and lists of them.

        Raises:
            OutageError: see `redis_errors`; the script may have run all the same.
            StoreError: Redis refused.
        """
        self.calls += 1
        with redis_errors():
            try:
                return self._server.evalsha(_sha_of(name), len(self._keys), *self._keys, *arguments)
            except exceptions.NoScriptError:
                return self._server.eval(source_of(name), len(self._keys), *self._keys, *arguments)

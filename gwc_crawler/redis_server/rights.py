"""Whether Redis lets its user do all that a shared crawl does: asked before the first page, not found out on the way.

Each command is tried on a key of ours that nobody else has. Redis checks a script's commands when it runs them, so
what the scripts call is tried by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from redis import exceptions

from gwc_crawler.errors import RightsError
from gwc_crawler.redis_server.scripts import Server, redis_errors

COMMANDS = {
    "@scripting": ("eval return() 1 {}", "evalsha 0000000000000000000000000000000000000000 1 {}"),
    "@read": (
        *("get {}", "getrange {} 0 0", "exists {}", "type {}", "scan 0"),
        *("hget {} a", "hmget {} a", "hgetall {}", "hkeys {}", "hlen {}", "hscan {} 0", "hrandfield {}"),
        *("llen {}", "lrange {} 0 0", "srandmember {} 1", "zcard {}", "zscore {} a"),
        *("zrange {} 0 0", "zrangebyscore {} 0 1", "zrevrange {} 0 0"),
    ),
    "@write": (
        *("hset {} a 1", "hsetnx {} a 1", "hincrby {} a 1", "hdel {} a"),
        *("rpush {} a", "lpop {}", "lrem {} 1 a", "srem {} a", "zadd {} 1 a", "zrem {} a"),
        *("set {} a", "append {} a", "del {}", "unlink {}"),
    ),
    "info": ("info server",),
    "time": ("time",),
}
"""Rights, as ACL SETUSER has them behind a "+", and the commands that need them; {} is a key."""

TOUCHES = ("hset {} a 1", "hget {} a", "unlink {}")
LOOKS = ("lrange {} 0 0", "lrem {} 1 -")
"""What is tried on keys of other places, and on those that belong to others."""


def check_rights(server: Server, places: Sequence[str], foreign: str) -> None:
    """Try whatever a crawl does.

    Args:
        places: what the names of keys begin with; all commands are tried on a key of the first.
        foreign: a key that people write.

    Raises:
        RightsError: the user may not do all that is needed; names what is lacking, and the command that grants it.
        OutageError: Redis can't be reached.
    """
    lacking = {right: names for right in COMMANDS if (names := _refused(server, COMMANDS[right], f"{places[0]}rights"))}
    closed = [f"~{place}*" for place in places if _is_closed(server, TOUCHES, f"{place}rights")]
    closed += [f"~{foreign}"] if _is_closed(server, LOOKS, foreign) else []
    if lacking or closed:
        user, patterns = user_of(server), [*(f"~{place}*" for place in places), f"~{foreign}"]
        rights = [f"+{right} ({', '.join(names)})" for right, names in lacking.items()]
        granted = " ".join([*patterns, "+@connection", *(f"+{one}" for one in COMMANDS)])
        raise RightsError(
            f"Redis user {user!r} lacks {', '.join([*rights, *closed])}; grant what a crawl needs: "
            f"ACL SETUSER {user} {granted} (docs/fleet.md, Rights in Redis)"
        )


def user_of(server: Server) -> str:
    """The name that the client logs in with."""
    is_cluster = hasattr(server, "get_nodes")
    options: Mapping[str, Any] = (
        server.get_connection_kwargs() if is_cluster else server.connection_pool.connection_kwargs
    )
    return str(options.get("username") or "default")


def _refused(server: Server, commands: tuple[str, ...], key: str) -> list[str]:
    """The names of the commands that may not be run."""
    answers = ((command.partition(" ")[0], _refusal(server, command, key)) for command in commands)
    return [name for name, refusal in answers if refusal and not _is_of_key(refusal)]


def _is_closed(server: Server, commands: tuple[str, ...], key: str) -> bool:
    return any(_is_of_key(_refusal(server, command, key)) for command in commands)


def _is_of_key(refusal: str) -> bool:
    return "access" in refusal


def _refusal(server: Server, command: str, key: str) -> str:
    """What Redis says if it is a matter of rights, else ""."""
    with redis_errors(), suppress(exceptions.ResponseError):
        try:
            server.execute_command(*(key if word == "{}" else word for word in command.split()))
        except exceptions.NoPermissionError as error:
            return str(error)
    return ""

"""What Redis knows of each host that workers share: asked and told by one script, on a cluster in parts.

One question is about many hosts, so their keys stand on one node. On a Redis Cluster that node would bound what all
workers together may ask: there the hosts are dealt out by hash to `PARTS` groups, each on a master of its own choice.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from zlib import crc32

from redis import RedisCluster

from gwc_crawler.politeness.host_rules import SHARED
from gwc_crawler.redis_server import Lua, Scripts, Server
from gwc_crawler.store.state import KEPT_SECONDS

LUA = Lua(
    "gwc_crawler.politeness",
    constants={**SHARED, "KEPT_SECONDS": KEPT_SECONDS},
    arguments={"limit": ("now", "worker", "permit_seconds")},
)

KEYS = "{gwc}:hosts"
"""Begins the keys of all hosts, for all sites, where they are in one part; else each part has a number in its tag."""

PARTS = 16
"""On a Redis Cluster; a worker's renewal of many hosts is as many questions at most."""


class SharedHosts:
    """Asks Redis about hosts.

    Args:
        server: returns bytes; closed by its owner.
        parts: None for `PARTS` on a Redis Cluster, else one. All workers have to have the same.
    """

    def __init__(self, server: Server, parts: int | None = None) -> None:
        if parts is None:
            parts = PARTS if isinstance(server, RedisCluster) else 1
        self._parts = [Scripts(server, LUA, part_key(number, parts)) for number in range(parts)]

    def exchange(self, questions: Sequence[Mapping[str, Any]], **named: Any) -> list[dict[str, Any]]:
        """Tell and ask; an answer for each question, in their order.

        Args:
            questions: each names its host as "key".
            named: what the script takes besides.
        Raises:
            StoreError: Redis is away or refuses; some of the questions may have been heard.
        """
        dealt: dict[int, list[int]] = {}
        for place, question in enumerate(questions):
            dealt.setdefault(part_of(question["key"], len(self._parts)), []).append(place)
        answers: list[dict[str, Any]] = [{}] * len(questions)
        for part, places in dealt.items():
            asked = [json.dumps(questions[place]) for place in places]
            told = json.loads(self._parts[part].run("limit", *asked, **named))
            for place, answer in zip(places, told, strict=True):
                answers[place] = answer
        return answers


def part_of(host: str, parts: int) -> int:
    """The part that a host belongs to, for every worker the same."""
    return crc32(host.encode()) % parts if parts > 1 else 0


def part_key(part: int, parts: int) -> str:
    """What the keys of a part begin with.

    >>> part_key(0, 1), part_key(3, 16)
    ('{gwc}:hosts', '{gwc3}:hosts')
    """
    return KEYS if parts == 1 else KEYS.replace("}", f"{part}}}")

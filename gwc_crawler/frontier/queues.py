"""Queue assignment: which queue a URL belongs to, and which part of a shared frontier a queue belongs to.

A policy is a pure function, URL in, key out: of a download slot and a queue. Limits belong to hosts all the same.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from ipaddress import ip_address, ip_network
from typing import TypeAlias

from gwc_crawler.errors import InputError
from gwc_crawler.network.politeness.address_book import literal_address_of
from gwc_crawler.urls import host_of


def bkdr_hash(text: str, *, multiplier: int = 131) -> int:
    """Hash *text* into 32 bits: h = h · multiplier + byte, over its UTF-8 bytes.

    Equal on every machine and in every process; "" hashes to 0. Usual multipliers are 31, 131 and 1313.

    Source:
        Kernighan & Ritchie, The C Programming Language, 2nd ed., §6.6 (there with 31).

    >>> bkdr_hash("abc")
    1677554
    """
    value = 0
    for byte in text.encode("utf-8", "surrogatepass"):
        value = (value * multiplier + byte) & 0xFFFFFFFF
    return value


QueuePolicy: TypeAlias = Callable[[str], str]  # URL → the key of its queue, equal on every worker

AddressOf: TypeAlias = Callable[[str], str]

TARGETS = "!"  # ends the key of a queue that holds the targets of another one; both are in one part

MOST_PARTS = 256
RANGE_BITS = {4: 24, 6: 48}
"""Leading bits that addresses of one range have in common: such ranges are usually assigned together."""


def queue_policy(
    name: str, *, queues: int = 16, multiplier: int = 131, address_of: AddressOf = literal_address_of
) -> QueuePolicy:
    """Return the policy called *name*: one of `POLICIES`, or the dotted path of a function URL → key; InputError: none.

    Args:
        queues, multiplier: how many queues BKDR spreads the URLs of one host over, and its seed.
        address_of: "host" or "host:port" → its address, or itself while that is not known; for "ip".
    """
    if name in POLICIES:
        return POLICIES[name](queues, multiplier, address_of)
    module, _, function = name.rpartition(".")
    try:
        policy: QueuePolicy = getattr(import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        raise InputError(
            f"setting GWC_QUEUE_POLICY is {name!r}; it can be {', '.join(POLICIES)}, or the dotted path of a function "
            f"that takes a URL and returns the name of its queue ({error})"
        ) from error
    return policy


def bkdr_queue(url: str, queues: int, multiplier: int = 131) -> str:
    """Spread the URLs of one host evenly over *queues* queues.

    Source:
        BKDR-queue, *queue assignment*. There the hash alone is the key, so that hosts share queues; here the host stays
        in the key: one that has to wait delays no other.

    >>> bkdr_queue("http://a.example/p/1", 16)
    'a.example#6'
    """
    return f"{host_of(url)}#{bkdr_hash(url, multiplier=multiplier) % queues}"


def column_queue(url: str) -> str:
    """Return one queue for each column of a site: its host and first directory.

    Source:
        T-Spider, *multi-granularity task partition* (algorithm 3).

    >>> column_queue("http://a.example/sport/football/1.html")
    'a.example/sport'
    >>> column_queue("http://a.example/about.html")
    'a.example'
    """
    path = url.partition("?")[0].split("/")[3:]
    return f"{host_of(url)}/{path[0]}" if len(path) > 1 and path[0] else host_of(url)


POLICIES: dict[str, Callable[[int, int, AddressOf], QueuePolicy]] = {
    "host": lambda *_: host_of,
    "bkdr": lambda queues, multiplier, _: lambda url: bkdr_queue(url, queues, multiplier),
    "column": lambda *_: column_queue,
    "ip": lambda _, __, address_of: lambda url: address_of(host_of(url)),
}
"""Names for GWC_QUEUE_POLICY; each policy is made for a number of queues per host, with BKDR's multiplier."""


class RoleQueues:
    """A policy (None: by hosts) that gives the URLs for which `is_target` holds queues of their own.

    So targets and directories of one weight take turns: a listing with thousands of targets does not keep the next
    listings waiting, nor they the targets. Each of the two is first come, first served.
    """

    def __init__(self, policy: QueuePolicy | None = None) -> None:
        self.is_target: Callable[[str], bool] | None = None
        self._policy = policy or host_of

    def __call__(self, url: str) -> str:
        key = self._policy(url)
        return key + TARGETS if self.is_target is not None and self.is_target(url) else key


def queue_name(url: str, policy: QueuePolicy | None = None) -> str:
    """Name the queue of *url*: "HOST", or "KEY HOST" where the policy's key is another; None: the hosts are the queues.

    A queue holds URLs of one host alone, whatever the policy, so that a host can be paused.

    >>> queue_name("http://a.example/sport/1.html", column_queue)
    'a.example/sport a.example'
    """
    host = host_of(url)
    key = host if policy is None else policy(url)
    return host if key == host else f"{key} {host}"


@lru_cache(maxsize=65_536)
def part_of(name: str, parts: int) -> int:
    """Return the part, 0 … *parts* − 1, of the queue called *name* (by `queue_name`), equal on every worker.

    The hash of the policy's key decides, so a host, one of a host's BKDR queues, or a column, is a unit; of a key that
    is an address, its range.

    Source:
        T-Spider, *multi-granularity task partition*: by BKDR hash, by column, by range of addresses.

    >>> part_of("a.example", 16), part_of("192.0.2.1 a.example", 16) == part_of("192.0.2.9 b.example", 16)
    (9, True)
    """
    key = (name.rpartition(" ")[0] or name).removesuffix(TARGETS)
    try:
        address = ip_address(key)
    except ValueError:
        return bkdr_hash(key) % parts
    return bkdr_hash(str(ip_network((address, RANGE_BITS[address.version]), strict=False))) % parts


def share_of_column(url: str, shares: int) -> int:
    """Return which of several shares, 1 … *shares*, crawls the column that *url* is in, equal on every machine.

    Source:
        T-Spider, *multi-granularity task partition*: a site is cut by column.

    >>> [share_of_column(f"http://a.example/{path}", 2) for path in ("", "news/1.html", "news/2.html", "sport/")]
    [2, 2, 2, 1]
    """
    return part_of(queue_name(url, column_queue), shares) + 1

"""Which URLs were seen, exactly, in one process: 9 bytes a URL, found in microseconds.

For crawlers that keep their own queue (`scheduler.dupefilter`); the frontiers dedup in their file or in Redis.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from hashlib import md5
from io import DEFAULT_BUFFER_SIZE
from pathlib import Path
from typing import TypeAlias

FULL_LEAF = 2048
"""Keys at which a leaf becomes a node with 16 leaves: an insertion moves 16 KB at most, a split takes 30 µs."""

KEY_BITS = 64
KEY_BYTES = KEY_BITS // 8
DIGIT_BITS = 4

Leaf: TypeAlias = "array[int]"
Node: TypeAlias = "list[Node | Leaf]"


class Md5Tree:
    """A set of URLs, kept as the first 64 bits of their MD5; grows without a long stop.

    A 16-way tree over the MD5's hex digits. It is as deep as its size needs: a leaf is the sorted array of all keys
    that begin with the digits on the way to it, and a full one becomes 16 leaves.

    Source:
        MD5-tree: 16 hex digits of the URL's MD5 as a 16-way tree of depth 16. What we do differently: a way of nodes
        that leads to a single URL costs some hundred times the 8 bytes it stands for, so the digits that no node needs
        lie side by side in the leaf. Two URLs with equal 64 bits count as one, as there; expect the first such pair
        near five billion URLs.

    >>> seen = Md5Tree()
    >>> seen.add("http://example.com/"), seen.add("http://example.com/")
    (True, False)
    >>> "http://example.com/" in seen, "http://example.com/2" in seen, len(seen)
    (True, False, 1)
    """

    __slots__ = ("_root", "_size")

    def __init__(self, urls: Iterable[str] = ()) -> None:
        self._root: Node = [array("Q") for _ in range(16)]
        self._size = 0
        for url in urls:
            self.add(url)

    def add(self, url: str) -> bool:
        """Enter *url*; True if it is new. Cost: O(log n), two microseconds at ten million."""
        return self.add_key(key_of(url))

    def add_key(self, key: int) -> bool:
        """Add the URL whose `key_of` is *key*; return True if it is new."""
        node, shift = self._root, KEY_BITS - DIGIT_BITS
        while type(leaf := node[place := key >> shift & 15]) is list:
            node, shift = leaf, shift - DIGIT_BITS
        at = bisect_left(leaf, key)
        if at < len(leaf) and leaf[at] == key:
            return False
        leaf.insert(at, key)  # type: ignore[arg-type]
        self._size += 1
        if len(leaf) >= FULL_LEAF:
            node[place] = _split(leaf, shift - DIGIT_BITS)  # type: ignore[arg-type]
        return True

    def __contains__(self, url: object) -> bool:
        if not isinstance(url, str):
            return False
        key = key_of(url)
        node, shift = self._root, KEY_BITS - DIGIT_BITS
        while type(leaf := node[key >> shift & 15]) is list:
            node, shift = leaf, shift - DIGIT_BITS
        at = bisect_left(leaf, key)
        return at < len(leaf) and leaf[at] == key

    def __len__(self) -> int:
        return self._size

    @property
    def memory_bytes(self) -> int:
        """Return the bytes that all nodes and leaves take. Cost: walks the tree."""
        return sum(sys.getsizeof(part) for part in _parts(self._root))


class Md5TreeFile:
    """An `Md5Tree` that outlives its process: in a file, 8 bytes a URL, in the order in which they came.

    Written as the buffer fills, and at the end. An entry that a killed process had begun to write is left out. One
    process at a time may have it. Raises OSError: it can't be read or written.
    """

    def __init__(self, path: Path) -> None:
        self.tree = Md5Tree()
        self._file = path.open("a+b")
        self._file.truncate(self._file.tell() & -KEY_BYTES)
        self._file.seek(0)
        while some := self._file.read(DEFAULT_BUFFER_SIZE):
            keys = array("Q", some)
            if sys.byteorder == "little":
                keys.byteswap()
            for key in keys:
                self.tree.add_key(key)

    def add(self, url: str) -> bool:
        """Enter *url*; True if it is new."""
        key = key_of(url)
        is_new = self.tree.add_key(key)
        if is_new:
            self._file.write(key.to_bytes(KEY_BYTES, "big"))
        return is_new

    def close(self) -> None:
        """Write the rest."""
        self._file.close()


class Md5Directories:
    """A set of URLs as directories on disk: `root/9/a/9/7/…`, one for each of 16 digits; for crawls of some thousands.

    The set outlives the process, and several processes may share it: making the last directory decides.

    Source:
        MD5-tree, the form for small crawls. Each URL costs a dozen directories, so 48 KB of most disks.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    def add(self, url: str) -> bool:
        """Enter *url*; True if it is new. Raises OSError: the disk is full, or may not be written."""
        last = self._of(url)
        last.parent.mkdir(parents=True, exist_ok=True)
        try:
            last.mkdir()
        except FileExistsError:
            return False
        return True

    def __contains__(self, url: str) -> bool:
        return self._of(url).is_dir()

    def _of(self, url: str) -> Path:
        return self._root.joinpath(*f"{key_of(url):016x}")


def key_of(url: str) -> int:
    """Return the first 64 bits of *url*'s MD5: 0 … 2⁶⁴−1."""
    return int.from_bytes(md5(url.encode("utf-8", "surrogatepass"), usedforsecurity=False).digest()[:8], "big")


def _split(leaf: Leaf, shift: int) -> Node:
    """Return the 16 leaves of a full one, by the digit at *shift*. Each is a slice, because the keys are sorted."""
    head = leaf[0] >> shift + DIGIT_BITS << shift + DIGIT_BITS
    starts = [bisect_left(leaf, head + (digit << shift)) for digit in range(16)]
    return [leaf[start:end] for start, end in zip(starts, [*starts[1:], len(leaf)], strict=True)]


def _parts(node: Node) -> Iterator[Node | Leaf]:
    yield node
    for part in node:
        if isinstance(part, list):
            yield from _parts(part)
        else:
            yield part

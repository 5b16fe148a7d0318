"""`python -m benchmarks.name_server DELAY`: a name server in a process of its own that knows every name; says where."""

from __future__ import annotations

import asyncio
import sys
from typing import Any, cast

HEAD = b"\x81\x80\x00\x01\x00\x01\x00\x00\x00\x00"
"""Flags and counts of an answer with one address."""

ANSWER = b"\xc0\x0c\x00\x01\x00\x01\x00\x00\x0e\x10\x00\x04\xc0\x00\x02\x01"
"""The name of the question is at 192.0.2.1, for an hour."""


class Server(asyncio.DatagramProtocol):
    """Answers after *delay* seconds."""

    def __init__(self, delay: float) -> None:
        self._delay = delay

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Say where."""
        self._transport = cast("asyncio.DatagramTransport", transport)
        host, port = transport.get_extra_info("sockname")
        print(f"{host}:{port}", flush=True)

    def datagram_received(self, data: bytes, addr: Any) -> None:
        """Answer; the question ends with its type and class, behind the name's last byte, 0."""
        question = data[12 : data.index(0, 12) + 5]
        reply = data[:2] + HEAD + question + ANSWER
        asyncio.get_running_loop().call_later(self._delay, self._transport.sendto, reply, addr)


async def serve(delay: float) -> None:
    """Serve until killed."""
    loop = asyncio.get_running_loop()
    await loop.create_datagram_endpoint(lambda: Server(delay), local_addr=("127.0.0.1", 0))
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1])))

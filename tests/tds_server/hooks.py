"""What a server does wrong on request: at which message, and what."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal


@dataclass(slots=True)
class Hook:
    """One fault.

    `at`: the how-manieth message that `match` stands in, from when the hook was set, all connections together; `times`:
    so many from there on. `do`: drop the connection | keep silence | delay the answer by `seconds` | answer by an
    `error` of `number` | kill the whole server. `after`: it has done first what it was asked for. A login is a message
    "login", the rows of a bulk copy "bulk rows".
    """

    do: Literal["drop", "silence", "delay", "error", "kill"] = "drop"
    at: int = 1
    times: int = 1
    match: str = ""
    number: int = 0
    seconds: float = 0.0
    after: bool = False
    seen: int = 0

    def hits(self, message: str) -> bool:
        """Count a message; say whether it is one of those at which something is to go wrong."""
        if self.match.lower() not in message.lower():
            return False
        self.seen += 1
        return self.at <= self.seen < self.at + self.times

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

"""The notation of a column: `7.250` is 7250 in one column and 7.25 in another, and the column's other texts tell.

A type whose texts may be read in several ways has `Notations`. Which is right is said in a site file,
`number(decimal=".")`, or decided by `vote` when the site is learned, and stands in the knowledge in the same words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Notations:
    """The ways in which texts of a type may be written.

    Attributes:
        option: what a site file calls them: "decimal".
        choices: the ways: ".", ",".
        allowed: of a text, those in which it can be read; none where they are all one, or it is not of the type.
        usual: of a language ("de", "en-GB"), the one it is written with; "" where the language does not tell.
    """

    option: str
    choices: tuple[str, ...]
    allowed: Callable[[str], frozenset[str]]
    usual: Callable[[str], str] = lambda language: ""


@dataclass(frozen=True, slots=True)
class Vote:
    """What the texts of a column say: the `chosen` way, "" where none has most votes; the votes for each; how many
    texts allow several ways (`open`), and one of them (`example`, "" for none)."""

    chosen: str
    votes: dict[str, int]
    open: int
    example: str


def vote(texts: Iterable[str], notations: Notations) -> Vote:
    """Let the texts of a column decide in which way it is written; what allows every way has no vote.

    >>> kinds = Notations("decimal", (".", ","), lambda text: frozenset(".,") - set(text[-2:-1]))
    >>> vote(["1.5", "7.250", "2,5", "3.5"], kinds)
    Vote(chosen=',', votes={'.': 1, ',': 2}, open=1, example='7.250')
    """
    ways = [(text, notations.allowed(text)) for text in texts]
    votes = Counter(dict.fromkeys(notations.choices, 0))
    for _, allowed in ways:
        if len(allowed) < len(notations.choices):
            votes.update(allowed)
    (first, most), (_, second) = votes.most_common(2)
    doubtful = [text for text, allowed in ways if len(allowed) > 1]
    return Vote(first if most > second else "", dict(votes), len(doubtful), next(iter(doubtful), ""))

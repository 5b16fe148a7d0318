"""The rule for a handful of pages, too few to tell kinds apart: the smallest one that holds all of the kind.

In: a `Board`. Out: a `UrlRule`. `splits` needs pages to compare; without them the samples' own URLs say what they have
in common.

Source:
    The least general generalisation of Plotkin, "A note on inductive generalization", 1970, over words of URLs: of all
    rules that hold the examples, the size principle (see `splits`) takes the one that holds the fewest others.
"""

from __future__ import annotations

from gwc_crawler.learn.kinds.board import Board
from gwc_crawler.learn.kinds.rule import UrlRule
from gwc_crawler.learn.kinds.words import Word, WordKind

_REFUSED_KINDS = frozenset({WordKind.DEPTH, WordKind.DIRECTORY, WordKind.KEYS, WordKind.NAME})


def smallest_rule(board: Board, examples: int, strangers: int) -> UrlRule:
    """Ask for all that the URLs of *examples* have in common; refuse words of *strangers* that they still let in.

    Of a single example, what its file is called and the values of its query count as its own.
    """
    words = [board.words[place] for place in board.members(examples)]
    shared = {word for word in frozenset.intersection(*words) if word.may_be_demanded}
    if len(words) == 1:
        shared = {word for word in shared if not word.is_of_the_file and word.kind is not WordKind.VALUE}
    if any(word.kind is WordKind.KEYS for word in shared):
        shared = {word for word in shared if word.kind is not WordKind.KEY}
    rule = UrlRule(frozenset(shared))
    known = frozenset.union(*words)
    left = [some for place in board.members(strangers) if rule.holds(some := board.words[place])]
    while left:
        tried = {word for some in left for word in some if word.kind in _REFUSED_KINDS and word not in known}
        if not tried:
            break
        best = min(tried, key=lambda word: _merit(word, left))
        rule = rule.with_words([(best, True)])
        left = [some for some in left if best not in some]
    return rule


def _merit(word: Word, left: list[frozenset[Word]]) -> tuple[int, float, Word]:
    """The word that most strangers have goes first, of these the cheapest."""
    return -sum(word in some for some in left), word.cost(negated=True), word

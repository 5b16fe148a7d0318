"""The simplest site that still fails: features are made as simple as can be, one after the other.

Source: Zeller & Hildebrandt, Simplifying and Isolating Failure-Inducing Input (2002); greedy, to a 1-minimal grammar.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.eval.generated.grammar import Grammar, simpler
from tests.eval.generated.trial import try_site


def shrunk(grammar: Grammar, fails: Callable[[Grammar], bool] | None = None) -> Grammar:
    """Simplify *grammar* as long as it *fails* (by default: as its decision is not as demanded).

    Cost: one trial for each feature and each simplification, some hundred at most.
    """
    still_fails = fails or (lambda one: not try_site(one).passed)
    while (found := next((one for one in simpler(grammar) if still_fails(one)), None)) is not None:
        grammar = found
    return grammar

"""The degrees that learning decides by, for all its decisions: few of them have a number of their own.

A share is of pages, features or values; a count is of pages or of what stands on them. A decision keeps a number of its
own where, with the degree next to it, a page or a value of a real site was lost (`python -m tests.eval.ablate`).
"""

from __future__ import annotations

NEXT_TO_NONE = 0.02
"""Share that changes nothing."""
SLIPS = 0.05
"""Share that mistakes and single odd pages explain."""
HARDLY_ANY = 0.1
"""Share up to which something belongs to the exceptions."""
FEW = 0.25
"""Share from which something may be a part of the whole."""
HALF = 0.5
"""Share from which something is usual."""
OFTEN = 0.7
"""Share from which something is more than usual."""
MOST = 0.8
"""Share from which something is the rule."""
NEARLY_ALL = 0.9
"""Share from which only exceptions lack something."""
ALL_BUT_SLIPS = 0.95
"""Share from which only mistakes and single odd pages lack something."""

SEVERAL = 3
"""Count from which something is no accident, and of what is tried where the first ones decide."""
A_HANDFUL = 5
"""Count from which several things are a group."""
MANY = 10
"""Count from which shares say something."""
A_DOZEN = 12
"""Number of pages, or of what stands on them, that are looked at where each costs time."""
ENOUGH = 40
"""Number of pages, or of what stands on one, after which more change no decision."""
VERY_MANY = 200
"""Number that only bounds the cost: hardly anything has as many."""

SHORT_WORD = 3
"""Letters of a short word; fewer say nothing."""
NAME_LENGTH = 40
"""Characters up to which a text may be a name, or stand before or behind a value."""
LABEL_LENGTH = 60
"""Characters up to which a text may be a label; longer ones are prose."""

PART_COST = 1.0
"""Cost of one more part of an address that may break on another page."""

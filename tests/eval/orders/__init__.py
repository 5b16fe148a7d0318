"""How the choice of targets depends on which pages, and how many, are fetched to learn from.

`directed` is an order of fetching made for learning from few pages, `measure` runs it beside the present one over the
same sites in memory. `python -m tests.eval.orders`.
"""

"""Small sites drawn from a grammar, served in memory: every target and every value is known, no two are alike.

`grammar` draws what a site is like, `site` builds its pages, `trial` learns from two random targets and scores the
decision over all pages, `shrink` looks for the simplest site that still fails. `python -m tests.eval.generated`.
"""

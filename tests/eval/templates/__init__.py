"""Page templates drawn the way real sites build their pages, with known values: how well wrappers carry to new markup.

`python -m tests.eval.templates --first 0 --sites 40` learns each from two sample pages and scores unseen ones.
"""

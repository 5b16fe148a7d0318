"""How good learning and extraction are, measured on real sites with floors that never sink by themselves.

`corpora` finds the pages, `tasks` pairs them with what should come out, `scoring` compares, `harness` learns on two
pages and scores on the rest, `edits` damages pages in a seeded way, `floors` keeps what was once reached.
Run `python -m tests.eval --help`.
"""

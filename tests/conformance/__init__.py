"""What the crawler does in situations that others made up or met: one module a subject, each a table of cases.

A subject `tests/conformance/NAME.py` has TITLE, ABOUT, CASES, `serving()` and `outcome(case, env)`: see `table.py`.
`tests/conformance/test_NAME.py` runs it, `python -m tests.conformance NAME` shows case, expected and got as a table,
`--write` puts the table into `docs/conformance/NAME.md`.
"""

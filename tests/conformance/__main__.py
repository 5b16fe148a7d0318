"""`python -m tests.conformance [NAME …] [--write]`: run the cases, show the tables; exit code 1 where one differs."""

from __future__ import annotations

import argparse
import sys

from tests.conformance.table import PAGES, page, results, subjects


def main() -> int:
    known = subjects()
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(known)}; all without one")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/conformance/")
    options = parser.parse_args()
    if unknown := set(options.names) - set(known):
        parser.error(f"no such subject: {', '.join(sorted(unknown))}")
    differing = 0
    for name in options.names or known:
        got = {}
        for case, outcome in results(known[name]):
            got[case.name] = outcome
            differing += outcome != case.expected
            print("." if outcome == case.expected else f"\n{name}: {case.name}: {outcome!r}, not {case.expected!r}\n",
                  end="", file=sys.stderr, flush=True)  # fmt: skip
        text = page(name, known[name], got)
        if options.write:
            PAGES.mkdir(parents=True, exist_ok=True)
            (PAGES / f"{name}.md").write_text(text, encoding="utf-8")
        else:
            print(text)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())

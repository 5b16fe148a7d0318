"""What `make bench` runs: one module for each section, each a program of its own.

catalogue    the site that is crawled: every page and every record, computed from its number
server       serves it and counts what was asked for
measure      what one command costs: CPU time and peak memory
contenders   our crawl, and the check that it did its whole work
peers/       ours beside other crawlers
sections     what `make bench` consists of, and the sizes of QUICK
suite        runs it; what each section prints goes to results/
report       they become docs/benchmarks.md
flame        `make profile`
gwc/         the experiments of the GWC paper
"""

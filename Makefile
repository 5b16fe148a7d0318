# What each target needs it sets up itself: a virtual environment in .venv, made again when pyproject.toml or what is
# compiled changes.
#
#   make crawl                      start the bundled mall, learn it, crawl it, show the records
#   make crawl SITE=sites/x.toml    the same for a site file of your own
#   make test                       style, types, tests: what CI runs

SHELL := /bin/sh
PYTHON ?= $(shell for p in python3 python3.11 python3.12 python3.13 python3.14; do \
    $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && command -v $$p && break; done)
BIN := .venv/bin
STAMP := .venv/.installed
CHECKED := gwc_crawler settings_profiles sites benchmarks scripts tests
TYPED := gwc_crawler settings_profiles sites benchmarks scripts

# A virtual environment whose interpreter has gone (upgraded, moved) is made again.
BROKEN := $(shell test -x $(BIN)/python || echo remake)

.DEFAULT_GOAL := help
.PHONY: help setup crawl test test-fast test-slow redis postgres nginx proxies chromium knot peers bench pictures profile asan dist lint format clean remake

help:  ## show this list
	@echo "make TARGET, where TARGET is one of"
	@sed -n 's/^\([a-z-]*\):.*##[ ]*\(.*\)/  \1|\2/p' Makefile | awk -F'|' '{ printf "%-12s %s\n", $$1, $$2 }'

setup: $(STAMP)  ## make the virtual environment .venv (other targets do it by themselves)

crawl: $(STAMP)  ## crawl the bundled mall, or SITE=sites/x.toml; ARGS="-s X=Y" reaches scrapy; PORT=8765 is the mall's
	@$(BIN)/python scripts/crawl.py $(if $(SITE),--site "$(SITE)",--port $(or $(PORT),8765)) -- $(ARGS)

test: lint redis postgres nginx proxies chromium knot  ## style, types and all tests but the slow ones; a warning is a failure
	@$(BIN)/python scripts/run_tests.py -q -m "not slow" -n 4 --dist loadfile --no-loadscope-reorder $(ARGS)

# The tests start servers of their own, and a browser; root gets the packages, others get their names.
# $(call debian,PROGRAMS,PACKAGES,OTHERWISE): PROGRAMS have to be found; OTHERWISE is what happens where they can't be had.
export PATH := $(PATH):/usr/sbin
comma := ,
found = for program in $(1); do command -v $$program >/dev/null || exit 1; done
debian = @($(call found,$(1))) || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && \
    { echo "Installing $(2) for the tests ..."; apt-get update -qq; \
    RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -qqy --no-install-recommends $(2) >/dev/null; }; }; \
    ($(call found,$(1))) || { echo "$(3) Debian: as root, apt-get install $(2)"; $(4); }

redis:
	$(call debian,redis-server,redis-server,The tests need redis-server (7.0 or newer). Fedora: dnf install redis; macOS: brew install redis;,exit 1)

# Debian keeps the server's programs aside; a cluster of its own is not needed, the tests make theirs.
POSTGRES := $(or $(shell command -v postgres),/usr/lib/postgresql/*/bin/postgres)

postgres:
	$(call debian,$(POSTGRES),postgresql,The tests need PostgreSQL (13 or newer; they start it themselves). Fedora: dnf install postgresql-server; macOS: brew install postgresql;,exit 1)

nginx:
	$(call debian,nginx,nginx,The tests need nginx (they start it themselves). Fedora: dnf install nginx; macOS: brew install nginx;,exit 1)

proxies:
	$(call debian,tinyproxy microsocks,tinyproxy microsocks,The tests need tinyproxy and microsocks (they start them themselves).,exit 1)

peers:
	$(call debian,httrack wget2 valgrind,httrack wget2 valgrind,The benchmarks need httrack and wget2$(comma) other crawlers$(comma) and valgrind.,exit 1)

knot:
	$(call debian,knotd,knot,The tests need knot$(comma) a name server (they start it themselves). Fedora: dnf install knot; macOS: brew install knot;,exit 1)

chromium:
	$(call debian,chromium,chromium,Without chromium the tests of the browser are skipped. Fedora: dnf install chromium;,true)

test-fast: $(STAMP)  ## between edits: the tests that start no process and take no seconds, without quality floors and tables of cases
	$(BIN)/python -m pytest -q -p tests.fast -m "not slow" --ignore tests/eval --ignore tests/conformance \
	    --ignore tests/learn/test_corpora.py -n auto \
	    --maxprocesses 4 -rfE $(ARGS)

test-slow: $(STAMP) redis postgres nginx proxies chromium knot  ## the tests that take minutes
	GWC_TEST_RANDOM=1 $(BIN)/python -m pytest -q -m slow --timeout 3600 $(ARGS)

bench: $(STAMP) redis postgres nginx peers  ## all benchmarks, for hours, to docs/benchmarks.md; QUICK=1: whether they run, in 3 minutes; ARGS="--only peers latency"
	@$(BIN)/python -m benchmarks.suite $(if $(QUICK),--quick) $(ARGS)

asan: $(STAMP)  ## the walk in C under AddressSanitizer, over the fuzzers' pages; PAGES=DIR for others, ODD=10000
	GWC_WALK_CFLAGS="-O1 -fsanitize=address" $(BIN)/python setup.py -q build_ext --inplace --force
	PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD="$$(gcc -print-file-name=libasan.so)" \
	    $(BIN)/python -m tests.page.walks $(or $(PAGES),tests/fuzz/corpus) --odd $(or $(ODD),1000); \
	    code=$$?; $(BIN)/python setup.py -q build_ext --inplace --force; exit $$code

dist: $(STAMP)  ## sdist and wheel, in dist/
	rm -rf build dist
	$(BIN)/python -m build --no-isolation

pictures: $(STAMP) chromium  ## each view of the dashboard over a crawl of the mall, into docs/pictures
	$(BIN)/python -m scripts.pictures $(ARGS)

profile: $(STAMP)  ## a flame graph of the benchmark's crawl, by py-spy: benchmarks/results/crawl.svg; ARGS="--pages 20000"
	$(BIN)/python -m benchmarks.flame benchmarks/results/crawl.svg $(ARGS)

lint: $(STAMP)  ## ruff and mypy --strict
	$(BIN)/ruff check --quiet $(CHECKED)
	$(BIN)/ruff format --check $(CHECKED) || { echo "run 'make format'"; exit 1; }
	$(BIN)/mypy --no-error-summary $(TYPED)

format: $(STAMP)  ## put the code into its one form
	$(BIN)/ruff check --quiet --fix $(CHECKED)
	$(BIN)/ruff format $(CHECKED)

clean:  ## remove .venv and caches; data/ (what was crawled) stays
	rm -f gwc_crawler/page/*.so
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist *.egg-info
	find $(CHECKED) -name __pycache__ -type d -prune -exec rm -rf {} +

$(STAMP): pyproject.toml setup.py gwc_crawler/page/_walk.pyx gwc_crawler/page/_trees.pxi $(BROKEN)
	@test -n "$(PYTHON)" || { echo "No Python 3.11 or newer found. Install one (Debian: apt-get install python3 python3-venv)," \
	    "or name it: make PYTHON=/path/to/python3.11"; exit 1; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear .venv || { rm -rf .venv; \
	    echo "$(PYTHON) can't make virtual environments (Debian: apt-get install python3-venv)"; exit 1; }
	@echo "Setting up .venv (a minute the first time) ..."
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --root-user-action=ignore -e '.[dev]'
	@touch $@

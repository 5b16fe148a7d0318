"""Crawls of a whole site by other frameworks, each run by the interpreter of its own environment: `FILE URL`."""

"""For scrapyd-deploy, which makes the egg with it; everything is said in pyproject.toml."""

from setuptools import setup

setup()

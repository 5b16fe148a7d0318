"""For sites whose pages are made by scripts: targets go through a browser."""

from gwc_crawler.profiles.browser import *  # noqa: F403

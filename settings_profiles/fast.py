"""For a server of your own, or one that said yes: many requests at once."""

from gwc_crawler.profiles.fast import *  # noqa: F403

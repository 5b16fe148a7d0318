"""For small or foreign servers: one request at a time, seconds between them."""

from gwc_crawler.profiles.polite import *  # noqa: F403

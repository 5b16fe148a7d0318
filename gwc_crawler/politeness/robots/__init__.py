"""What the robots.txt of hosts allow, kept, in the crawl's file or in Redis, and asked for once."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.politeness.robots.rules import (
        FORBIDDEN,
        NOT_HAD,
        RULES_SECONDS,
        ForbiddenSieve,
        Kept,
        Parse,
        Robots,
        RobotsBook,
        RuleLine,
        Rules,
        origin_of,
    )
    from gwc_crawler.politeness.robots.shared import RedisRobots
    from gwc_crawler.politeness.robots.text import MAX_ROBOTS_BYTES, robots_text
else:
    __getattr__ = face(__name__)

__all__ = [
    "FORBIDDEN",
    "MAX_ROBOTS_BYTES",
    "NOT_HAD",
    "RULES_SECONDS",
    "ForbiddenSieve",
    "Kept",
    "Parse",
    "RedisRobots",
    "Robots",
    "RobotsBook",
    "RuleLine",
    "Rules",
    "origin_of",
    "robots_text",
]

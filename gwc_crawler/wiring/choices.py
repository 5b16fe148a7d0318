"""Settings → what the parts of a crawl are made with: words of a few, a queue policy, intervals."""

from __future__ import annotations

from typing import TypeVar

from scrapy.settings import BaseSettings

from gwc_crawler.errors import InputError
from gwc_crawler.frontier import QueuePolicy, queue_policy
from gwc_crawler.recrawl import Intervals

Choice = TypeVar("Choice", bound=str)


def setting_choice(settings: BaseSettings, name: str, choices: tuple[Choice, ...]) -> Choice:
    """Return a setting that is one of a few words.

    Raises:
        InputError: it is another word.
    """
    for choice in choices:
        if settings[name] == choice:
            return choice
    raise InputError(f"setting {name} is {settings[name]!r}; it can be {', '.join(choices)}")


def partition_policy(settings: BaseSettings) -> QueuePolicy | None:
    """Return how GWC_QUEUE_POLICY parts the frontier; None: by host, which is its own way.

    Raises:
        InputError: there is no such policy.
    """
    name = settings["GWC_QUEUE_POLICY"]
    if name == "host":
        return None
    return queue_policy(name, queues=settings.getint("GWC_QUEUES"), multiplier=settings.getint("GWC_QUEUE_SEED"))


def intervals_of(settings: BaseSettings) -> Intervals:
    """Return how long is waited between two looks at a page.

    Raises:
        InputError: the settings contradict each other.
    """
    return Intervals(
        settings.getfloat("GWC_RECRAWL_START_SECONDS"),
        settings.getfloat("GWC_RECRAWL_MIN_SECONDS"),
        settings.getfloat("GWC_RECRAWL_MAX_SECONDS"),
    )

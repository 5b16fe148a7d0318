"""Settings that are one of a few words."""

from __future__ import annotations

from typing import TypeVar

from scrapy.settings import BaseSettings

from gwc_crawler.errors import InputError
from gwc_crawler.frontier.queues import QueuePolicy, queue_policy

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

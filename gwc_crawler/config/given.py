"""What a user has given as a setting: where it was written, how it reads, and the component that it names."""

from __future__ import annotations

from typing import Any

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings
from scrapy.utils.misc import load_object

from gwc_crawler.errors import InputError


def loaded(component: Any, what: str) -> Any:
    """Load what a user has named by its import path, or as the class itself.

    Raises:
        InputError: it can't be loaded; the message begins with *what*.
    """
    try:
        return load_object(component)
    except Exception as error:  # whatever its module does when it is imported
        raise InputError(
            f"{what}, which can't be loaded ({error}); look at its spelling, and whether its package is installed"
        ) from error


def shown(value: Any) -> str:
    """Return a setting's value as it is written."""
    return repr(value.copy_to_dict() if isinstance(value, BaseSettings) else value)


def where(settings: BaseSettings, name: str) -> str:
    """Say where a setting was set, as far as its priority tells."""
    priority = settings.getpriority(name) or 0
    if priority >= SETTINGS_PRIORITIES["cmdline"]:
        return "on the command line"
    if priority >= SETTINGS_PRIORITIES["spider"]:
        return "in the site file"
    return "in an add-on" if priority == SETTINGS_PRIORITIES["addon"] else "in the project's settings"

"""Our settings: are their names known, and can what a user wrote be used as their values?

`check_settings` is asked before a command begins, and where all settings of a site's crawl are known
(`check`): before a pre-crawl that may take long.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from importlib.util import find_spec

from scrapy.settings import BaseSettings

from gwc_crawler import modes
from gwc_crawler import settings as ours
from gwc_crawler.errors import InputError
from gwc_crawler.wiring.setting_names import check_names, own_names
from gwc_crawler.wiring.values import number_problem

CHOICES: Mapping[str, type[StrEnum]] = {
    "GWC_ADOPT_SITES": modes.Adoption,
    "GWC_BROWSER": modes.BrowserFor,
    "GWC_FRONTIER": modes.FrontierKind,
    "GWC_HTML_FILES": modes.HtmlFiles,
    "GWC_KEEP_HTML": modes.KeepHtml,
    "GWC_LOG_FORMAT": modes.LogFormat,
    "GWC_MAIN_TEXT": modes.MainText,
    "GWC_ON_DRIFT": modes.OnDrift,
    "GWC_PROGRESS": modes.ShowProgress,
    "GWC_STRIP": modes.Strip,
}
"""Setting → the words it can be."""

CONTACT = re.compile(r"https?://\w|\S@\w[\w.-]*\.\w")
"""A page or an e-mail address."""

AT_LEAST_ONE = (
    *("GWC_COMMIT_PAGES", "GWC_DNS_AT_ONCE", "GWC_FORM_LINKS", "GWC_LEASE_BATCH", "GWC_MAX_LEASES", "GWC_PARTS"),
    *(
        "GWC_BROWSER_PAGES",
        "GWC_QUEUES",
        "GWC_SITEMAP_BYTES",
        "GWC_SITEMAP_FILES",
        "GWC_SITEMAP_LEVELS",
        "GWC_SITEMAP_URLS",
    ),
)
"""Numbers without which nothing would be done; all others can be 0."""


def check_settings(settings: BaseSettings) -> None:
    """Refuse names of settings that are none, and values of ours that can't be.

    Raises:
        InputError: the first such setting, and what it can be.
    """
    check_names(settings)
    for name in own_names():
        if settings[name] is not None:  # the settings of a foreign project
            _check_value(settings, name)
    if settings["GWC_WORKERS"] not in (None, ours.GWC_WORKERS):
        from gwc_crawler.reading import worker_count  # only where it is set

        worker_count(settings["GWC_WORKERS"], f"setting GWC_WORKERS is {settings['GWC_WORKERS']!r}")
    if settings["GWC_STRIP_GROUPS"] not in (None, ours.GWC_STRIP_GROUPS):
        _check_strip_groups(settings)
    if settings["GWC_HTTP2"] is not None and settings.getbool("GWC_HTTP2"):
        _check_http2()


def _check_strip_groups(settings: BaseSettings) -> None:
    from gwc_crawler.page import StripOptions  # an HTML parser comes with it

    try:
        StripOptions.of(settings.getlist("GWC_STRIP_GROUPS"))
    except InputError as error:
        raise InputError(f"setting GWC_STRIP_GROUPS: {error}") from None


def check_contact(settings: BaseSettings) -> None:
    """Refuse a crawl whose servers could not find out who asks them, where that is needed.

    Raises:
        InputError: USER_AGENT names nobody, or only this program.
    """
    agent = settings["USER_AGENT"] or ""
    if settings.getbool("GWC_CONTACT_NEEDED") and (agent == ours.USER_AGENT or not CONTACT.search(agent)):
        raise InputError(
            f"setting USER_AGENT is {agent!r}, which names nobody to turn to; GWC_CONTACT_NEEDED, as in the profile "
            'polite, asks for a page or an address of yours: USER_AGENT = "books (+https://example.org/bot)"'
        )


def _check_http2() -> None:
    if missing := [name for name in ("httpx2", "h2", "socksio") if find_spec(name) is None]:
        raise InputError(f"setting GWC_HTTP2 needs {', '.join(missing)}: pip install 'gwc-crawler[http2]'")


FILES_STORES: Mapping[str, tuple[str, ...]] = {
    "": (),
    "file": (),
    "s3": ("botocore",),
    "gs": ("google.cloud.storage",),
    "ftp": (),
}
"""Schemes that GWC_FILES_STORE can have → the modules that Scrapy needs for them."""

_PACKAGES = {"google.cloud.storage": "google-cloud-storage"}


def check_files_store(settings: BaseSettings) -> None:
    """Refuse a files store that nothing could be put into.

    Raises:
        InputError: its scheme is unknown, it holds a password, or a package for it is missing.
    """
    value = str(settings["GWC_FILES_STORE"] or "")
    scheme, mark, rest = value.partition("://")
    if not mark:
        return
    if scheme not in FILES_STORES:
        known = ", ".join(f"{name}://" for name in FILES_STORES if name)
        raise InputError(f"setting GWC_FILES_STORE begins with {scheme}://; it can be a folder, or begin with {known}")
    if ":" in rest.partition("/")[0].rpartition("@")[0]:
        raise InputError(
            "setting GWC_FILES_STORE holds a password; put it into FTP_PASSWORD, and the name into FTP_USER"
        )
    for name in FILES_STORES[scheme]:
        if not _is_installed(name):
            package = _PACKAGES.get(name, name)
            raise InputError(
                f"setting GWC_FILES_STORE begins with {scheme}://, which needs {package}: pip install {package}"
            )


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _check_value(settings: BaseSettings, name: str) -> None:
    default = getattr(ours, name)
    if name in CHOICES and settings[name] not in list(CHOICES[name]):
        kind = ", ".join(CHOICES[name])
    elif isinstance(default, bool) and not _is_flag(settings, name):
        kind = "True or False"
    elif not isinstance(default, bool) and isinstance(default, int | float):
        least = 1 if name in AT_LEAST_ONE else 0
        kind = number_problem(settings, name, whole=isinstance(default, int), least=least)
    else:
        kind = ""
    if kind:
        raise InputError(f"setting {name} is {settings[name]!r}; it can be {kind}")


def _is_flag(settings: BaseSettings, name: str) -> bool:
    try:
        settings.getbool(name)
    except (TypeError, ValueError):
        return False
    return True

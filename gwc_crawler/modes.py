"""Choices by a word, in a setting or a site file: each choice an Enum, whose values are the words."""

from __future__ import annotations

from enum import StrEnum


class LearnMode(StrEnum):
    """Which learner (`[learn] mode`); knowledge files and wrappers say by which they were made."""

    BEST = "best"
    """The one that finds most."""
    PAPER = "paper"
    """The published algorithms as they are."""


class LearnStop(StrEnum):
    """When a pre-crawl ends (`[learn] stop`)."""

    STABLE = "stable"
    """As soon as more pages would hardly change the result of learning."""
    NEVER = "never"
    """Not before `[learn] pages` are fetched."""


class FrontierKind(StrEnum):
    """The place where the URLs of a crawl wait (GWC_FRONTIER)."""

    SQLITE = "sqlite"
    """In the crawl's own file, for one process."""
    REDIS = "redis"
    """In Redis, shared by many workers."""


class Adoption(StrEnum):
    """The treatment of a found site (GWC_ADOPT_SITES)."""

    NEVER = "never"
    """It is listed."""
    NAMED = "named"
    """It is crawled if a site file names its host."""
    TEMPLATE = "template"
    """As NAMED; or if a site file's [template] serves its host."""


class KeepHtml(StrEnum):
    """The pages whose HTML is kept in the database, and its form (GWC_KEEP_HTML)."""

    RAW = "raw"
    """All pages, as they came."""
    ALL = "all"
    """As RAW."""
    TARGETS = "targets"
    """Targets, their continuations, and look-alikes, as they came."""
    STRIPPED = "stripped"
    """All pages without tags' noise, none as it came."""
    NONE = "none"
    """In neither form."""


class HtmlFiles(StrEnum):
    """The pages whose HTML is saved as a file (GWC_HTML_FILES)."""

    ALL = "all"
    TARGETS = "targets"
    NONE = "none"


class BrowserFor(StrEnum):
    """Which pages go through a browser (GWC_BROWSER; `browser` in a site file)."""

    NONE = "none"
    TARGETS = "targets"
    """Targets, and in a pre-crawl what has an address like the samples'."""
    ALL = "all"


class Strip(StrEnum):
    """The pages whose HTML is stored without tags' noise (GWC_STRIP)."""

    ALL = "all"
    TARGETS = "targets"
    NONE = "none"


class MainText(StrEnum):
    """The pages whose text is reduced to the main one (GWC_MAIN_TEXT)."""

    INFORMATION = "information"
    """Pages to read that are no targets."""
    TARGETS = "targets"
    """These, too."""
    NONE = "none"


class PageKinds(StrEnum):
    """How index pages are told from information pages (GWC_PAGE_KINDS)."""

    PUBLISHED = "published"
    """By T-Spider's algorithm 1: one criterion after the other decides."""
    WEIGHED = "weighed"
    """By the same criteria, added up."""


class InformationLinks(StrEnum):
    """The treatment of links on information pages and targets (GWC_INFORMATION_LINKS)."""

    AUTO = "auto"
    """Cut where a site is crawled as a whole, else followed."""
    CUT = "cut"
    FOLLOW = "follow"


class OnDrift(StrEnum):
    """The reaction of a crawl to a field that vanishes from the pages (GWC_ON_DRIFT)."""

    WARN = "warn"
    PAUSE = "pause"
    """Until the knowledge file changes."""
    STOP = "stop"


class QueueAction(StrEnum):
    """The actions on URLs of a queue (`scrapy queue`)."""

    LIST = "list"
    ADD = "add"
    DROP = "drop"
    RETRY = "retry"


class Missed(StrEnum):
    """Treatment of a scheduled moment that passed without a running scheduler."""

    RUN = "run"
    """One crawl, late."""
    SKIP = "skip"
    """Nothing; the next moment is waited for."""


class LogFormat(StrEnum):
    """How lines of the log look (GWC_LOG_FORMAT)."""

    TEXT = "text"
    JSON = "json"


class ShowProgress(StrEnum):
    """Whether there is a progress line (GWC_PROGRESS)."""

    ON = "on"
    OFF = "off"
    AUTO = "auto"
    """On, unless the log goes to the same place."""

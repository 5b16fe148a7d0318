"""All errors of this package, as a tree: a class is named after what the caller does next.

    GwcError                    exit 1   a promise inside was broken
    ├── InputError              exit 2   mend the input: a site file, a command line, a knowledge file
    │   ├── GoneError                    ask for something else: it is not there, or not any more
    │   ├── SiteFileError                with file and line
    │   ├── KeywordError                 with the position in the expression
    │   └── KnowledgeError               with file and key
    ├── SiteError               exit 3   try later or check the address: the site gives nothing to crawl
    │   └── SilentHostError              try later: a host answers no more, what waits of it waits on
    ├── LearnError              exit 4   give better samples or keywords: nothing could be learned
    ├── StoreError              exit 5   mend the disk or the database, then run again: nothing is lost
    │   ├── RightsError                  grant the user of a server what is named, then run again
    │   └── OutageError                  wait and try again: a server can't be reached for now
    ├── DriftError              exit 6   the site's pages have changed: learn again, then run again
    ├── RenderError                      ask again later: a page could not be rendered by the browser
    └── WireError                        ask again later: a server's answer can't be had or read
        ├── NotAnsweredError             ask again at once if the connection was an old one
        ├── ProxyError                   ask again later, or another proxy: it does not lead to the server
        ├── NoAddressError               skip it, or mend the address: the name has no address
        ├── NameServerError              ask again later: no name server can say
        ├── AddressRefusedError          skip it: it leads where this crawl may not go
        └── TooLargeError                skip it: the answer is larger than allowed

A message has three parts: what failed, with which value, what helps. Commands print it as one line and end
with `exit_code`; a user's mistake never shows a traceback.
"""

from __future__ import annotations

import errno
import re
import signal
import sys
from collections.abc import Collection
from pathlib import Path
from types import TracebackType

EXIT_PART = 7  # exit code if only a part was read: the rest of a shared crawl is on other machines

EXIT_INTERRUPTED = 128 + signal.SIGINT
"""Exit code of a crawl that Ctrl-C (or SIGTERM) stopped; the same command continues it."""


class GwcError(Exception):
    """Base of all our errors."""

    exit_code = 1


class InputError(GwcError):
    """A person's input can't be used as it stands."""

    exit_code = 2


class GoneError(InputError):
    """The requested thing is not there, or not any more."""


class SiteFileError(InputError):
    """A site file with one or more mistakes; `str()` gives one readable line for each."""

    def __init__(self, path: Path | str, problems: list[tuple[int | None, str]]) -> None:
        self.path = str(path)
        self.problems = problems
        super().__init__("\n".join(self._line(line, text) for line, text in problems))

    def _line(self, line: int | None, text: str) -> str:
        return f"{self.path}:{line}: {text}" if line else f"{self.path}: {text}"


class KeywordError(InputError):
    """A keyword expression that can't be read; `position` counts characters from 0."""

    def __init__(self, message: str, position: int) -> None:
        self.position = position
        super().__init__(message)


class KnowledgeError(InputError):
    """A knowledge file that can't be read: `path` and, where known, the key."""


class SiteError(GwcError):
    """The site gives nothing to crawl: down, refusing, or leading elsewhere."""

    exit_code = 3


class SilentHostError(SiteError):
    """A host that had answered does not any more: the same command goes on when it is back."""


class LearnError(GwcError):
    """The pre-crawled pages don't show what the site file describes."""

    exit_code = 4


class StoreError(GwcError):
    """The data directory or database can't be written; the committed part stays."""

    exit_code = 5


def unwritten(path: Path | str, error: OSError, helps: str) -> StoreError:
    """Return the error that *path* can't be written."""
    return StoreError(f"{path}: can't be written ({error.strerror or error}); {room_or(helps, error)}")


def room_or(helps: str, error: OSError) -> str:
    """Return the remedy for an error: room on a full disk, else *helps*."""
    return "make room on its disk" if error.errno in (errno.ENOSPC, errno.EDQUOT) else helps


class RightsError(StoreError):
    """A shared server answers, and refuses its user something that is needed."""


class OutageError(StoreError):
    """A shared server can't be reached for now; a crawl pauses and goes on when it is back."""


class DriftError(GwcError):
    """A field that used to be on the pages is not there any more, and GWC_ON_DRIFT says to stop."""

    exit_code = 6


class RenderError(GwcError):
    """A page could not be rendered by the browser, or not in time."""


class WireError(GwcError):
    """A server's answer can't be had, or can't be read; the download handler says it in Scrapy's words."""


class NotAnsweredError(WireError):
    """The connection ended before a word was said."""


class ProxyError(WireError):
    """A proxy refuses to lead to the server, or can't; `is_own_fault`: it does not serve us, whichever server it is."""

    is_own_fault = True


class NoAddressError(WireError):
    """A host without an address: there is no such name, or the text is none."""


class NameServerError(WireError):
    """No name server gives an answer that can be used; another time one may."""


class AddressRefusedError(WireError):
    """A host has an address that the crawl may not connect to: `host`, `address`, and the `kind` of that."""

    def __init__(self, host: str, address: str, kind: str) -> None:
        self.host = host
        self.address = address
        self.kind = kind
        place = f"{host} is a private address" if host == address else f"{host} is at the private address {address}"
        super().__init__(
            f"{place} ({kind}), where nothing is fetched; if it is meant, name the host in `hosts` of the site file, "
            f"or the network in GWC_ALLOW_PRIVATE"
        )


class TooLargeError(WireError):
    """The body has more bytes than allowed: `size`, announced (`expected`) or received so far."""

    def __init__(self, size: int, *, expected: bool) -> None:
        self.size = size
        self.expected = expected
        super().__init__(f"{size} bytes {'announced' if expected else 'received'}")


# --- The program a person has called, `scrapy` in a project or `gwc` anywhere -----------------------------------------
GWC = "gwc"


def advice(text: str) -> str:
    """Return *text* with its commands as they are typed here: with `gwc` in place of `scrapy`.

    >>> advice("run `scrapy learn books` first")
    'run `scrapy learn books` first'
    """
    return re.sub(r"\bscrapy (?=[a-z])", f"{GWC} ", text) if Path(sys.argv[0]).stem == GWC else text


def answer_interrupts() -> None:
    """Answer a Ctrl-C before a command has begun, or after its end, as a command does."""
    if sys.excepthook is sys.__excepthook__:  # a foreign hook stays
        sys.excepthook = _tell


def _tell(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        print("interrupted", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, trace)


# --- Slips: what a wrong word was likely meant to be ------------------------------------------------------------------
def did_you_mean(word: str, known: Collection[str], cutoff: float = 0.6) -> str:
    """Return "did you mean 'x'?" for the most similar of *known*, or ""; *cutoff*: how similar at least, up to 1.

    >>> did_you_mean("feilds", ["url", "fields"])
    "did you mean 'fields'?"
    """
    from difflib import get_close_matches  # only where something is wrong: each command loads this

    found = get_close_matches(word, known, 1, cutoff) or get_close_matches(word.casefold(), known, 1, cutoff)
    return f"did you mean {found[0]!r}?" if found else ""


def nearest(word: str, known: Collection[str], heading: str = "known") -> str:
    """As `did_you_mean`, or else all that are known, after a heading.

    >>> nearest("x", ["name", "price"], "its fields")
    'its fields: name, price'
    """
    return did_you_mean(word, known) or f"{heading}: {', '.join(known) or 'none'}"


LONG_WORD = 12


def near_miss(word: str, known: Collection[str]) -> str:
    """Return "did you mean 'x'?" for one of *known* that *word* must be a slip of, or "".

    A letter more, less or other, or two that have changed places; two such slips in a word of twelve letters or more.
    `did_you_mean` is kinder: it is for words that are wrong in any case.

    >>> near_miss("DOWNLAOD_DELAY", ["DOWNLOAD_DELAY"]), near_miss("DOWNLOAD_DELAYS_OF", ["DOWNLOAD_DELAY"])
    ("did you mean 'DOWNLOAD_DELAY'?", '')
    """
    from rapidfuzz.distance import OSA  # as above

    slips, meant = min(((OSA.distance(word, one), one) for one in known), default=(len(word) + LONG_WORD, ""))
    return f"did you mean {meant!r}?" if slips <= 1 + (min(len(word), len(meant)) >= LONG_WORD) else ""


# --- Texts of others on a terminal: as they are, inside Rich's markup, too --------------------------------------------


# `rich.markup.escape` keeps texts of people; regexes it does not: of `\[0-9]` the backslash is lost, and a backslash at
# the end of a text may escape the markup behind it. A page's text may hold orders, which a terminal would obey.
_BRACKETS = re.compile(r"(\\*)(\[|\Z)")
_ORDERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_NOTHING = "[none][/none]"
"""Markup that shows nothing: Rich takes backslashes in front of a tag, and only these, for pairs."""


def escape(text: str) -> str:
    r"""Return markup that shows *text*, whatever stands before and behind it, and is `visible`.

    >>> print(escape(r"p/\[[a-z]+]"))
    p/\\[none][/none]\[\[a-z]+]
    """
    return _BRACKETS.sub(_escaped, visible(text))


def visible(text: str) -> str:
    r"""Replace signs that a terminal obeys by U+FFFD: control characters but tab and line feed, and those that turn the
    direction of writing (Unicode Technical Report 36, section 2.8, names the attacks).

    >>> visible("a\x1b]0;title\x07\tb")
    'a\ufffd]0;title\ufffd\tb'
    """
    return _ORDERS.sub("\ufffd", text)


def _escaped(found: re.Match[str]) -> str:
    backslashes, bracket = found.groups()
    return backslashes * 2 + _NOTHING * bool(backslashes) + bracket.replace("[", "\\[")

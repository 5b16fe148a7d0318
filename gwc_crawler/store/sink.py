"""Record sinks: who gets each page and its record besides the crawl's own database, and what is promised to them.

A batch is written to all sinks before the frontier calls its pages complete, so no sink misses a page that will not be
fetched again. After a crash between the two, the pages are fetched and written again: *at least once*. A sink that
keeps rows by `url` has each once; one that appends has the last batch twice at worst.
"""

from __future__ import annotations

import json
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from gwc_crawler.errors import InputError, StoreError
from gwc_crawler.items import Page, PageKind, Record, Typed, Visit
from gwc_crawler.modes import HtmlFiles, KeepHtml
from gwc_crawler.urls import host_of, site_of

if TYPE_CHECKING:
    from gwc_crawler.knowledge.model import RecordShape  # a writer of a server's starts without it

logger = logging.getLogger(__name__)


# --- What a visit leaves in the tables: its record, if it has one, and each value as a column holds it ----------------


_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Revision:
    """What a stored page gives when it is read again: its kind and record; `page.url` is the one it is stored under."""

    page: Page
    record: Record | None
    fetched_at: float


def stored_record(visit: Visit | Revision) -> Record | None:
    """The visit's record, unless the page was rejected or goes on with another's."""
    record = visit.record
    return record if record is not None and record.rejected is None and record.parent is None else None


def column_value(value: Typed) -> str | int | float | None:
    """A field as it is stored: texts and numbers as they are, lists as JSON, None as NULL."""
    if isinstance(value, str):
        return clean_text(value)
    if value is None or isinstance(value, int | float):
        return value
    return clean_text(json.dumps(value, ensure_ascii=False))


def as_extracted(value: Any) -> Any:
    """Return a column's value as it was before it was stored: lists stand there as JSON.

    >>> as_extracted('["a", "b"]'), as_extracted("[sic]"), as_extracted(7)
    (['a', 'b'], '[sic]', 7)
    """
    if not isinstance(value, str) or not value.startswith("["):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def clean_text(text: str) -> str:
    """SQLite keeps any text but lone surrogates; each becomes U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text


def table_name(prefix: str, name: str) -> str:
    """Return the name of a table of a site's or a spider's.

    >>> table_name("records", "my-shop.example")
    'records_my_shop_example'
    """
    return f"{prefix}_" + re.sub(r"\W+", "_", name).strip("_").lower()


def column_names(
    fields: Sequence[str],
    taken: Sequence[str] = ("url", "fetched_at"),
    folded: Callable[[str], str] = str.casefold,
    cut: Callable[[str, int], str] = lambda name, room: name,
) -> list[str]:
    """Return a column for each field; one that the store would take for another, or for ours, gets a tail.

    *folded* tells names apart; *cut* returns the beginning of one that leaves so many characters of the longest.

    >>> column_names(["title", "URL", "Title"])
    ['title', 'URL_2', 'Title_2']
    """
    known = {folded(name) for name in taken}
    columns = []
    for field in fields:
        name, number = cut(field, 0), 1
        while folded(name) in known:
            number += 1
            name = f"{cut(field, len(str(number)) + 1)}_{number}"
        known.add(folded(name))
        columns.append(name)
    return columns


PRUNED_KINDS = frozenset({PageKind.INFORMATION, PageKind.TARGET, PageKind.CONTINUATION, PageKind.ALIAS})
"""Links that leave content pages are no part of the site's own classification (T-Spider, algorithm 1)."""

KEPT_KINDS = frozenset({PageKind.TARGET, PageKind.CONTINUATION, PageKind.LOOKALIKE, PageKind.ALIAS})
"""Whose HTML "targets" keeps: what looks like a target may prove to be one when the page check is mended."""

PAGE_COLUMNS = (
    *("url", "requested", "title", "kind", "page_kind", "relevant", "weight", "depth", "status"),
    *("content_type", "charset", "fetched_at", "abstract", "body", "stripped_html", "html"),
)
"""Of the table `pages`; the long ones stand last."""


def is_kept(which: KeepHtml | HtmlFiles, kind: PageKind) -> bool:
    """Say whether a page of a kind is one of those whose HTML is kept as it came."""
    if which in (KeepHtml.TARGETS, HtmlFiles.TARGETS):
        return kind in KEPT_KINDS
    return which in (KeepHtml.RAW, KeepHtml.ALL, HtmlFiles.ALL)


def page_values(visit: Visit, keep_html: KeepHtml) -> dict[str, Any]:
    """Return what a page leaves in the table `pages`, in the order of `PAGE_COLUMNS`."""
    page, lease = visit.page, visit.lease
    keeps = is_kept(keep_html, page.kind) and not (page.kind is PageKind.BINARY and visit.file is not None)
    values = (
        *(page.url, lease.url if lease.url != page.url else None, page.title, page.kind.value),
        *(page.page_kind and page.page_kind.value, int(page.relevant), visit.weight, lease.depth, page.status),
        *(page.content_type, page.charset, visit.fetched_at, visit.abstract, page.text, visit.stripped_html),
        page.body if keeps else None,
    )
    return dict(zip(PAGE_COLUMNS, values, strict=True))


def exceptions_of(visit: Visit | Revision) -> list[list[str]]:
    """Return field ("" for the page as a whole), reason and what comes closest, of all that a page lacks."""
    record, flaws = visit.record, visit.page.flaws
    if record is not None and record.rejected is not None:  # of another category: its fields are not missing
        flaws, record = (record.rejected, *flaws), None
    rows = [["", "; ".join(flaws), ""]] if flaws else []
    if record is not None:
        rows += [[one.field, one.reason, one.closest] for one in record.problems]
    return rows


def sites_of_links(urls: Sequence[str]) -> list[list[Any]]:
    """Return of each other site: its name, how many links lead there, the first one's host and URL."""
    hosts = [host_of(url) for url in urls]
    sites = [site_of(host) for host in hosts]
    first = {
        site: (host, url) for site, host, url in zip(reversed(sites), reversed(hosts), reversed(urls), strict=True)
    }
    return [[site, count, *first[site]] for site, count in Counter(sites).items()]


class RecordSink(Protocol):
    """Where pages and records end up.

    A sink may have more methods: `ending()`, called in the crawl's thread when the crawl ends and waits for the last
    answer, perhaps more than once; `revise(revisions)`, by which `scrapy extract` replaces records, exceptions and
    kinds of pages that are here, and which answers and fails as `write`; `tell(standing)`, called after the last batch.
    """

    def write(self, visits: Sequence[Visit]) -> Future[None] | None:
        """Store a batch. When this returns, it has to be safe: flushed, committed, acknowledged.

        Or it returns a `concurrent.futures.Future` at once, and has it done, in any thread, when the batch is safe: the
        crawl goes on meanwhile, and its frontier waits. One batch at a time is under way.

        The same page may come again: after a crash or a failed commit, and when it is looked at again. A visit without
        a record says that its page has none (any more).

        Raises:
            Exception: any one ends the crawl with exit code 5; the batch is fetched again by the next.
        """

    def close(self) -> None:
        """End; called once, however the crawl ends, unless its process is killed."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How a run leaves its site.

    Attributes:
        entry: where the crawl begins; state: the site's, one of U, R, C, E; at: epoch seconds.
        urls: returns, of URLs that are not complete and of the entry: URL, state, reason, attempts, weight, depth.
    """

    entry: str
    state: str
    at: float
    urls: Callable[[], Sequence[tuple[str, str, str | None, int, int, int]]]


@dataclass(frozen=True, slots=True)
class SinkConfig:
    """What a sink is made with: the site's name, the folder where all is kept of it (it exists), the fields of its
    records in order, and all settings of the crawl.
    """

    site: str
    directory: Path
    shape: RecordShape
    settings: Mapping[str, Any]


SinkFactory: TypeAlias = Callable[[SinkConfig], RecordSink]
"""Opens a sink: usually its class."""


class RecordSinks:
    """Several sinks as one; each error names the sink that raised it.

    Args:
        chosen: name and factory of each, in the order in which they are written.
    Raises:
        StoreError: one of them could not be opened; those before it are closed again.
    """

    def __init__(self, chosen: Sequence[tuple[str, SinkFactory]], config: SinkConfig) -> None:
        self._sinks: list[tuple[str, RecordSink]] = []
        try:
            for name, factory in chosen:
                with _named(name, "be opened"):
                    self._sinks.append((name, factory(config)))
        except BaseException:
            self.close()
            raise

    def write(self, visits: Sequence[Visit]) -> Future[None] | None:
        """Have every sink store the batch; the Future is done when all have it."""
        return self._of_each("write", visits, f"store {len(visits)} pages, which will be fetched again")

    @property
    def unrevised(self) -> list[str]:
        """Names of the sinks in which stored pages stay as they are when they are read again."""
        return [name for name, sink in self._sinks if not hasattr(sink, "revise")]

    def revise(self, revisions: Sequence[Revision]) -> Future[None] | None:
        """Have every sink that can replace what was read again; see `write`."""
        return self._of_each("revise", revisions, f"change {len(revisions)} pages; `scrapy extract` does it again")

    def tell(self, standing: Standing) -> None:
        """Tell those that want to hear it how the run leaves its site."""
        self._of_each("tell", standing, "note how the crawl ended")

    def ending(self) -> None:
        """Tell those that want to hear it that the last batch is waited for."""
        for _, sink in self._sinks:
            getattr(sink, "ending", lambda: None)()

    def _of_each(self, method: str, given: Any, what: str) -> Future[None] | None:
        """Give something to each sink that takes it; returns a Future, done when all have it, if some answer later."""
        answers: list[tuple[str, Future[None]]] = []
        for name, sink in self._sinks:
            with _named(name, what):
                if (answer := getattr(sink, method, lambda _: None)(given)) is not None:
                    answers.append((name, answer))
        return _all_of(answers, what) if answers else None

    def close(self) -> None:
        """Close every sink; raises the first StoreError when all were asked."""
        sinks, self._sinks = self._sinks, []
        failed: StoreError | None = None
        for name, sink in sinks:
            try:
                with _named(name, "be closed"):
                    sink.close()
            except StoreError as error:
                failed = failed or error
        if failed is not None:
            raise failed


def _all_of(answers: Sequence[tuple[str, Future[None]]], what: str) -> Future[None]:
    """Return a Future that is done when all of these are, and fails by the error of the first sink that failed."""
    together: Future[None] = Future()
    failed: list[Exception] = []

    def look(left: Sequence[tuple[str, Future[None]]]) -> None:
        if left:
            left[0][1].add_done_callback(lambda _: judge(*left[0], left[1:]))
        elif failed:
            together.set_exception(failed[0])
        else:
            together.set_result(None)

    def judge(name: str, answer: Future[None], left: Sequence[tuple[str, Future[None]]]) -> None:
        try:
            with _named(name, what):
                answer.result()
        except (InputError, StoreError) as error:
            failed.append(error)
        look(left)

    look(answers)
    return together


@contextmanager
def _named(name: str, what: str) -> Iterator[None]:
    """Turn what a sink raises into a StoreError that names it; its traceback goes to the log at DEBUG."""
    try:
        yield
    except InputError:
        raise
    except (Exception, SystemExit) as error:  # a client library that ends the process would leave the leases behind
        logger.debug("sink %s failed", name, exc_info=error)
        raise StoreError(
            f"sink {name} could not {what} ({type(error).__name__}: {error}); mend it, and run again: nothing is lost"
        ) from error


def record_rows(visits: Sequence[Visit]) -> list[dict[str, Typed]]:
    """Return the records of a batch as flat rows: `url`, `fetched_at` (epoch seconds), then the fields.

    Of a list that goes over several pages (`[paging]`) a row has what its own page shows.
    """
    return [
        {"url": visit.page.url, "fetched_at": visit.fetched_at, **record.fields}
        for visit in visits
        if (record := stored_record(visit)) is not None
    ]

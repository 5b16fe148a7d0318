"""Drafts of site files, each in a folder of its own, few and short-lived; the meaning of a click on a draft's page."""

from __future__ import annotations

import json
import re
import secrets
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gwc_crawler.dashboard.web.rendering import elements_of
from gwc_crawler.errors import GoneError, InputError, LearnError, unwritten
from gwc_crawler.items import FieldValue, is_empty
from gwc_crawler.knowledge.model import write_json
from gwc_crawler.learn.propose.fields import learnable
from gwc_crawler.learn.propose.guess import Clue, FieldProposal
from gwc_crawler.learn.propose.labels import name_of_class
from gwc_crawler.learn.propose.page_reading import ReadPage, names_of
from gwc_crawler.learn.propose.rows import like_this, name_of_rows, value_of
from gwc_crawler.learn.propose.site import Proposal
from gwc_crawler.learn.wrapper.learning import learn_wrapper
from gwc_crawler.learn.wrapper.samples import Sample

FOLDER = ".drafts"
MOST_DRAFTS = 20
OLDEST_SECONDS = 7 * 86_400.0
MOST_PAGES = 8
MOST_FIELDS = 60

_ID = re.compile(r"[A-Za-z0-9_-]{8,32}")


@dataclass(slots=True)
class SiteDraft:
    """A site file in the making.

    Attributes:
        keywords: those that a person wants; "" for none.
        pages: the two samples, then further pages of their kind.
        classes: URL shapes, each with the number of links of the pages that have it.
        proposed_keywords: words that tell these pages from the front page.
    """

    id: str
    name: str
    entry: str
    keywords: str
    pages: list[ReadPage]
    fields: list[FieldProposal]
    classes: list[tuple[str, int]] = field(default_factory=list)
    proposed_keywords: str = ""

    def proposal(self) -> Proposal:
        """Return the draft in the form from which a site file is written."""
        left_out = [one for one in self.fields if one.problem]
        fields = [one for one in self.fields if not one.problem and any(one.values)]
        keywords = self.keywords or self.proposed_keywords
        return Proposal(self.entry, self.pages, fields, left_out, keywords, are_keywords_wanted=bool(self.keywords))


class Drafts:
    """All drafts of a data directory."""

    def __init__(self, data: Path) -> None:
        self._folder = data / FOLDER

    def ids(self) -> list[tuple[str, str, float]]:
        """Id, name and time of each draft, the newest first."""
        found = []
        for path in self._all():
            with suppress(InputError, OSError, KeyError):
                found.append((path.name, str(self._told(path.name)["name"]), path.stat().st_mtime))
        return sorted(found, key=lambda one: -one[2])

    def keep(self, draft: SiteDraft, pages: Sequence[tuple[ReadPage, str]] = ()) -> None:
        """Write a draft whole, with its *pages* and their content types if they are new. Raises StoreError."""
        folder = self._folder / draft.id
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for number, (page, _) in enumerate(pages):
                (folder / f"{number}.page").write_bytes(page.body)
            told = {
                "name": draft.name,
                "entry": draft.entry,
                "keywords": draft.keywords,
                "pages": [page.url for page in draft.pages],
                "types": [f"text/html; charset={page.charset}" for page in draft.pages],
                "fields": [[one.name, one.values, one.why, one.problem] for one in draft.fields],
                "classes": draft.classes,
                "proposed_keywords": draft.proposed_keywords,
            }
        except OSError as error:
            raise unwritten(folder, error, "mend the data directory (GWC_DATA_DIR)") from error
        write_json(folder / "draft.json", told, "mend the data directory (GWC_DATA_DIR)")
        self.tidy()

    def read(self, draft: str) -> SiteDraft:
        """Return a draft. Raises GoneError: there is no draft of that name; InputError: it is damaged."""
        told = self._told(draft)
        folder = self._folder / draft
        try:
            pages = [
                ReadPage(url, (folder / f"{number}.page").read_bytes(), kind)
                for number, (url, kind) in enumerate(zip(told["pages"], told["types"], strict=True))
            ]
            fields = [
                FieldProposal(name, values, why, problem=problem) for name, values, why, problem in told["fields"]
            ]
            classes = [(str(shape), int(count)) for shape, count in told["classes"]]
            words = told["keywords"], str(told.get("proposed_keywords", ""))
            return SiteDraft(draft, told["name"], told["entry"], words[0], pages, fields, classes, words[1])
        except (OSError, KeyError, TypeError, ValueError) as error:
            raise InputError("this draft is damaged; begin a new one") from error

    def drop(self, draft: str) -> None:
        """Delete a draft, if it exists."""
        if _ID.fullmatch(draft):
            shutil.rmtree(self._folder / draft, ignore_errors=True)

    def tidy(self) -> None:
        """Delete drafts that are too old, and the oldest if there are too many."""
        for number, path in enumerate(sorted(self._all(), key=_age)):
            if number >= MOST_DRAFTS or _age(path) > OLDEST_SECONDS:
                shutil.rmtree(path, ignore_errors=True)

    def _all(self) -> Iterator[Path]:
        if self._folder.is_dir():
            yield from (path for path in self._folder.iterdir() if _ID.fullmatch(path.name))

    def _told(self, draft: str) -> dict[str, Any]:
        if not _ID.fullmatch(draft):
            raise GoneError("there is no such draft; begin a new one")
        try:
            told: dict[str, Any] = json.loads((self._folder / draft / "draft.json").read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise GoneError("there is no such draft any more; begin a new one") from error
        return told


def new_id() -> str:
    """Return the id of a new draft, which nobody can guess."""
    return secrets.token_urlsafe(9)


def _age(path: Path) -> float:
    try:
        return time.time() - path.stat().st_mtime
    except OSError:
        return OLDEST_SECONDS


# --- A click on a page of a draft → a field: the value that stands there, or all the others like it, on both samples --


NAME = re.compile(r"[^\W_](?:[\w -]{0,58}\w)?")
NAME_RULE = "letters, digits, _, - and spaces inside"


def pick(draft: SiteDraft, at: int, element: int, name: str, *, like: bool) -> FieldProposal:
    """Put the clicked value into the draft, under *name* (else a proposed one), and return its field.

    Args:
        at: 0 or 1, which sample was clicked.
        element: its number (`elements_of`).
        like: all the others like it, too: a list, or records.
    Raises:
        InputError: nothing stands there, or the name can't be one.
    """
    page = draft.pages[at]
    elements = elements_of(page.tree)
    if not 0 <= element < len(elements):
        raise InputError("there is no such place on the page; load it again")
    value, found = rows_at(elements[element], page) if like else (text_at(elements[element], page), "")
    if is_empty(value) or value is None:
        raise InputError("there is no text at this place; click on another one")
    name = name.strip() or found or name_of_class(names_of(elements[element])) or "field"
    check_name(name)
    known = next((one for one in draft.fields if one.name == name), None)
    if known is None:
        if len(draft.fields) >= MOST_FIELDS:
            raise InputError(f"a draft has at most {MOST_FIELDS} fields; remove one first")
        known = FieldProposal(name, [None, None], Clue.CLICKED)
        draft.fields.append(known)
        other = guessed(name, value, draft.pages, at)
        known.values[1 - at] = other if _fits(other, value) else None
    elif not all(_fits(one, value) for number, one in enumerate(known.values) if number != at):
        known.values = [None, None]
    known.values[at] = value
    known.why = Clue.CLICKED
    judge(known, draft.pages)
    return known


def check_name(name: str) -> None:
    """Check a field's name; raise InputError if it is not allowed."""
    if not NAME.fullmatch(name):
        raise InputError(f"{name!r} can't be a field's name; it has {NAME_RULE}")


def text_at(element: Any, page: ReadPage) -> FieldValue:
    """Return the text of an element; of a picture its address."""
    return page.picture(element) if element.tag == "img" else page.text(element)


def rows_at(element: Any, page: ReadPage) -> tuple[FieldValue | None, str]:
    """Return the list or records that an element is in, and a name for them."""
    found = like_this(element, page)
    if found is None:
        raise InputError("nothing like this is beside it; click on another place in one of the rows")
    return value_of(found, page), name_of_rows(found, page)


def guessed(name: str, value: FieldValue, pages: Sequence[ReadPage], at: int) -> FieldValue | None:
    """Return the other sample's value, by learning from the one that was clicked."""
    mine, other = pages[at], pages[1 - at]
    more = [(page.url, page.html) for page in (other, *pages[2:])]
    try:
        wrapper = learn_wrapper([Sample(mine.url, mine.html, {name: value})], more)
    except LearnError:
        return None
    return wrapper.extract(other.html, other.url).get(name)


def judge(one: FieldProposal, pages: Sequence[ReadPage]) -> None:
    """Set what keeps a field from being learned from the two samples."""
    one.problem = ""
    learnable([one], pages)


def _fits(one: FieldValue | None, other: FieldValue) -> bool:
    if is_empty(one) or one is None:
        return True
    if isinstance(one, str) or isinstance(other, str):
        return isinstance(one, str) and isinstance(other, str)
    return isinstance(one[0], dict) == isinstance(other[0], dict)

"""How good proposals are, without a word of a person's: `python -m tests.eval.proposals`.

From two pages of a site a whole site file is proposed; for each field of the truth it is asked whether a field of that
name has just that value. Sites that the guessing was developed on stand apart from those it was only measured on; what
is left out was developed on all of them.
*known* is the share of the truth's values that are proposed under whatever name; *beyond* counts the fields of a page
that are no value of the truth on either page, and *junk* those of them that are no field of the page's thing, either
(`--junk` lists them).
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any
from urllib.parse import unquote

from rapidfuzz import fuzz

from gwc_crawler.errors import LearnError
from gwc_crawler.extract.fields import squeeze
from gwc_crawler.learn.propose.guess import FieldProposal
from gwc_crawler.learn.propose.page_reading import ReadPage, letters_of
from gwc_crawler.learn.propose.site import Proposal, propose_from
from tests.eval.corpora import corpora_root, further_root, page_file, read_rows

DEVELOPED = ("cloudchem", "booksamillion", "gitrknows")
MEASURED = ("nomura", "shici", "quotes", "recipes", "atsurgical", "christianbook", "xz59", "yilan")
PAIRS = 5
FIELDS = ("title", "price", "image", "date", "author", "body")

NAMES: Mapping[str, Mapping[str, str]] = {
    "cloudchem": {"title": "title", "price": "price", "description": "body"},
    "booksamillion": {"title": "title", "online_price": "price", "author": "author", "publication_date": "date"},
    "gitrknows": {"title": "title", "date": "date", "author": "author", "content": "body"},
    "nomura": {"title": "title", "date": "date", "content": "body"},
    "shici": {"title": "title", "author": "author", "poem": "body"},
    "quotes": {"name": "title", "born_date": "date", "description": "body"},
    "recipes": {"title": "title", "author": "author"},
    "atsurgical": {"title": "title", "price": "price", "description": "body"},
    "christianbook": {"title": "title", "author": "author"},
    "xz59": {"title": "title", "description": "body"},
    "yilan": {"title": "title", "date": "date"},
}
"""Field of a corpus's truth → what it is called in a proposal."""

GROUPS = ("product", "post", "entry", "poem", "author", "game", "recipe")
FEW_FIELDS = frozenset({"recipes"})
"""Their truth has four fields of the dozen on a page: it can't say what is junk."""

UNTOLD: Mapping[str, frozenset[str]] = {
    "booksamillion": frozenset({"body", "total_ratings"}),
    "shici": frozenset({"body", "date"}),
    "christianbook": frozenset(
        {"availability", "body", "dimensions", "format", "image", "isbn", "number_of_pages", "retail", "save", "series"}
    ),
    "xz59": frozenset({"image"}),
    "yilan": frozenset({"body", "image"}),
}
"""Site → fields of its records that its truth leaves out; found by reading the pages."""

PICTURES = {
    "cloudchem": "//*[contains(@class, 'product-gallery__image')]/a/@href",
    "booksamillion": "//img[contains(@src, '/covers/')]/@src",
    "atsurgical": "//*[contains(@class, 'product-gallery__image')]//img/@src",
}
"""Site → where its pages show the picture of their product; the truth says nothing of pictures."""

CALLED = {"body": ("body", "description"), "author": ("author", "authors")}
ALIKE = 0.9
"""A long text is right if so much of it is the same: where exactly it begins and ends is a matter of taste."""

_HOST_AND_SIZE = re.compile(r"^https?://[^/]+(?=/)|-\d+x\d+(?=\.\w+$)")
_AFTER_TITLE = re.compile(r"\([^)]*\)$")
NO_FIELDS = frozenset({"url", "group", "file", "swde_id", "breadcrumb", "related", "news"})
"""What a row of the truth says of itself, of the way to its page, and of other things."""


@dataclass
class Score:
    """Of one site, or several: field → right ones of so many; values of the truth that are proposed; further fields.

    Attributes:
        judged: proposals of which the truth can say what is beyond it.
    """

    right: Counter[str] = field(default_factory=Counter)
    asked: Counter[str] = field(default_factory=Counter)
    proposals: int = 0
    judged: int = 0
    known: int = 0
    all_known: int = 0
    beyond: list[FieldProposal] = field(default_factory=list)
    junk: list[FieldProposal] = field(default_factory=list)

    def __add__(self, other: Score) -> Score:
        return Score(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))

    def note(self, name: str, *, right: bool) -> None:
        """Count one value."""
        self.asked[name] += 1
        self.right[name] += right

    @property
    def share(self) -> float:
        """Of all values the right ones."""
        return self.right.total() / max(1, self.asked.total())


def pairs_of(site: str, most: int = PAIRS) -> Iterator[tuple[tuple[ReadPage, Mapping[str, Any]], ...]]:
    """Pairs of pages with their truths, spread over a site; of recipes one pair for each site."""
    if site == "recipes":
        yield from _recipe_pairs()
        return
    further_root(site)
    rows = [row for row in read_rows(f"{site}/truth.jsonl") if row["group"] in GROUPS]
    step = len(rows) // (2 * most + 1)
    for number in range(most):
        chosen = rows[2 * number * step], rows[(2 * number + 1) * step]
        yield tuple(
            (ReadPage(f"http://{site}.example{row['url']}", page_file(site, row["url"]).read_bytes()), row)
            for row in chosen
        )


def _recipe_pairs() -> Iterator[tuple[tuple[ReadPage, Mapping[str, Any]], ...]]:
    by_site: dict[str, list[dict[str, Any]]] = {}
    for row in read_rows("pages/truth-recipes.jsonl"):
        by_site.setdefault(re.split(r"[_/]", row["file"].partition("/")[2])[0], []).append(row)
    for site, rows in by_site.items():
        if len(rows) > 1:
            yield tuple(
                (ReadPage(f"http://{site}/{row['file']}", (corpora_root() / "pages" / row["file"]).read_bytes()), row)
                for row in rows[:2]
            )


@cache
def score(site: str, most: int = PAIRS) -> Score:
    """Propose from pairs of a site's pages and compare."""
    result = Score()
    for pair in pairs_of(site, most):
        pages = [page for page, _ in pair]
        result.proposals += 1
        try:
            proposal: Proposal | None = propose_from(pages, pages[0], is_chosen=True)
        except LearnError:
            proposal = None
        for number, (_, truth) in enumerate(pair):
            for name, called in NAMES[site].items():
                if wanted := truth.get(name):
                    result.note(called, right=proposal is not None and _is_right(proposal, number, called, wanted))
            if site in PICTURES and (shown := pages[number].tree.xpath(PICTURES[site])):
                wanted = pages[number].absolute(shown[0])
                result.note("image", right=proposal is not None and _is_right(proposal, number, "image", wanted))
        _judge(
            proposal.fields if proposal else [], [[*_known(of), *_pictures(site, page)] for page, of in pair], result
        )
    result.junk = [one for one in result.beyond if one.name not in UNTOLD.get(site, ())]
    return result if site not in FEW_FIELDS else replace(result, judged=0, beyond=[], junk=[])


def _judge(proposed: Sequence[FieldProposal], truth: Sequence[Sequence[set[str]]], result: Score) -> None:
    """Count the fields of the truth that are proposed, and the proposed ones that the truth does not know."""
    told = [[list(_texts(one.values[number])) for one in proposed] for number in (0, 1)]
    result.judged += 1
    result.all_known += sum(map(len, truth))
    result.known += sum(
        any(_agree(texts, of) for texts in here) for here, fields in zip(told, truth, strict=True) for of in fields
    )
    for number, one in enumerate(proposed):
        if not any(_agree(here[number], of) for here, fields in zip(told, truth, strict=True) for of in fields):
            result.beyond.append(one)


def _pictures(site: str, page: ReadPage) -> list[set[str]]:
    shown = page.tree.xpath(PICTURES[site])[:1] if site in PICTURES else []
    return [{*_texts(page.absolute(one))} for one in shown]


def _known(truth: Mapping[str, Any]) -> list[set[str]]:
    """The texts of each field of the truth: the whole, and its members."""
    values = [value for name, value in truth.items() if name not in NO_FIELDS and value]
    return [{*(texts := list(_texts(value))), "".join(texts)} for value in values]


def _texts(value: Any) -> Iterator[str]:
    """Letters and digits of each text in a value."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from _texts(one)
    elif text := letters_of(_AFTER_TITLE.sub("", unquote(_HOST_AND_SIZE.sub("", str(value or ""))))):
        yield text


def _agree(texts: Sequence[str], known: set[str]) -> bool:
    """Whether half of what is proposed is that of a field of the truth."""
    return bool(texts) and 2 * sum(_is_among(text, known) for text in texts) >= len(texts)


def _is_among(text: str, known: set[str]) -> bool:
    return text in known or any(fuzz.ratio(text[:4000], one[:4000], score_cutoff=100 * ALIKE) for one in known)


def _is_right(proposal: Proposal, number: int, called: str, wanted: Any) -> bool:
    names = CALLED.get(called, (called,))
    found = [one.values[number] for one in proposal.fields if re.sub(r"_\d$", "", one.name) in names]
    return any(_same(value, wanted, called) for value in found if value)


def _same(value: Any, wanted: Any, called: str) -> bool:
    mine, theirs = _plain(value), _plain(wanted)
    if called == "body":
        return fuzz.ratio(mine[:4000], theirs[:4000]) >= 100 * ALIKE
    return mine == theirs or (called == "title" and _AFTER_TITLE.sub("", mine) == theirs)


def _plain(value: Any) -> str:
    texts = [value] if isinstance(value, str) else [str(one) for one in value]
    return "|".join(squeeze(text).lower() for text in texts)


def table(sites: Sequence[str]) -> str:
    """The scores as a table."""
    rows = [
        "| site | pages | " + " | ".join(FIELDS) + " | all | known | beyond | junk |",
        "|---" * (len(FIELDS) + 6) + "|",
    ]
    rows += [_row(site, score(site)) for site in sites]
    return "\n".join([*rows, _row("all", sum(map(score, sites), Score()))])


def _row(name: str, got: Score) -> str:
    told = [f"{got.right[name]} of {got.asked[name]}" if name in got.asked else "–" for name in FIELDS]
    told += [f"{got.share:.2f}", f"{got.known / max(1, got.all_known):.2f}"]
    told += [_a_page(fields, got.judged) for fields in (got.beyond, got.junk)]
    return f"| {name} | {2 * got.proposals} | {' | '.join(told)} |"


def _a_page(fields: Sequence[FieldProposal], judged: int) -> str:
    return f"{sum(bool(value) for one in fields for value in one.values) / 2 / judged:.1f}" if judged else "–"


def main(arguments: Sequence[str]) -> None:
    """Print both tables, or that of the sites named; with `--junk` what is junk."""
    sites = [one for one in arguments if one != "--junk"]
    for group, title in ((DEVELOPED, "developed on"), (MEASURED, "only measured")):
        chosen = [site for site in group if not sites or site in sites]
        if chosen:
            print(f"{title}\n{table(chosen)}\n")
        for site in chosen if "--junk" in arguments else ():
            for one in score(site).junk:
                print(f"{site}: {one.name} ({one.why}): {str(one.values)[:160]}")


if __name__ == "__main__":
    main(sys.argv[1:])

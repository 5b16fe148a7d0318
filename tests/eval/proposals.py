"""How good proposals are, without a word of a person's: `python -m tests.eval.proposals`.

From two pages of a site a whole site file is proposed; for each field of the truth it is asked whether a field of that
name has just that value. Sites that the guessing was developed on stand apart from those it was only measured on.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from rapidfuzz import fuzz

from gwc_crawler.errors import LearnError
from gwc_crawler.extract.fields import squeeze
from gwc_crawler.propose import Proposal, propose_from
from gwc_crawler.propose.guessing import ReadPage
from tests.eval.corpora import corpora_root, page_file, read_rows

DEVELOPED = ("cloudchem", "booksamillion", "gitrknows")
MEASURED = ("nomura", "shici", "quotes", "recipes")
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
}
"""Field of a corpus's truth → what it is called in a proposal."""

PICTURES = {
    "cloudchem": "//*[contains(@class, 'product-gallery__image')]/a/@href",
    "booksamillion": "//img[contains(@src, '/covers/')]/@src",
}
"""Site → where its pages show the picture of their product; the truth says nothing of pictures."""

CALLED = {"body": ("body", "description"), "author": ("author", "authors")}
ALIKE = 0.9
"""A long text is right if so much of it is the same: where exactly it begins and ends is a matter of taste."""


@dataclass
class Score:
    """Of one site: field → right ones of so many."""

    right: dict[str, int] = field(default_factory=dict)
    asked: dict[str, int] = field(default_factory=dict)
    proposals: int = 0

    def note(self, name: str, *, right: bool) -> None:
        """Count one value."""
        self.asked[name] = self.asked.get(name, 0) + 1
        self.right[name] = self.right.get(name, 0) + right

    @property
    def share(self) -> float:
        """Of all values the right ones."""
        return sum(self.right.values()) / max(1, sum(self.asked.values()))


def pairs_of(site: str, most: int = PAIRS) -> Iterator[tuple[tuple[ReadPage, Mapping[str, Any]], ...]]:
    """Pairs of pages with their truths, spread over a site; of recipes one pair for each site."""
    if site == "recipes":
        yield from _recipe_pairs()
        return
    rows = [
        row
        for row in read_rows(f"{site}/truth.jsonl")
        if row["group"] in ("product", "post", "entry", "poem", "author")
    ]
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
                wanted = pages[number].view.absolute(shown[0])
                result.note("image", right=proposal is not None and _is_right(proposal, number, "image", wanted))
    return result


def _is_right(proposal: Proposal, number: int, called: str, wanted: Any) -> bool:
    names = CALLED.get(called, (called,))
    found = [one.values[number] for one in proposal.fields if re.sub(r"_\d$", "", one.name) in names]
    return any(_same(value, wanted, called) for value in found if value)


def _same(value: Any, wanted: Any, called: str) -> bool:
    mine, theirs = _plain(value), _plain(wanted)
    if called == "body":
        return fuzz.ratio(mine[:4000], theirs[:4000]) >= 100 * ALIKE
    return mine == theirs or (called == "title" and re.sub(r"\([^)]*\)$", "", mine) == theirs)


def _plain(value: Any) -> str:
    texts = [value] if isinstance(value, str) else [str(one) for one in value]
    return "|".join(squeeze(text).lower() for text in texts)


def table(sites: Sequence[str]) -> str:
    """The scores as a table."""
    rows = ["| site | pages | " + " | ".join(FIELDS) + " | all |", "|---" * (len(FIELDS) + 3) + "|"]
    for site in sites:
        got = score(site)
        told = [f"{got.right[name]} of {got.asked[name]}" if name in got.asked else "–" for name in FIELDS]
        rows.append(f"| {site} | {2 * got.proposals} | {' | '.join(told)} | {got.share:.2f} |")
    scores = [score(site) for site in sites]
    sums = [[sum(of.get(name, 0) for of in counts) for name in FIELDS] for counts in _counts(scores)]
    told = [f"{right} of {asked}" if asked else "–" for right, asked in zip(*sums, strict=True)]
    number = sum(2 * one.proposals for one in scores)
    return "\n".join([*rows, f"| all | {number} | {' | '.join(told)} | {mean(sites):.2f} |"])


def _counts(scores: Sequence[Score]) -> tuple[list[dict[str, int]], list[dict[str, int]]]:
    return [one.right for one in scores], [one.asked for one in scores]


def mean(sites: Sequence[str]) -> float:
    """The share of right values over all *sites* together."""
    scores = [score(site) for site in sites]
    return sum(sum(one.right.values()) for one in scores) / sum(sum(one.asked.values()) for one in scores)


def main(sites: Sequence[str]) -> None:
    """Print both tables, or that of the *sites* named."""
    for group, title in ((DEVELOPED, "developed on"), (MEASURED, "only measured")):
        chosen = [site for site in group if not sites or site in sites]
        if chosen:
            print(f"{title}: {mean(chosen):.2f}\n{table(chosen)}\n")


if __name__ == "__main__":
    main(sys.argv[1:])

"""Labels tell a value where rows are missing and where another place mostly agrees; what they lead to may be words."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from gwc_crawler.extract import Affixes, Finder
from gwc_crawler.items import Family
from gwc_crawler.learn.texts import ExampleContext
from gwc_crawler.learn.wrapper.finders import mended
from tests.extract.pages import sentence, word
from tests.extract.test_single_judgements import learn_pages

# A row behind another label


@pytest.mark.parametrize(
    ("labels", "own"),
    [
        (("<b>Nose:</b> ", "<b>Palate:</b> ", "<b>Comments:</b> "), "Palate: "),
        (("【产地】", "【来源】", "【性味】"), "【来源】"),
    ],
    ids=["colon", "brackets"],
)
def test_a_row_behind_another_label_is_the_fields_only_with_its_own_label(labels: Sequence[str], own: str) -> None:
    def wine(n: int, *, missing: bool = False) -> str:
        rows = [f"<p>{label}{sentence(n + k)}</p>" for k, label in enumerate(labels)]
        return f"<h1>{word(n)}</h1>{rows[0]}{'' if missing else rows[1]}{rows[2]}"

    pages = learn_pages(*(wine(n, missing=n % 4 == 3) for n in range(12)))
    contexts = [ExampleContext(one, sentence(n + 1)) for n, one in enumerate(pages[:2])]
    best = Finder(Family.LABEL, f'//p[starts-with(normalize-space(),"{own}")]', cut=Affixes(before=own))
    if own.endswith(" "):
        best = Finder(Family.LABEL, '//b[text()[normalize-space()="Palate:"]]/following-sibling::text()[1]')
    fallback = Finder(Family.LABEL, "//h1/following-sibling::p[2]", cut=Affixes(before=own))
    _, behind = mended([best, fallback], contexts, [(one.page, None) for one in pages[2:]])
    assert behind.first(pages[4].page) == sentence(5)
    assert behind.first(pages[7].page) is None


# Labels in brackets that begin a paragraph

# A label that is the field's name


# Signs within items

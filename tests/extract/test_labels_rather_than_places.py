"""Labels tell a value where rows are missing and where another place mostly agrees; what they lead to may be words."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from gwc_crawler.extract import Affixes, Finder
from gwc_crawler.items import Family
from gwc_crawler.learn.texts import ExampleContext
from gwc_crawler.learn.wrapper.finders import mended
from tests.extract.pages import learned, sentence, word
from tests.extract.test_facts_and_paths import Samples
from tests.extract.test_single_judgements import learn_pages
from tests.extract.test_told_by_itself import SEVERAL, page

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
    _, behind = mended([best, fallback], contexts, [(one.page, None) for one in pages[2:]], "palate")
    assert behind.first(pages[4].page) == sentence(5)
    assert behind.first(pages[7].page) is None


# Labels in brackets that begin a paragraph

USES = ("【成份】", "【用法】", "【禁忌】", "【贮藏】", "【有效期】")


def drug(n: int, *left: int, link: str = "<a href=/{}>{}</a>") -> str:
    rows = (f"{word(n + k + 9)}与{link.format(n, word(n + k))}，{n + k}毫克{word(n + k + 2)}" for k in range(5))
    shown = (f"<p>{label}{text}</p>" for k, (label, text) in enumerate(zip(USES, rows, strict=True)) if k not in left)
    return page(word(n), f"<div class=leaflet>{''.join(shown)}</div>")


def use_of(n: int, k: int) -> str:
    return f"{word(n + k + 9)}与{word(n + k)}，{n + k}毫克{word(n + k + 2)}"


def test_paragraphs_with_links_are_told_by_the_labels_in_brackets_that_begin_them() -> None:
    samples: Samples = [(drug(n), {"name": word(n), "usage": use_of(n, 1), "taboo": use_of(n, 2)}) for n in (1, 2)]
    wrapper = learned(samples, [drug(n, *(k for k in range(5) if (n + k) % 6 == 0)) for n in SEVERAL])
    for left in ((), (0,), (1,), (0, 2), (3,)):
        found = wrapper.extract(drug(60, *left))
        expected = [None if k in left else use_of(60, k) for k in (1, 2)]
        assert [found.get("usage"), found.get("taboo")] == expected, left


# A label that is the field's name


# Signs within items

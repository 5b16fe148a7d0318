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


def portrait(n: int, heading: str, top: str) -> str:
    rows = f"<dl><dt>Name</dt><dd>{word(n)}</dd><dt>Born</dt><dd>{1800 + n}</dd></dl>"
    return f"<html><body><div id=all>{heading.format(top)}{rows}<p>{sentence(n)}</p></div></body></html>"


@pytest.mark.parametrize(
    ("heading", "seldom", "by_label"),
    [("<div class=top>{}</div>", 4, True), ("<div class=top>{}</div>", 9, False), ("<h1>{}</h1>", 4, False)],
    ids=["another text at times", "hardly ever", "the heading of the page"],
)
def test_what_is_labelled_with_the_fields_name_is_read_where_another_place_mostly_agrees(
    heading: str, seldom: int, by_label: bool
) -> None:
    def one(n: int, *, other: bool) -> str:
        return portrait(n, heading, f"The {word(n + 1)} page" if other else word(n))

    samples: Samples = [(one(n, other=False), {"name": word(n)}) for n in (1, 2)]
    wrapper = learned(samples, [one(n, other=n % seldom == 0) for n in range(10, 30)])
    found = wrapper.extract(one(60, other=True))["name"]
    assert found == (word(60) if by_label else f"The {word(61)} page")


# Signs within items


def software(n: int, items: Sequence[str]) -> str:
    return page(word(n), f"<h2>功能</h2><ul>{''.join(f'<li>{item}</li>' for item in items)}</ul><p>{sentence(n)}</p>")


@pytest.mark.parametrize(
    ("given", "several", "parts"),
    [
        ("适合{}使用", "支持{}、导出数据，速度很快。", False),
        ("张{}", "张{}、李四", True),
    ],
    ids=["sentences", "names"],
)
def test_items_are_parted_at_a_sign_if_they_are_names_and_no_sentences(given: str, several: str, parts: bool) -> None:
    samples: Samples = [
        (software(n, [given.format(word(n))]), {"name": word(n), "items": [given.format(word(n))]}) for n in (1, 2)
    ]
    more = [software(n, [(several if n % 2 else given).format(word(n))]) for n in SEVERAL]
    item = several.format(word(60))
    found = learned(samples, more).extract(software(60, [item]))["items"]
    assert found == (item.split("、") if parts else [item])

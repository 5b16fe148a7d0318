"""Complaints after learning: values that stand nowhere, fields without a rule, samples read differently.

In: the rules and the samples they were learned from. Out: errors (nothing is learned until they are mended) and
warnings. A text that is nowhere is an error, and so is a list none of whose items or records is found; if only a
part is missing, the rest is learned and the part named."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

from rapidfuzz.fuzz import ratio

from gwc_crawler.extract.fields import is_blank, overlap, same_value, squeeze
from gwc_crawler.extract.nodes import UNREAD
from gwc_crawler.extract.page_view import PageView
from gwc_crawler.extract.records_rule import RecordsRule
from gwc_crawler.extract.wrapper import Rule
from gwc_crawler.learn.degrees import OFTEN, SEVERAL
from gwc_crawler.learn.places.places import stands_on
from gwc_crawler.learn.texts.context import LearnPage, texts_in
from gwc_crawler.learn.wrapper.samples import SampleView
from gwc_crawler.modes import LearnMode
from gwc_crawler.page.json_page import SHELL_CHARACTERS

BY_BROWSER = (
    'if a browser shows it, write browser = "targets" above the first [section] of the site file and fetch the pages '
    "anew: scrapy learn SITE -s GWC_REUSE_SAMPLES_SECONDS=0"
)
"""The remedy for pages that are made by scripts."""

_SHOWN = 80
"""Characters of a value that a sentence shows."""

_SPELT = 80
"""Maximum length of texts that are compared letter by letter."""


@dataclass(slots=True)
class Complaints:
    """One sentence each. `unled`: fields whose values stand on the page, but no rule leads to them; `unmet`: the names
    of all fields with a complaint."""

    unmet: set[str] = field(default_factory=set)
    errors: list[str] = field(default_factory=list)
    unled: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def complain(
    names: Sequence[str], rules: Mapping[str, Rule], samples: Sequence[SampleView], mode: LearnMode | str
) -> Complaints:
    """Compare the values that the rules read on the samples with the given ones.

    Args:
        mode: in "paper" a rule may be wrong on a sample, as the paper's are: that is no complaint.
    """
    said = Complaints()
    for name in names:
        rule = rules.get(name)
        wrong = [one for one in samples if _is_wrong(rule, one.page, one.fields.get(name))]
        if rule is not None and mode == LearnMode.PAPER:
            continue
        missing = [list(nowhere(name, one, samples)) for one in wrong]
        wholly = [_is_missing(one.fields.get(name), one.page) for one in wrong]
        if any(wholly):
            said.errors.append(missing[wholly.index(True)][0])
        elif rule is None:
            pages = " and ".join(map(_page, wrong))
            unled = f"field {name!r}: its values stand on {pages}, but no rule leads to them; give it from other pages"
            said.unled.append(next(chain.from_iterable(missing), unled))
            said.unmet.add(name)
        else:
            before = len(said.warnings)
            for one, told in zip(wrong, missing, strict=True):
                apart = _deviation(name, rule, one)
                same = f" the value {apart.rpartition(' the sample says ')[2]} is nowhere "
                said.warnings += [*(text for text in told if same not in text), apart]
            # A number in a text ("4 of 5 stars") is read as it should be.
            parts = _parts_of_texts(name, samples)
            said.warnings += [told for one, told in parts if wrong or any(map(str.isalpha, str(one.fields[name])))]
            said.warnings += _left_out_parts(name, rule, samples)
            said.unmet.update([name] if len(said.warnings) > before else ())
    if said.errors:
        said.errors += filter(None, map(_is_other, samples))
    return said


def _is_wrong(rule: Rule | None, page: PageView, value: Any) -> bool:
    """Say whether the rule does not give the value that the person gave; records may be given in any order."""
    if rule is None:
        return not is_blank(value)
    found = rule.read(page)
    if isinstance(rule, RecordsRule) and isinstance(value, list) and isinstance(found, list):
        return len(found) != len(value) or not all(any(same_value(one, other) for one in found) for other in value)
    return not same_value(found, value)


def nowhere(name: str, sample: SampleView, samples: Sequence[SampleView] = ()) -> Iterator[str]:
    """Yield a sentence for each text of a sample's value that stands nowhere on its page, but for no more than some."""
    texts = texts_in(sample.fields.get(name))
    missing = ((part, text) for part, text in texts if not stands_on(text, sample.page.with_unseen))
    for part, text in islice(missing, SEVERAL):
        whose = f"field {name!r}" + (f", part {part!r}" if part else "")
        start = f"{whose}: the value {shown(text)!r} is nowhere on {_page(sample)}"
        yield start + _where_it_is(text, sample, samples)


def _is_missing(value: Any, page: LearnPage) -> bool:
    """Say whether a value has texts, and all of them are nowhere on a page."""
    texts = [text for _, text in texts_in(value)]
    return bool(texts) and not any(stands_on(text, page.with_unseen) for text in texts)


def _where_it_is(text: str, sample: SampleView, samples: Sequence[SampleView]) -> str:
    plain, page = squeeze(text), sample.page
    if not page.is_data and any(plain in squeeze(node.text or "") for node in page.tree.iter(*UNREAD)):
        return f" but in a script or style sheet, which is not read; {BY_BROWSER}"
    others = (one for one in samples if one is not sample)
    if other := next((one for one in others if stands_on(text, one.page.with_unseen)), None):
        return f", but on {_page(other)}: are the values of the two samples swapped?"
    closest = closest_text(text, page)
    told = f"; the closest text there is {closest!r}" if closest else ", nor anything like it"
    return f"{told}; {BY_BROWSER}" if _is_made_by_scripts(page) else told


def _is_other(sample: SampleView) -> str:
    """Complain if of several values of a sample none stands on its page, though that is no frame to fill; else ""."""
    values, page = [value for value in sample.fields.values() if not is_blank(value)], sample.page
    if len(values) < 2 or not all(_is_missing(value, page) for value in values) or _is_made_by_scripts(page):
        return ""
    text = " ".join(page.every_text)
    return (
        f"{_page(sample)} shows nothing of its sample, but {shown(text)!r}; where that is a challenge, or a page to "
        "log in on, fetch anew: scrapy learn SITE -s GWC_REUSE_SAMPLES_SECONDS=0"
    )


def _is_made_by_scripts(page: LearnPage) -> bool:
    """Say whether a page has scripts of its site, and less text than a paragraph besides: an empty frame to fill."""
    text = sum(map(len, page.every_text))
    return text < SHELL_CHARACTERS and page.tree.find(".//script") is not None and not page.is_data


def closest_text(value: str, page: LearnPage) -> str:
    """Return the page's text nearest to *value*, for the message that it was found nowhere; "" for none."""
    words = set(value.split()) or {value}
    best, best_score = "", 0.0
    for text in page.every_text:
        spelt = ratio(value, text, score_cutoff=100 * OFTEN) / 100 if len(text) <= _SPELT else 0.0
        score = max(overlap(words, set(text.split())), spelt)
        if score > best_score:
            best, best_score = text, score
    return best[:200]


def _left_out_parts(name: str, rule: Rule, samples: Sequence[SampleView]) -> Iterator[str]:
    """Yield a complaint about the parts of records for which no rule was found."""
    if isinstance(rule, RecordsRule):
        asked = dict.fromkeys(part for one in samples for part, _ in texts_in(one.fields.get(name)))
        lost = [part for part in asked if not any(part in way.fields for way in rule.ways)]
        parts = ", ".join(map(repr, lost))
        if lost:
            yield (
                f"field {name!r}: no rule leads to {parts} of its records; what is learned comes without: leave it out "
                "of the samples, or give it as the page has it in each record, as a text or an attribute"
            )


def _deviation(name: str, rule: Rule, sample: SampleView) -> str:
    wanted, found = sample.fields.get(name), rule.read(sample.page)
    if is_blank(wanted):
        return (
            f"field {name!r} on {_page(sample)}: the sample leaves it out, but {shown(found)!r} stands there as other "
            "values of it do on other pages, and is taken; give it there, or samples on which it can't be seen"
        )
    are_lists = isinstance(wanted, list) and isinstance(found, list)
    if are_lists and (more := _further(found, wanted)) is not None:
        return (
            f"field {name!r} on {_page(sample)}: {shown(more)!r} stands there as well and is read, but not in the "
            "sample; give it there, if it is one of them"
        )
    where, helps = "", ""
    if _is_shuffled(wanted, sample):
        helps = "; give the items in the order in which they stand there"
    elif are_lists:
        where, found, wanted = _apart(found, wanted)
    read = "nothing is read there" if is_blank(found) else f"learned {shown(found, wanted)!r}"
    says = f"the sample says {shown(wanted, found)!r}" if not is_blank(wanted) else "the sample has nothing there"
    return f"field {name!r}{where} on {_page(sample)}: {read}, but {says}{helps}"


def _further(found: Any, wanted: Any) -> Any:
    """Return the first item found that is not wanted, if all wanted ones are found; else None."""
    if any(not any(same_value(other, one) for other in found) for one in wanted):
        return None
    return next((other for other in found if not any(same_value(other, one) for one in wanted)), None)


def _apart(found: Any, wanted: Any) -> tuple[str, Any, Any]:
    """Return where two lists differ first, and both values there; for records the first one not read, and its part."""
    missing = next((n for n, one in enumerate(wanted) if not any(same_value(other, one) for other in found)), None)
    if missing is None:
        return "", found, wanted
    mine, theirs = found[missing] if len(found) == len(wanted) else None, wanted[missing]
    if not isinstance(mine, Mapping) or not isinstance(theirs, Mapping):
        return f", number {missing + 1},", mine, theirs
    key = next(key for key in {**theirs, **mine} if not same_value(mine.get(key), theirs.get(key)))
    return f", record {missing + 1}, part {key!r},", mine.get(key), theirs.get(key)


def _is_shuffled(wanted: Any, sample: SampleView) -> bool:
    """Say whether the texts of a list are texts of the page, in another order there."""
    if not isinstance(wanted, list) or not all(isinstance(one, str) for one in wanted):
        return False
    texts = sample.page.every_text
    places = [texts.index(text) for one in wanted if (text := " ".join(one.split())) in texts]
    return len(places) == len(wanted) and places != sorted(places)


def _parts_of_texts(name: str, samples: Sequence[SampleView]) -> Iterator[tuple[SampleView, str]]:
    """Yield the samples that give a part of a text for a field that is read otherwise on one: cut off within a word, or
    where another sample gives the whole. A value behind its label is a part of a text, too, and as it should be."""
    given = [(one, " ".join(value.split())) for one in samples if isinstance(value := one.fields.get(name), str)]
    around = [text_around(value, one.page) for one, value in given]
    for (one, value), text in zip(given, around, strict=True):
        if text and (not all(around) or _is_cut(value, text)):
            told = f"field {name!r} on {_page(one)}: {shown(value)!r} is a part of {shown(text)!r}; give the whole of "
            yield one, told + "it, or the same part of it in all samples"


def _is_cut(value: str, text: str) -> bool:
    """Say whether a word of the text begins or ends outside of *value*, which is a part of it."""
    start = text.index(value)
    end = start + len(value)
    edges = (text[start - 1 : start + 1] if start else "", text[end - 1 : end + 1])
    return any(len(edge) == 2 and edge.isalnum() and edge.isascii() for edge in edges)


def text_around(value: str, page: LearnPage) -> str:
    """Return the shortest text of the page that *value* is a part of; "" if it is a whole text."""
    around = min((text for text in page.every_text if value in text), key=len, default="")
    return "" if around == value else around


def shown(value: Any, other: Any = None) -> str:
    """Format a value for a sentence, a list as JSON; a long one by its beginning, or by the part around its first
    difference from *other*."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if len(text) <= _SHOWN:
        return text
    letters = zip(text, other, strict=False) if isinstance(other, str) else ()
    apart = next((n for n, (one, two) in enumerate(letters) if one != two), 0)
    start = apart - _SHOWN // 2 if apart > _SHOWN - 10 else 0
    part = text[start : start + _SHOWN - 3]
    return f"{'...' if start else ''}{part}{'...' if start + len(part) < len(text) else ''}"


def _page(sample: SampleView) -> str:
    return sample.page.url or "the sample page"

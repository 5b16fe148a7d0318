"""What learning asks: few questions, each of a group that a pattern tells from all others; an answer settles it."""

from __future__ import annotations

from functools import cache

import pytest

from gwc_crawler.knowledge.model import Knowledge, Verdict
from gwc_crawler.knowledge.patterns import read_pattern
from gwc_crawler.learn.review.review import patterns_for
from gwc_crawler.learn.site import learn_site
from gwc_crawler.learn.targets.task import LearnTask
from tests.learn.reference_site import address, fields, numbers, reference
from tests.learn.test_sparse_and_given import SITE, stored

FORMS = {
    "left out for its address": ("/{kind}.{word}.html", False),
    "left out for its build": ("/ref/{kind}-{word}", True),
    "taken from elsewhere": ("/{kind}/{word}.html", False),
}


@cache
def learned(form: str, *, own_parts: bool = False, **by_hand: str) -> Knowledge:
    pages = [
        stored(path, html, links, depth=int(path != "/"))
        for path, (html, links) in reference(form, own_parts=own_parts).items()
    ]
    samples = tuple((SITE + address(form, "method", number), fields(number)) for number in (3, 9))
    target = by_hand.pop("target", None)
    patterns = {key: (read_pattern(text),) for key, text in by_hand.items()}
    return learn_site(LearnTask("ref", (f"{SITE}/",), samples=samples, target=target, by_hand=patterns), pages)


@pytest.mark.parametrize("name", FORMS)
def test_a_doubtful_group_is_asked_for_with_its_number_an_example_and_values(name: str) -> None:
    form, own_parts = FORMS[name]
    (question,) = learned(form, own_parts=own_parts).evidence["questions"]
    path = question["example"].removeprefix(SITE)
    assert question["told"].startswith(f"60 pages like {path} ")
    assert question["told"].endswith(("have all your fields, too. Take them?", "Keep them?"))
    assert path in {address(form, "signal", number) for number in numbers("signal")}
    assert set(question["values"]) == {"title", "lead", "params"}
    if name.startswith("left out"):
        first = learned(form, own_parts=own_parts).evidence["groups"][0]
        assert (first["is_taken"], first["is_doubtful"], first["urls"], first["fields"]) == (False, True, 60, 3)
    assert question["patterns"] == (form.format(kind="signal", word="*"),)


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("answer", ["yes", "no"])
def test_an_answer_settles_it_and_is_asked_no_more(name: str, answer: str) -> None:
    form, own_parts = FORMS[name]
    (question,) = learned(form, own_parts=own_parts).evidence["questions"]
    knowledge = learned(form, own_parts=own_parts, **{question[answer]: question["patterns"][0]})
    signals = [SITE + address(form, "signal", number) for number in numbers("signal")]
    assert {knowledge.verdict(url) is Verdict.TARGET for url in signals} == {answer == "yes"}
    assert all(knowledge.is_target(SITE + address(form, "method", number)) for number in numbers("method"))
    assert knowledge.evidence["questions"] == []
    assert knowledge.evidence["certainty"]["targets"] == "sure", knowledge.evidence["certainty"]["because"]
    assert all(row["coverage"] == 1.0 for row in knowledge.evidence["fields"].values())


def test_who_has_said_what_a_target_is_is_not_asked() -> None:
    form = FORMS["left out for its address"][0]
    knowledge = learned(form, target=r"http://ref\.example/method\..*")
    assert knowledge.evidence["left_out"]
    assert knowledge.evidence["questions"] == []


@pytest.mark.parametrize(
    ("some", "others", "patterns"),
    [
        (["/a/1", "/a/2"], ["/b/1"], ("/a/*",)),
        (["/a/1", "/a/2"], ["/a/x"], ("re:http://h/a/[0-9]+",)),
        (["/a/1", "/a/2"], ["/a/3"], ()),
        (["/a/1", "/a/2", "/b?x=1", "/b?x=2"], ["/c"], ("/a/*", "/b?x=*")),
        ([], ["/c"], ()),
    ],
)
def test_patterns_take_all_of_some_addresses_and_none_of_others(
    some: list[str], others: list[str], patterns: tuple[str, ...]
) -> None:
    assert patterns_for([f"http://h{one}" for one in some], [f"http://h{one}" for one in others]) == patterns

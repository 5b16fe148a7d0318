"""Values in what a browser does not show: noscript, template; and in what it shows on demand: hidden, details."""

from __future__ import annotations

import pytest

from gwc_crawler.errors import LearnError
from gwc_crawler.learn.wrapper.learning import learn_wrapper
from gwc_crawler.learn.wrapper.samples import Sample

URL = "https://a.example/{}"
READERS = {1: ["A. Reader", "B. Critic"], 2: ["C. Fan"], 3: ["D. Foe", "E. Friend", "F. Cook"]}


def page(n: int, around: str) -> str:
    rows = "".join(f"<li><b>{who}</b> <i>{n} stars</i><p>It is number {n}.</p></li>" for who in READERS[n])
    opened, _, closed = around.partition("|")
    return (
        f"<html><body><h1>Item {n * 7}</h1><p>for readers</p>{opened}<p class='note'>Note {n * 3}</p>"
        f"<ul class='reviews'>{rows}</ul>{closed}<script>var x = 'told {n} times';</script></body></html>"
    )


def fields(n: int) -> dict[str, object]:
    reviews = [{"who": who, "stars": f"{n} stars", "text": f"It is number {n}."} for who in READERS[n]]
    return {"title": f"Item {n * 7}", "note": f"Note {n * 3}", "readers": READERS[n], "reviews": reviews}


@pytest.mark.parametrize(
    "around",
    [
        "<noscript>|</noscript>",
        "<div><noscript><div>|</div></noscript></div>",
        "<template>|</template>",
        "<div hidden>|</div>",
        "<div style='display:none'>|</div>",
        "<details><summary>More</summary>|</details>",
    ],
)
def test_values_that_only_some_readers_see_are_learned_like_any_other(around: str) -> None:
    wrapper = learn_wrapper([Sample(URL.format(n), page(n, around), fields(n)) for n in (1, 2)])
    assert not wrapper.warnings
    assert wrapper.extract(page(3, around), URL.format(3)) == fields(3)


def test_a_value_in_a_script_is_not_read_and_the_error_says_so() -> None:
    samples = [Sample(URL.format(n), page(n, "|"), {"told": f"told {n} times"}) for n in (1, 2)]
    with pytest.raises(LearnError, match=r"'told 1 times' is nowhere on .* but in a script or style sheet"):
        learn_wrapper(samples)


def test_the_missing_part_of_a_record_is_named_not_its_first_value() -> None:
    wrong = fields(1) | {"reviews": [{"who": "A. Reader", "text": "Never said."}, {"who": "B. Critic"}]}
    given = (1, wrong), (2, fields(2))
    wrapper = learn_wrapper([Sample(URL.format(n), page(n, "|"), said) for n, said in given])
    named = [text for text in wrapper.warnings if "'Never said.'" in text]
    assert len(named) == 1
    assert "part 'text'" in named[0]
    assert "A. Reader" not in named[0]
    assert [row["who"] for row in wrapper.extract(page(3, "|"))["reviews"]] == READERS[3]

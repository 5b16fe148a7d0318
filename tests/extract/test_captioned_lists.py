"""Lists that only further pages have in groups with captions, and lists below that are something else."""

from __future__ import annotations

from typing import Any

from tests.extract.pages import learned, sentence, word
from tests.extract.test_facts_and_paths import Samples
from tests.extract.test_told_by_itself import SEVERAL, page


def items(n: int, count: int = 3) -> list[str]:
    return [f"{k + 1} cups {word(n + k)}" for k in range(count)]


def listed(some: list[str]) -> str:
    return f"<ul>{''.join(f'<li>{one}</li>' for one in some)}</ul>"


def recipe(n: int, *captions: str, tools: str = "", form: str = "<p>{}</p>") -> str:
    """The ingredients in one list, and in one more below each caption; what is needed besides stands below them."""
    groups = "".join(f"{form.format(caption)}{listed(items(n + 20 * k))}" for k, caption in enumerate(captions, 1))
    besides = f"<p>{tools}</p>{listed([f'{word(n + 7)} pan', f'{word(n + 8)} pot'])}" if tools else ""
    steps = f"<h2>Directions</h2><ol><li>{sentence(n)}</li><li>{sentence(n + 4)}</li></ol>"
    return page(word(n), f"<h2>Ingredients</h2>{listed(items(n))}{groups}{besides}", steps)


def recipes(**options: Any) -> Samples:
    return [(recipe(n, **options), {"name": word(n), "ingredients": items(n)}) for n in (1, 2)]


def test_a_list_that_the_samples_have_below_is_no_group_either() -> None:
    wrapper = learned(recipes(tools="Equipment"), [recipe(n, tools="Equipment") for n in SEVERAL])
    assert wrapper.extract(recipe(61, tools="Equipment"))["ingredients"] == items(61)

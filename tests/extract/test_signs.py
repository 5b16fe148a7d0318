"""Values that have no text: stars in a class, a width, a number of icons, and images that are loaded late."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from gwc_crawler import Sample, Wrapper, learn_wrapper

SIGNS: Mapping[str, Callable[[int], str]] = {
    "a class": lambda n: f'<b class="star-{n}"></b>',
    "a class among others": lambda n: f'<b class="stars stars{n} small"></b>',
    "a width": lambda n: f'<div class="bar"><i style="color: red; width: {20 * n}%"></i></div>',
    "icons": lambda n: f"<p>{'<i class=on></i>' * n}{'<i class=off></i>' * (5 - n)}</p>",
    "images": lambda n: f"<p>{'<img src=/on.gif>' * n}{'<img src=/off.gif>' * (5 - n)}</p>",
    "a description": lambda n: f'<img src="/logo.gif" alt="Logo"><img src="/s.gif" alt="{n} of 5 stars">',
}
IMAGES = {
    "late": '<img src="/blank.gif" data-lazy-src="{}">',
    "sizes": '<img src="/small.jpg" srcset="/small.jpg 300w, {} 800w">',
    "a background": "<div style=\"color:red; background-image: url('{}')\"></div>",
}


def page(body: str, number: int) -> str:
    about = "<p>Seen 5 times, 3 today</p>"
    return f"<html><body><h1>Thing {'ABCDEF'[number]}</h1><div>{about}{body}</div></body></html>"


def learned(field: str, values: tuple[str, str], bodies: tuple[str, str], more: list[str]) -> Wrapper:
    samples = [
        Sample(f"https://x.example/{n}", page(body, n), {field: value})
        for n, (value, body) in enumerate(zip(values, bodies, strict=True))
    ]
    return learn_wrapper(samples, [(f"https://x.example/more/{n}", page(body, n)) for n, body in enumerate(more)])


@pytest.mark.parametrize("how", SIGNS)
def test_stars_are_read(how: str) -> None:
    written = SIGNS[how]
    wrapper = learned("rating", ("3", "4"), (written(3), written(4)), [written(n) for n in (1, 2, 5, 4)])
    stored = Wrapper.from_json(wrapper.to_json())
    assert [stored.extract(page(written(n), n))["rating"] for n in range(1, 6)] == ["1", "2", "3", "4", "5"]
    assert wrapper.extract(page("<p>Not rated</p>", 3))["rating"] is None
    assert wrapper.warnings == ()


@pytest.mark.parametrize("how", IMAGES)
def test_an_image_that_a_script_loads_is_read(how: str) -> None:
    written = IMAGES[how].format
    addresses = [f"/images/{name}.jpg" for name in ("one", "two", "three")]
    given = [f"https://x.example{one}" for one in addresses]
    wrapper = learned("cover", (given[0], given[1]), (written(addresses[0]), written(addresses[1])), [])
    assert wrapper.extract(page(written(addresses[2]), 2), "https://x.example/2")["cover"] == given[2]


def test_stars_of_reviews_are_read() -> None:
    first, second, third = (("Ann", 4), ("Bob", 2)), (("Cy", 5), ("Di", 1), ("Ed", 3)), (("Flo", 1), ("Gus", 4))
    samples = [
        Sample(f"https://x.example/{n}", reviewed(one), {"reviews": wanted(one)})
        for n, one in enumerate((first, second))
    ]
    assert learn_wrapper(samples).extract(reviewed(third))["reviews"] == wanted(third)


def reviewed(reviews: tuple[tuple[str, int], ...]) -> str:
    blocks = (
        f'<div class="review"><b>{name}</b><span class="rate r{n}"></span><p>{name} says it is fine.</p></div>'
        for name, n in reviews
    )
    return page("".join(blocks), 0)


def wanted(reviews: tuple[tuple[str, int], ...]) -> Any:
    return [{"author": name, "rating": str(n), "text": f"{name} says it is fine."} for name, n in reviews]

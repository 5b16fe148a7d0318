"""Lists whose further pages are followed, and names of which nobody saw all beginnings."""

from __future__ import annotations

from gwc_crawler.knowledge.model import Knowledge, Verdict
from tests.learn.test_kinds import CLASS, INDEX, SITE, learned, stored, taken


def test_the_further_pages_of_lists_of_one_form_are_followed_though_none_of_theirs_was_fetched() -> None:
    names = [f"{one}{other}" for one in ("ash", "bay", "elm") for other in ("wood", "ley", "ton", "by")]
    lists = {f"/shop/{name}_{n}/": [f"/item/{name}{k}.html" for k in range(6)] for n, name in enumerate(names)}
    further = {f"{path}?page={k}": [one.replace(".html", f"-{k}.html") for one in links]
               for path, links in lists.items() for k in range(2, 7)}  # fmt: skip
    known = {path: links for path, links in further.items() if path.startswith(("/shop/ashwood", "/shop/ashley"))}
    pages = [stored("/", INDEX.html("All", links=lists), lists, 0)]
    for path, links in lists.items():
        ahead = [f"{path}?page=2"] if f"{path}?page=2" in known else []
        pages.append(stored(path, INDEX.html(path, links=[*links, *ahead]), [*links, *ahead]))
    pages += [stored(path, INDEX.html(path, links=links), links) for path, links in known.items()]
    items = [one for links in (*lists.values(), *known.values()) for one in links]
    pages += [stored(one, CLASS.html(one), ["/"]) for one in items]
    knowledge = learned(pages, CLASS, {one: one for one in (items[0], items[-1])})
    assert {knowledge.verdict(SITE + path) for path in (*lists, *further)} == {Verdict.DIRECTORY}
    assert knowledge.verdict(f"{SITE}/shop/oakham_99/?page=12") is Verdict.DIRECTORY
    assert knowledge.verdict(f"{SITE}/shop/oakham_99/?sort=12") is not Verdict.DIRECTORY


def test_a_name_may_begin_with_a_digit_though_none_that_was_fetched_does() -> None:
    films = [f"/film/{name}_{n}/" for n in range(12) for name in ("alien", "brazil", "casablanca")]
    others = ["/film/1408_7/", "/film/88-minutes_3/", "/film/54_2/", "/film/300_1/"]
    archives = [f"/film/{year}/" for year in range(1990, 1999)]

    def known(links: list[str]) -> Knowledge:
        pages = [stored("/", INDEX.html("All", links=links), links, 0)]
        pages += [stored(path, CLASS.html(path), ["/"]) for path in films]
        return learned(pages, CLASS, {path: path for path in (films[0], films[20])})

    assert taken(known([*films, *others]), [*films, *others]) == {*films, *others}
    assert taken(known([*films, *archives]), [*films, *archives]) == {*films}

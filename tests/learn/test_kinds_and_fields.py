"""What the fields and the names beside tell of a kind: a word that a field says, endings, the few without a prefix."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.learn.kinds.cuts import structure
from gwc_crawler.learn.kinds.feature_matrix import FeatureMatrix
from gwc_crawler.learn.kinds.splits import decide
from gwc_crawler.learn.kinds.words import words_of
from gwc_crawler.learn.site import learn_site
from gwc_crawler.learn.targets.task import LearnTask
from gwc_crawler.learn.urls.url_parts import row_of
from tests.learn.test_kinds import CLASS, INDEX, SITE, Kind, fields, stored, taken

MORE = Kind("class", (*CLASS.sections, "notes"))


def site_of(pages: Mapping[str, str], samples: Mapping[str, Mapping[str, str]]) -> Knowledge:
    """What is learned from a page that lists others, and these: paths with their HTML."""
    crawled = [stored("/", INDEX.html("All", links=pages), pages, 0)]
    crawled += [stored(path, html, ["/"]) for path, html in pages.items()]
    given = tuple((SITE + path, dict(values)) for path, values in samples.items())
    return learn_site(LearnTask("api", (f"{SITE}/",), samples=given), crawled)


@pytest.mark.parametrize("field", ["layer", "kind"])
def test_a_prefix_that_both_samples_share_is_no_kind_where_others_have_the_fields_and_the_template(field: str) -> None:
    layers = ("admin", "ids", "system", "apps")

    def html(layer: str, n: int) -> str:
        fact = f"<h1 class='class-title'>m{n}x</h1><p>Of <span class='{field}'>{layer}</span></p>"
        skipped = [name for place, name in enumerate(MORE.sections) if n // 4 % (place + 3) == 0]
        return MORE.html(f"m{n}x", skipped=skipped).replace(f"<h1 class='class-title'>m{n}x</h1>", fact)

    pages = {f"/{layers[n % 4]}_m{n}x.html": html(layers[n % 4], n) for n in range(80)}
    samples = {f"/admin_m{n}x.html": fields(MORE, f"m{n}x") | {field: "admin"} for n in (44, 52)}
    assert taken(site_of(pages, samples), pages) == {*pages}


def test_a_prefix_that_the_few_without_it_do_not_have_is_a_kind_where_they_share_another() -> None:
    pages = {f"/mod/mod_{chr(97 + n)}{n}.html": MORE.html(f"m{n}") for n in range(26)}
    few = {f"/mod/dir_{name}.html": MORE.html(name, skipped=("parents",)) for name in "abcd"}
    strangers = {f"/mod/{name}.html": Kind("text", ("contents", "how")).html(name) for name in ("index", "naming")}
    samples = {f"/mod/mod_{chr(97 + n)}{n}.html": fields(MORE, f"m{n}") for n in (3, 8)}
    assert taken(site_of({**pages, **few, **strangers}, samples), [*pages, *few, *strangers]) == {*pages}


@pytest.mark.parametrize(("alike", "like", "is_cut"), [(4, 1, False), (0, 1, True)])
def test_a_directory_that_nearly_all_pages_share_is_no_kind_if_others_are_built_alike(
    alike: int, like: int, is_cut: bool
) -> None:
    """So many of the eight others have all six marks of the samples, the rest *like* of them."""
    paths = [f"/app/{n}" for n in range(60)] + [f"/x{n}/{n}" for n in range(8)]
    marks = [frozenset("abcdef")] * (60 + alike) + [frozenset("abcdef"[:like])] * (8 - alike)
    matrix = FeatureMatrix([words_of(row_of(SITE + path)) for path in paths], marks, [0, 1])
    cut = structure(matrix, matrix.everywhere, lambda kept, dropped: True)
    assert (cut is not None) == is_cut


def test_a_directory_that_most_fetched_pages_share_is_that_of_the_samples_by_chance() -> None:
    """Of others that are known, as many as there are, few were fetched; and the first page is like the samples."""
    counts = {"sys": 30, "io": 5, "str": 5}
    pages = {
        f"/{unit}/t{n}x.html": CLASS.html(f"T{n} {len(unit)}") for unit, count in counts.items() for n in range(count)
    }
    known = [f"/{unit}/t{n}x.html" for unit in ("io", "str", "math", "text") for n in range(60)]
    links = [*pages, *known]
    crawled = [stored("/", CLASS.html("Start", links=links), links, 0)]
    crawled += [stored(path, html, ["/"]) for path, html in pages.items()]
    samples = tuple((f"{SITE}/sys/t{n}x.html", fields(CLASS, f"T{n} 3")) for n in (3, 8))
    knowledge = learn_site(LearnTask("api", (f"{SITE}/",), samples=samples), crawled)
    assert taken(knowledge, links) == set(links)


@pytest.mark.parametrize(
    ("count", "have", "is_refused"),
    [
        pytest.param(12, "abcx", True, id="with something of their own"),
        pytest.param(12, "abc", False, id="with less alone"),
        pytest.param(12, "abcdefgx", False, id="with all and more"),
        pytest.param(6, "abcx", False, id="few"),
    ],
)
def test_pages_beside_others_with_an_ending_more_are_refused(count: int, have: str, is_refused: bool) -> None:
    """`q3-obsolete` beside `q3`; every second page lacks something, and others as much as these."""
    paths = [f"/q{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(40)]
    besides = [f"{path}-obsolete" for path in paths[: 2 * count : 2]]
    marks = [frozenset("abcdefg"[: 7 - n % 5]) for n in range(40)] + [frozenset(have)] * count
    matrix = FeatureMatrix([words_of(row_of(f"{SITE}{path}.html")) for path in (*paths, *besides)], marks, [0, 5])
    rule, _ = decide(matrix, lambda kept, dropped: True, lambda kept, dropped: True)
    assert any("obsolete" in word.value for word in rule.refused) == is_refused


def test_the_words_that_two_samples_hardly_unlike_begin_with_are_no_kind() -> None:
    """The second sample is all but a copy of the first one; of a third page so is the half."""
    names = [f"Control-Monad-Writer-{end}" for end in ("Lazy", "Strict", "CPS")]
    names += [f"{first}-{second}-Of" for first in ("Control", "Data", "Text") for second in map(chr, range(97, 117))]
    own = frozenset(f"div>p.part>{letter}" for letter in "abcdefgh")
    marks = [own | {"main>h1"}] * 3 + [frozenset({"main>h1", f"div>table.{n % 3}>tr"}) for n in range(60)]
    matrix = FeatureMatrix([words_of(row_of(f"{SITE}/{name}.html")) for name in names], marks, [0, 1])
    assert structure(matrix, matrix.everywhere, lambda kept, left: False, lambda kept, left: True) is None

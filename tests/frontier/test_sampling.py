"""Classes of URLs and pages that give nothing but errors are left; those that give pages never are by a few errors."""

from __future__ import annotations

import pytest

from gwc_crawler.frontier.sampling import CLASS_ERRORS, ERRORS_A_PAGE, PAGE_ERRORS, Sampling, fair_share, url_form


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("http://a/dead/1", "http://a/dead/22", True),
        ("http://a/dead/1", "http://a/dead/x", False),
        ("http://a/dead/one-thing", "http://a/dead/another7", True),
        ("http://a/dead/1", "http://a/item/1", False),
        ("http://a/2019/07/x.html", "http://a/2024/12/y.html", True),
        ("http://a/x.html", "http://a/x.php", False),
        ("http://a/?id=1", "http://a/?id=2", True),
        ("http://a/?id=1", "http://a/?page=2", False),
        ("http://a:80/1", "http://b:80/1", False),
        ("http://a/dead/", "http://a/dead/1", False),
    ],
)
def test_forms(one: str, other: str, same: bool) -> None:
    assert (url_form(one) == url_form(other)) is same


def test_a_class_of_errors_is_spent_once_and_no_other() -> None:
    sampling = Sampling()
    spent = [sampling.note(f"http://a/dead/{n}", None, errors=1) for n in range(CLASS_ERRORS + 3)]
    assert spent.index(True) == CLASS_ERRORS - 1
    assert spent.count(True) == 1
    assert sampling.is_spent("http://a/dead/99")
    assert not sampling.is_spent("http://a/item/99")


def test_each_page_of_a_class_outweighs_errors() -> None:
    sampling = Sampling()
    for number in range(10):
        sampling.note(f"http://a/item/{number}", None, pages=1)
    for number in range(CLASS_ERRORS + 10 * ERRORS_A_PAGE - 1):
        sampling.note(f"http://a/item/{number}", None, errors=1)
    assert not sampling.is_spent("http://a/item/1")
    sampling.note("http://a/item/1", None, errors=1)
    assert sampling.is_spent("http://a/item/1")


def test_the_links_of_a_page_of_errors_are_doubtful_unless_their_class_gives_pages() -> None:
    sampling = Sampling()
    for number in range(PAGE_ERRORS):
        sampling.note(f"http://a/w{'x' * number}/1", 7, errors=1)
    assert sampling.is_doubtful("http://a/new/1", 7)
    assert not sampling.is_doubtful("http://a/new/1", 8)
    assert not sampling.is_doubtful("http://a/new/1", None)
    sampling.note("http://a/new/2", 9, pages=1)
    assert not sampling.is_doubtful("http://a/new/1", 7)


def test_a_fair_share_keeps_what_is_rare() -> None:
    dead = [f"http://a/dead/{n}" for n in range(10_000)]
    rare = [f"http://a/list/{n}" for n in range(20)]
    kept = fair_share([*dead, *rare], 100)
    assert len(kept) == 100
    assert kept[-20:] == rare
    assert kept[:80] == dead[:80]
    many = [f"http://a/{'x' * n}/1" for n in range(300)]
    assert len(fair_share(many, 100)) == 100
    assert fair_share(rare, 100) == rare

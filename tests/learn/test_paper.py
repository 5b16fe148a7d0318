"""The paper's clustering, regexes and choice of classes, on small sites written here."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable

import pytest

from gwc_crawler.errors import LearnError
from gwc_crawler.items import StoredPage
from gwc_crawler.learn.paper import choose_classes
from gwc_crawler.learn.targets.decisions import weight_threshold
from gwc_crawler.learn.targets.task import LearnTask
from gwc_crawler.learn.urls.clustering import cluster_one_pass, cluster_urls, similarity, threshold
from gwc_crawler.learn.urls.regex import url_regex

SHOP = "http://shop.example"


def stored(url: str, links: Iterable[str] = (), *, weight: int = 1, depth: int = 1) -> StoredPage:
    return StoredPage(url, url, b"<html></html>", "text/html", "utf-8", weight, depth, False, tuple(links))


def shop(products: int = 40) -> list[StoredPage]:
    lists = [f"{SHOP}/list/{number}" for number in range(1, 6)]
    items = [f"{SHOP}/item/{number}.html" for number in range(1, products + 1)]
    pages = [stored(f"{SHOP}/", [*lists, *items[:5]], weight=0, depth=0)]
    pages += [stored(url, [f"{SHOP}/", *items]) for url in lists]
    pages += [stored(url, [f"{SHOP}/"], weight=2) for url in items]
    return pages


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("http://a.example/shop/1", "http://a.example/shop/1", 3.0),
        ("http://a.example/shop/1", "http://a.example/shop/2", 2.5),
        ("http://a.example/shop/12", "http://a.example/shop/13", 2 + 1 / 1.5),
        ("http://a.example/shop/1", "http://b.example/shop/1", 0.0),
        ("http://a.example/shop/1", "http://a.example/shop", 0.0),
        ("http://a.example/shop?id=1", "http://a.example/shop?id=2", 1.0),
    ],
)
def test_similarity_is_the_papers_formula(first: str, second: str, expected: float) -> None:
    assert similarity(first, second) == pytest.approx(expected)


@pytest.mark.parametrize("count", range(1, 9))
def test_the_threshold_lies_in_the_range_of_the_similarity(count: int) -> None:
    assert count * (count + 1) / 4 < threshold(count) < count * (count + 1) / 2


def test_the_shortened_comparison_gives_the_same_clusters_as_the_definition() -> None:
    draw = random.Random(5)
    words = ["shop", "item", "food", "chengdu", "beijing", "a1", "a2", "review", "photo", "12345", "98", "x-y"]
    urls = [f"http://a.example/{'/'.join(draw.choices(words, k=draw.randint(0, 3)))}" for _ in range(150)]
    expected: list[list[str]] = []
    for url in urls:
        count = len([part for part in url.split("/")[3:] if part])
        for cluster in expected:
            mean = sum(similarity(url, other) for other in cluster) / len(cluster)
            if mean and mean >= threshold(count) - 1e-9:
                cluster.append(url)
                break
        else:
            expected.append([url])
    assert cluster_one_pass(urls) == expected


@pytest.mark.timeout(120)
def test_four_thousand_urls_are_clustered() -> None:
    draw = random.Random(7)
    urls = [f"http://a.example/{draw.choice(['shop', 'item'])}/{draw.getrandbits(60):x}.html" for _ in range(4000)]
    clusters = cluster_urls(urls, mode="paper")
    assert sum(len(cluster.urls) for cluster in clusters) == 4000


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["/shop/1", "/shop/22.html"], r"/shop/[0-9]+(\.[a-zA-Z]+)?/?"),
        (["/chengdu/food", "/beijing/food"], r"/[a-zA-Z]+/food(\.[a-zA-Z]+)?/?"),
        (["/search/category/8/10/g110", "/search/category/8/20/r7"], r"/search/category/8/[0-9]+/\w+(\.[a-zA-Z]+)?/?"),
        (["/a-b/x", "/c.d/x"], r"/[^/?]+/x(\.[a-zA-Z]+)?/?"),
        (["/v1.2/x?id=1", "/v1.2/x?id=2"], r"/v1\.2/x(\.[a-zA-Z]+)?/?\?id=[0-9]+"),
        (["/x?by=name&page=1", "/x?by=name&page=2"], r"/x(\.[a-zA-Z]+)?/?\?by=name&page=[0-9]+"),
        (["/x?q=a-b", "/x?q=c%2Fd", "/x"], r"/x(\.[a-zA-Z]+)?/?(\?q=[^&]+)?"),
        (["/x?id=1", "/x?id=2&print"], r"/x(\.[a-zA-Z]+)?/?\?(id=[0-9]+|print)(&(id=[0-9]+|print))*"),
        (["/"], "/?"),
    ],
)
def test_regexes_follow_the_rule_table(paths: list[str], expected: str) -> None:
    assert url_regex("http://www.dianping.com" + path for path in paths) == r"http://www\.dianping\.com" + expected


def test_a_regex_of_no_urls_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        url_regex([])


def test_pages_with_few_links_give_the_target_class_and_the_rest_directories() -> None:
    choice = choose_classes(LearnTask("shop", (f"{SHOP}/",)), shop(), [])
    assert [one.regex for one in choice.targets] == [r"http://shop\.example/item/[0-9]+(\.[a-zA-Z]+)?/?"]
    assert choice.targets[0].size == 40
    assert [one.size for one in choice.directories] == [5, 1]
    assert choice.evidence["links"]["candidates"] == 40


def test_samples_outvote_the_largest_class() -> None:
    pages = shop() + [stored(f"{SHOP}/story/{number}", [f"{SHOP}/"]) for number in range(3)]
    samples = pages[-2:]
    task = LearnTask("shop", (f"{SHOP}/",), samples=tuple((page.url, {}) for page in samples))
    choice = choose_classes(task, pages, samples)
    assert [one.regex for one in choice.targets] == [r"http://shop\.example/story/[0-9]+(\.[a-zA-Z]+)?/?"]
    assert "the samples decided" in choice.warnings[0]


def test_a_given_target_regex_decides() -> None:
    task = LearnTask("shop", (f"{SHOP}/",), target=rf"{SHOP}/list/\d+")
    choice = choose_classes(task, shop(), [])
    assert [one.size for one in choice.targets] == [5]
    assert max(one.size for one in choice.directories) == 40


@pytest.mark.parametrize(("target", "message"), [("(", "no regular expression"), ("/list/", "matches none")])
def test_a_useless_target_regex_is_explained(target: str, message: str) -> None:
    with pytest.raises(LearnError, match=message):
        choose_classes(LearnTask("shop", (f"{SHOP}/",), target=target), shop(), [])


def test_at_most_ten_directory_classes_are_kept() -> None:
    others = [stored(f"{SHOP}/{name * 5}/x/{number}", [SHOP] * 99) for name in "abcdefghijklmno" for number in range(3)]
    choice = choose_classes(LearnTask("shop", (f"{SHOP}/",)), [*shop(), *others], [])
    assert len(choice.directories) == 10
    assert all(re.fullmatch(one.regex, one.examples[0]) for one in choice.directories)


@pytest.mark.parametrize(
    ("weights", "expected"), [([0, 0, 0], 1), ([1, 2], 2), ([2, 2, 3], 2), ([0, 1, 1, 1], 1), ([4, 5], 5)]
)
def test_the_weight_threshold_is_the_rounded_mean_and_at_least_one(weights: list[int], expected: int) -> None:
    pages = [stored(f"{SHOP}/{number}", weight=weight) for number, weight in enumerate(weights)]
    assert weight_threshold(pages)["chosen"] == expected

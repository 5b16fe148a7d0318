"""The pattern tree and its regexes: URL forms where comparing segments one by one goes wrong."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from itertools import permutations
from urllib.parse import quote

import pytest

from gwc_crawler.learn.urls.clustering import cluster_urls
from gwc_crawler.learn.urls.tree import _common_depth

SITE = "http://s.example"
WORDS = ["river", "stone", "amber", "kettle", "maple", "spoon", "garden", "lamp"]
WORDS += ["paper", "window", "harbour", "silver", "copper", "linen", "basket", "candle"]
CITIES = ["beijing", "shanghai", "chengdu", "xian", "wuhan", "tianjin"]
CITIES += ["nanjing", "suzhou", "hefei", "jinan", "dalian", "ningbo"]


class Draw(random.Random):
    """Random parts of URLs."""

    def slug(self, words: int = 3) -> str:
        return "-".join(self.choice(WORDS) for _ in range(words))

    def number(self, top: int = 9999) -> int:
        return self.randint(1, top)


def patterns(urls: list[str]) -> set[str]:
    return {cluster.regex.removeprefix(r"http://s\.example") for cluster in cluster_urls(urls)}


CASES: dict[str, tuple[Callable[[Draw], list[str]], set[str]]] = {
    "early segments vary": (
        lambda draw: (
            [f"{SITE}/{draw.slug()}/{draw.slug(2)}/{draw.number(10**9)}/pd/{draw.number()}" for _ in range(250)]
            + [f"{SITE}/browse/{draw.slug(2)}/{draw.number()}" for _ in range(60)]
        ),
        {r"/[\w-]+/[\w-]+/[0-9]+/pd/[0-9]+", "/browse/[^/?]+/[0-9]+"},
    ),
    "many directories for one class": (
        lambda draw: (
            [f"{SITE}/{city}/shop/{draw.number()}" for city in CITIES for _ in range(12)]
            + [f"{SITE}/{city}/food" for city in CITIES]
        ),
        {"/[^/?]+/shop/[0-9]+", "/[^/?]+/food"},
    ),
    "only the query differs": (
        lambda draw: (
            [f"{SITE}/view.php?id={draw.number()}" for _ in range(50)]
            + [f"{SITE}/view.php?cat={draw.number()}&page={draw.number()}" for _ in range(40)]
            + [f"{SITE}/index.php?action={action}&id={draw.number()}" for action in ("show", "edit") for _ in range(20)]
        ),
        {
            r"/view\.php\?id=[0-9]+",
            r"/view\.php\?cat=[0-9]+&page=[0-9]+",
            r"/index\.php\?action=show&id=[0-9]+",
            r"/index\.php\?action=edit&id=[0-9]+",
        },
    ),
    "numbers and words": (
        lambda draw: (
            [f"{SITE}/news/{draw.number()}" for _ in range(30)] + [f"{SITE}/news/{draw.slug()}" for _ in range(30)]
        ),
        {"/news/[0-9]+", "/news/[^/?]+"},
    ),
    "percent-encoded Chinese": (
        lambda draw: [
            f"{SITE}/{quote(section)}/{quote(''.join(draw.choices('红绿白茶壶杯碗盘花瓶', k=4)))}"
            for section in ("商品", "分类")
            for _ in range(40)
        ],
        {f"/{quote('商品')}/[^/?]+", f"/{quote('分类')}/[^/?]+"},
    ),
    "file extensions": (
        lambda draw: (
            [f"{SITE}/a/{draw.number()}.html" for _ in range(30)] + [f"{SITE}/a/{draw.number()}.pdf" for _ in range(10)]
        ),
        {r"/a/[0-9]+\.html", r"/a/[0-9]+\.pdf"},
    ),
    "prefixes in one directory": (
        lambda draw: [f"{SITE}/tags/{kind}_{draw.slug(2)}.asp" for kind in ("tag", "att") for _ in range(30)],
        {r"/tags/tag_[^/?]+\.asp", r"/tags/att_[^/?]+\.asp"},
    ),
    "prefixes without a delimiter": (
        lambda draw: [f"{SITE}/{kind}{draw.number()}.html" for kind in ("item", "list") for _ in range(30)],
        {r"/item[0-9]+\.html", r"/list[0-9]+\.html"},
    ),
    "dates and titles": (
        lambda draw: [
            f"{SITE}/{draw.randint(2010, 2024)}/{draw.randint(1, 12):02d}/{draw.slug()}.html" for _ in range(300)
        ],
        {r"/[0-9]+/[0-9]+/[\w-]+\.html"},
    ),
    "titles that begin alike": (
        lambda draw: [f"{SITE}/{draw.choice(['the', 'a', 'how-to', 'why', 'my'])}-{draw.slug()}" for _ in range(300)],
        {r"/[\w-]+"},
    ),
    "a list and its pages": (
        lambda _: [f"{SITE}/list/{word}/" for word in WORDS] + [f"{SITE}/list/river/{page}/" for page in range(2, 9)],
        {"/list/[^/?]+/", "/list/river/[0-9]+/"},
    ),
}


@pytest.mark.parametrize("description", CASES)
def test_url_forms_are_told_apart(description: str) -> None:
    make, expected = CASES[description]
    assert patterns(make(Draw(3))) == expected


@pytest.mark.parametrize("description", CASES)
@pytest.mark.parametrize("mode", ["paper", "best"])
def test_every_url_is_in_one_cluster_and_matches_its_regex(description: str, mode: str) -> None:
    urls = CASES[description][0](Draw(4))
    clusters = cluster_urls(urls, mode=mode)
    assert sorted(url for cluster in clusters for url in cluster.urls) == sorted(set(urls))
    for cluster in clusters:
        assert all(re.fullmatch(cluster.regex, url) for url in cluster.urls)


def test_several_hosts_of_a_site_are_classes_of_their_own_but_many_are_one() -> None:
    draw = Draw(5)
    few = [f"http://{host}.s.example/item/{draw.number()}" for host in ("www", "shop") for _ in range(20)]
    many = [f"http://{city}.s.example/item/{draw.number()}" for city in CITIES for _ in range(8)]
    assert len(cluster_urls(few)) == 2
    assert [cluster.regex for cluster in cluster_urls(many)] == [r"http://[\w.-]+\.s\.example/item/[0-9]+"]


def test_numbers_of_any_length_are_admitted() -> None:
    (cluster,) = cluster_urls(f"{SITE}/item/{number}" for number in range(1000, 1100))
    for number in ("7", "123", "12345678"):
        assert re.fullmatch(cluster.regex, f"{SITE}/item/{number}")


@pytest.mark.parametrize(
    "url", [f"{SITE}/item/12/reviews", f"{SITE}/item/", f"{SITE}/item/12?print=1", f"{SITE}/shop/12"]
)
def test_regexes_admit_no_other_form(url: str) -> None:
    (cluster,) = cluster_urls(f"{SITE}/item/{number}" for number in range(100))
    assert not re.fullmatch(cluster.regex, url)


def test_extension_and_slash_are_optional_only_where_seen() -> None:
    mixed = cluster_urls([f"{SITE}/a{'/' * (number % 2)}" for number in range(2)])
    assert {cluster.regex for cluster in mixed} == {r"http://s\.example/a", r"http://s\.example/a/"}


@pytest.mark.dear
@pytest.mark.timeout(120)
def test_forty_thousand_urls_are_clustered() -> None:
    draw = Draw(6)
    urls = [f"{SITE}/{draw.choice(WORDS)}/{draw.choice(['a', 'b', 'c'])}_{draw.slug(4)}.asp" for _ in range(25_000)]
    urls += [f"{SITE}/{draw.choice(CITIES)}/shop/{draw.number()}?page={draw.number(30)}" for _ in range(15_000)]
    assert sum(len(cluster.urls) for cluster in cluster_urls(urls)) == len(set(urls))


def test_the_words_that_all_begin_with_do_not_hang_on_the_order_of_a_set() -> None:
    values = ["Encode12", "Encode12.html", "Encode12.x"]
    assert {_common_depth(order) for order in permutations(values)} == {len("Encode")}

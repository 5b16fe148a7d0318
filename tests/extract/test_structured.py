"""Structured data: addresses and values of each family, malformed and hostile pages."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html as lxml_html

from gwc_crawler.extract.structured import StructuredData, clean_text


def tree_of(body: str) -> Any:
    return lxml_html.document_fromstring(f"<html><body>{body}</body></html>")


def jsonld(*documents: object) -> Any:
    return tree_of("".join(f'<script type="application/ld+json">{json.dumps(one)}</script>' for one in documents))


RECIPE = {
    "@context": "https://schema.org",
    "@type": ["Recipe", "NewsArticle"],
    "name": "Dan Dan",
    "author": {"@id": "#/me"},
    "recipeIngredient": ["5 g salt", "1 &quot;big&quot; egg"],
    "recipeInstructions": [
        {"@type": "HowToSection", "itemListElement": [{"@type": "HowToStep", "text": "Mix &amp;amp; rest"}, "Cook"]},
        {"@type": "HowToStep", "name": "Serve", "text": "<p>Serve<br>hot</p>"},
    ],
    "prepTime": 11.50,
    "isFree": True,
}
GRAPH = {"@graph": [RECIPE, {"@type": "Person", "@id": "#/me", "name": "Stephanie"}]}


@pytest.mark.parametrize(
    ("address", "values"),
    [
        ("jsonld:Recipe/name", ["Dan Dan"]),
        ("jsonld:NewsArticle/name", ["Dan Dan"]),
        ("jsonld:Recipe/author/name", ["Stephanie"]),
        ("jsonld:Person/name", ["Stephanie"]),
        ("jsonld:Recipe/recipeIngredient", ["5 g salt", '1 "big" egg']),
        ("jsonld:Recipe/recipeInstructions/text", ["Serve hot"]),
        ("jsonld:Recipe/recipeInstructions//", ["Mix & rest", "Cook", "Serve hot"]),
        ("jsonld:Recipe/prepTime", ["11.5"]),
        ("jsonld:Recipe/isFree", ["true"]),
        ("jsonld:Recipe/absent", []),
        ("jsonld:Product/name", []),
        ("unknown:Recipe/name", []),
        ("", []),
    ],
)
def test_a_jsonld_address_gives_its_values(address: str, values: list[str]) -> None:
    assert StructuredData(jsonld(GRAPH)).get(address) == values


def test_a_number_keeps_the_form_the_page_has() -> None:
    tree = tree_of('<script type="application/ld+json">{"@type": "Offer", "price": 11.50}</script>')
    assert StructuredData(tree).get("jsonld:Offer/price") == ["11.50"]


def test_every_address_gives_what_it_was_listed_with() -> None:
    data = StructuredData(jsonld(GRAPH))
    assert data.values()
    assert all(data.get(address) == values for address, values in data.values().items())


def test_the_first_item_of_a_type_is_the_main_one_and_a_star_means_all() -> None:
    tree = jsonld([{"@type": "Product", "name": "Main"}, {"@type": "Product", "name": "Other", "sku": "2"}])
    assert StructuredData(tree).get("jsonld:Product/name") == ["Main"]
    assert StructuredData(tree).get("jsonld:Product/sku") == ["2"]
    assert StructuredData(tree).get("jsonld:Product*/name") == ["Main", "Other"]


def test_a_block_written_twice_counts_once() -> None:
    tree = jsonld({"@type": "Product", "name": "A"}, {"@type": "Product", "name": "A"})
    assert StructuredData(tree).get("jsonld:Product*/name") == []
    assert StructuredData(tree).get("jsonld:Product/name") == ["A"]


@pytest.mark.parametrize(
    ("script", "names"),
    [
        ('<!-- {"@type": "A", "name": "x"} -->', ["x"]),
        ('//<![CDATA[\n{"@type": "A", "name": "x"}\n//]]>', ["x"]),
        ('{"@type": "A", "name": "x",}', ["x"]),
        ('{"@type": "A", "name": "a\nb"}', ["a b"]),
        ('{"@type": "A", "name": "x"} {"@type": "B"}', ["x"]),
        ('{"@type": "A", "name": "x"};', ["x"]),
        ('{"@type": "https://schema.org/A", "http://schema.org/name": {"@value": "x"}}', ["x"]),
        ('{"@type": "A", "name": null}', []),
        ('{"@type": "A", "name": "x"', []),
        ("", []),
        ("[[[[" * 50_000, []),
        ('{"a":' * 100_000, []),
        ("{}" * 100_000, []),
    ],
    ids=range(13),
)
def test_what_is_not_quite_json_is_read_or_passed_over(script: str, names: list[str]) -> None:
    tree = tree_of(f'<script type="application/ld+json">{script}</script>')
    assert StructuredData(tree).get("jsonld:A/name") == names


@pytest.mark.timeout(60)
def test_items_that_refer_to_each_other_end() -> None:
    ring = [
        {"@id": f"#{n}", "@type": "T", "name": f"n{n}", "next": [{"@id": f"#{m}"} for m in range(30)]}
        for n in range(30)
    ]
    values = StructuredData(jsonld({"@graph": ring})).values()
    assert values["jsonld:T/name"] == ["n0"]


MICRODATA = """
<div itemscope itemtype="http://schema.org/Product" itemref="more">
  <h1 itemprop="name">Thor <!-- not this --><script>nor()</script><b>One</b></h1>
  <img itemprop="image" src="/1.jpg">
  <a itemprop="url" href="/p/1">link</a>
  <div itemprop="offers" itemscope itemtype="http://schema.org/Offer">
    <span itemprop="price" content="11.48">$11.48</span> <time itemprop="until" datetime="2026-01-02">soon</time>
  </div>
  <div itemprop="review" itemscope><i itemprop="author">Ann</i> <q itemprop="text good">Fine</q></div>
  <div itemprop="review" itemscope><q itemprop="text">Dull</q></div>
</div>
<p id="more"><span itemprop="sku">77</span></p><p itemprop="stray">no scope</p>
"""


@pytest.mark.parametrize(
    ("address", "values"),
    [
        ("microdata:Product/name", ["Thor One"]),
        ("microdata:Product/image", ["/1.jpg"]),
        ("microdata:Product/url", ["/p/1"]),
        ("microdata:Product/offers/price", ["11.48"]),
        ("microdata:Product/offers/until", ["2026-01-02"]),
        ("microdata:Product/review/text", ["Fine", "Dull"]),
        ("microdata:Product/review/good", ["Fine"]),
        ("microdata:Product/sku", ["77"]),
        ("microdata:Offer/price", []),
    ],
)
def test_a_microdata_address_gives_its_values(address: str, values: list[str]) -> None:
    assert StructuredData(tree_of(MICRODATA)).get(address) == values


def test_rdfa_is_read_like_microdata() -> None:
    tree = tree_of('<p vocab="http://schema.org/" typeof="Person"><b property="schema:name">Ann</b></p>')
    assert StructuredData(tree).get("rdfa:Person/name") == ["Ann"]


def test_meta_and_link_addresses() -> None:
    tree = tree_of(
        '<meta property="og:title" content=" Thor "><meta name="Keywords" content="a, b，c">'
        '<meta property="article:tag" content="x"><meta property="article:tag" content="y">'
        '<meta name="empty" content=""><link rel="canonical" href="/p/1"><link rel="stylesheet" href="/s.css">'
    )
    assert StructuredData(tree).values() == {
        "meta:og:title": ["Thor"],
        "meta:keywords": ["a, b，c"],
        "meta:keywords|commas": ["a", "b", "c"],
        "meta:article:tag": ["x", "y"],
        "link:canonical": ["/p/1"],
    }


def test_markup_inside_an_attribute_is_taken_out() -> None:
    tree = tree_of(
        '<div itemscope itemtype="x/Recipe"><meta itemprop="step" content="&lt;p&gt;Mix&amp;nbsp;it&lt;/p&gt;">'
    )
    assert StructuredData(tree).get("microdata:Recipe/step") == ["Mix it"]


def test_steps_in_one_text_are_cut_at_lines_and_block_tags() -> None:
    tree = jsonld({"@type": "Recipe", "recipeInstructions": "<p>One</p>\n<p>Two, <b>now</b></p>Three"})
    assert StructuredData(tree).get("jsonld:Recipe/recipeInstructions|lines") == ["One", "Two, now", "Three"]


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("plain", "plain"),
        ("1 &lt; 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ("&quot;x&quot; &amp;amp; y", '"x" & y'),
        ("a<br/>b", "a\nb"),
        ("a <i class='x'>b</i>", "a b"),
    ],
)
def test_texts_in_json_lose_entities_and_tags_only(text: str, clean: str) -> None:
    assert clean_text(text) == clean


def test_hostile_pages_cost_a_bounded_amount() -> None:
    nested = "<div itemscope itemprop='a'>" * 20_000
    texts = "<i itemprop='b'>x" * 20_000
    script = '<script type="application/ld+json">{"@type": "A", "b": "%s"}</script>'
    pages = [
        f"<div itemscope>{texts}",
        nested,
        script % ("<!--" * 100_000),
        script % (" " * 500_000 + "x"),
        script % ("<p" * 200_000),
        "<meta name='k' content='%s'>" % ("," * 300_000),
    ]
    for page in pages:
        tree = lxml_html.document_fromstring(page, parser=lxml_html.HTMLParser(huge_tree=True))
        StructuredData(tree).values()


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["@type", "@id", "@graph", "name", "itemListElement", "a/b", ""]), inner, max_size=4
        )
    ),
    max_leaves=30,
)


@settings(max_examples=150, deadline=None)
@given(json_values)
def test_any_json_gives_consistent_addresses(value: object) -> None:
    data = StructuredData(tree_of(f'<script type="application/ld+json">{json.dumps(value)}</script>'))
    for address, values in data.values().items():
        assert values
        assert data.get(address) == values

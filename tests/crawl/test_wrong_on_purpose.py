"""Site files that are wrong on purpose: the report or the error says what is wrong, in words one can act on."""

from __future__ import annotations

import pytest

from tests.conftest import Outcome, Project
from tests.shop_site import product, put_products
from tests.site_server import SiteServer

PRODUCTS = 24
STORIES = 12


@pytest.fixture
def shop(site: SiteServer) -> SiteServer:
    """Products, a list of them all, and stories that are built otherwise."""
    put_products(site, PRODUCTS)
    site.links["/"] = [*site.links["/"], "/stories/"]
    site.links["/stories/"] = [f"/stories/{number}.html" for number in range(STORIES)]
    for number in range(STORIES):
        text = "".join(
            f"<section><p>Paragraph {part} of what happened on day {number}.</p></section>" for part in "abc"
        )
        site.bodies[f"/stories/{number}.html"] = (
            f"<html><head><title>Story</title></head><body><article><header><h2>Story {number}</h2></header>"
            f"{text}<footer>Comments are closed</footer></article></body></html>".encode(),
            "text/html; charset=utf-8",
        )
    return site


def write(project: Project, site: SiteServer, *samples: tuple[str, str], entry: str = "/") -> None:
    """Write a site file with samples: an address and the fields as TOML."""
    shown = "".join(f'[[samples]]\nurl = "{site.url}{path}"\nfields = {{ {fields} }}\n' for path, fields in samples)
    project.write_site("shop", f'entry = ["{site.url}{entry}"]\n{shown}[learn]\npages = 60\n')


def good(number: int) -> tuple[str, str]:
    return f"/item/{number}", f'title = "Product number {number}", price = "${number}.50"'


def said(outcome: Outcome) -> str:
    """All that was printed, without the breaks of lines."""
    return " ".join(f"{outcome.out} {outcome.err}".split())


def test_good_samples_raise_no_doubt(project: Project, shop: SiteServer) -> None:
    write(project, shop, good(3), good(7))
    outcome = project.scrapy("learn", "shop")
    assert outcome.code == 0
    assert "; sure of the targets" in said(outcome)
    assert "to do nothing; all that was learned: scrapy learn shop --offline --verbose" in said(outcome)


def test_samples_of_two_kinds_are_named(project: Project, shop: SiteServer) -> None:
    write(project, shop, good(3), ("/stories/4.html", 'title = "Story 4"'))
    outcome = project.scrapy("learn", "shop")
    assert f"the samples {shop.url}/item/3 and {shop.url}/stories/4.html look like pages of two kinds" in said(outcome)
    assert "; unsure of the targets" in said(outcome)
    assert "unsure the samples look like pages of two kinds, see" in said(outcome)


def test_a_sample_that_is_a_directory_is_named(project: Project, shop: SiteServer) -> None:
    write(project, shop, good(3), ("/", 'title = "/"'))
    outcome = project.scrapy("learn", "shop")
    assert f"the sample {shop.url}/ looks like a directory: it leads to {PRODUCTS} pages" in said(outcome)
    assert f"like the sample {shop.url}/item/3" in said(outcome)


def test_a_crawl_by_a_guess_says_so_again(project: Project, shop: SiteServer) -> None:
    write(project, shop, good(3), ("/", 'title = "/"'))
    project.scrapy("learn", "shop")
    told = said(project.scrapy("crawl", "shop"))
    assert "which pages are targets is a guess site=shop because='a sample looks like a list, not like a" in told
    assert "mend what makes it one, or set [learn] target, then `scrapy learn shop`" in told


def test_a_mistyped_value_is_named_with_what_stands_there(project: Project, shop: SiteServer) -> None:
    write(project, shop, good(3), ("/item/7", 'title = "Produkt number 7", price = "$7.50"'))
    for command in ("learn", "crawl"):
        outcome = project.scrapy(command, "shop")
        assert outcome.code == 4
        assert "field 'title': the value 'Produkt number 7' is nowhere on" in said(outcome)
        assert f"{shop.url}/item/7; the closest text there is 'Product number 7'" in said(outcome)
    assert not (project.directory / "data" / "shop" / "crawl.db").exists()


def test_targets_behind_a_form_are_not_guessed(project: Project, site: SiteServer) -> None:
    site.links = {"/": ["/about"], "/about": ["/"]}
    site.texts["/"] = '<form action="/find"><input name="title"><button>Find</button></form>'
    for number in range(PRODUCTS):
        site.bodies[f"/item/{number}"] = product(number)
    write(project, site, good(3), good(7))
    outcome = project.scrapy("crawl", "shop")
    assert "no link leads to a target: of 4 pages only the samples themselves are like them" in said(outcome)
    assert f"{site.url}/ has a form, and what stands behind one is not reached" in said(outcome)
    assert "give pages with links to targets as `entry`" in said(outcome)
    assert "is a guess site=shop because='no link leads to a target, see the warnings'" in said(outcome)
    records = {url for (url,) in project.rows("SELECT url FROM records_shop", name="shop")}
    assert records == {f"{site.url}/item/3", f"{site.url}/item/7"}


def test_a_value_that_is_half_of_a_text_is_named(project: Project, shop: SiteServer) -> None:
    write(project, shop, ("/item/3", 'title = "Product"'), good(7))
    outcome = said(project.scrapy("learn", "shop"))
    assert f"field 'title' on {shop.url}/item/3: 'Product' is a part of 'Product number 3'; give the whole" in outcome
    assert f"on {shop.url}/item/7: 'Product number 7' is a part" not in outcome


def test_a_list_in_another_order_is_told(project: Project, shop: SiteServer) -> None:
    for number in range(PRODUCTS):
        body, kind = shop.bodies[f"/item/{number}"]
        tags = "".join(f"<li>{word} {number}</li>" for word in ("red", "blue", "wide"))
        shop.bodies[f"/item/{number}"] = body.replace(b"</body>", f"<ul>{tags}</ul></body>".encode()), kind
    write(project, shop, ("/item/3", 'tags = ["wide 3", "red 3", "blue 3"]'), ("/item/7", 'tags = ["red 7", "blue 7"]'))
    outcome = said(project.scrapy("learn", "shop"))
    assert 'but the sample says \'["wide 3", "red 3", "blue 3"]\'; give the items in the order in which' in outcome


def test_a_value_behind_its_label_is_no_half_of_a_text(project: Project, shop: SiteServer) -> None:
    for number in range(PRODUCTS):
        body, kind = shop.bodies[f"/item/{number}"]
        lines = f"<p>Was: ${number}.90</p><p>Online: ${number}.20</p></body>"
        shop.bodies[f"/item/{number}"] = body.replace(b"</body>", lines.encode()), kind
    write(project, shop, ("/item/3", 'old = "$3.90"'), ("/item/7", 'old = "$7.20"'))
    outcome = said(project.scrapy("learn", "shop"))
    assert "but the sample says" in outcome
    assert "is a part of" not in outcome


@pytest.mark.parametrize("forbidden", [True, False])
def test_pages_that_ask_not_to_follow_their_links_are_named(
    project: Project, site: SiteServer, *, forbidden: bool
) -> None:
    put_products(site, PRODUCTS)
    meta = f'<meta name="robots" content="noindex{",nofollow" if forbidden else ""}"></head>'.encode()
    for number in range(PRODUCTS):
        body, kind = site.bodies[f"/item/{number}"]
        site.bodies[f"/item/{number}"] = body.replace(b"</head>", meta), kind
    links = "".join(f'<a href="/item/{number}">{number}</a>' for number in range(PRODUCTS)).encode()
    site.bodies["/"] = b"<html><head><title>Shop</title>" + meta + b"<body>" + links, "text/html"
    write(project, site, good(3), good(7))
    outcome = project.scrapy("learn", "shop")
    assert ("ask robots not to follow their links (meta robots" in said(outcome)) == forbidden
    assert ("unsure pages ask not to follow their links" in said(outcome)) == forbidden

"""What is made of the selectors of a site file: right, mistyped, those that find nothing, those that find several."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gwc_crawler.crawl.data_files import learn_task
from gwc_crawler.errors import SiteFileError
from gwc_crawler.extract.wrapper import Wrapper
from gwc_crawler.items import StoredPage
from gwc_crawler.learn.site import learn_site
from gwc_crawler.sites.site_files import load_site
from tests.conformance.table import Case

TITLE = "Selectors in site files"
ABOUT = """
A site file with the lines of each case below `[fields.x]`, which begins in line 3, is learned from on a shop of 24
product pages, of which half are looked at. Each has a heading, a price, two sizes, an address, a list of reviews, and
JSON in two scripts. "Refused" is before the first request; "reads" tells on how many pages, and what on the page of
product 7; "several" on how many a text stands more than once, of which the first is taken; "warned" that the report
says so.
"""

HEAD = "entry = ['https://shop.example/']\nlearn = { target = 'https://shop.example/p/[0-9]+' }\n[fields.x]\n"

PRODUCTS = 24


def product(number: int) -> str:
    """The page of one product."""
    data = f'{{"name": "Product {number}", "offers": [{{"price": {number}.50}}, {{"price": {number}.99}}]}}'
    reviews = "".join(f"<li class='review'><b>{who}</b> <i>{number % 5} stars</i></li>" for who in ("Ann", "Bob"))
    return (
        f'<script type="application/ld+json">{data}</script><script id="state">var s = {data};</script>'
        f"<h1>\n Product {number} </h1><p class='price'>\n</p><p class='price'>$ {number}.50 <s>net</s></p>"
        f"<a class='more' href='../more?n={number}&amp;x'>more</a><u data-size='S'>S</u><u data-size='XL'>XL</u>"
        f"<ul>{reviews}</ul>"
    )


def cases(kind: str, rows: list[tuple[str, str, str]]) -> list[Case]:
    """Name the cases of one kind of selector."""
    return [Case(f"{kind}, {what}: {lines}", expected, lines) for what, lines, expected in rows]


ALL = "reads 12 of 12"
NONE = "reads 0 of 12, warned"

CASES: list[Case] = [
    *cases(
        "CSS",
        [
            ("an element", 'css = "h1"', f"{ALL}: Product 7"),
            ("its own text", 'css = "p.price::text"', f"{ALL}: $ 7.50"),
            ("an attribute", 'css = ".more::attr(href)"', f"{ALL}: https://shop.example/more?n=7&x"),
            ("mistyped", 'css = "h1::txt"', "refused at line 4, column 10"),
            ("cut off", 'css = "h1["', "refused at line 4, column 11"),
            ("an unknown pseudo-class", 'css = "h1:frist-child"', "refused at line 4, column 10"),
            ("finds nothing", 'css = "h2"', NONE),
            ("finds several", 'css = "u"', f"{ALL}, several on 12: S"),
            ("finds several, many", 'css = "u"\nmany = true', f"{ALL}: S, XL"),
        ],
    ),
    *cases(
        "XPath",
        [
            ("an element", 'xpath = "//h1"', f"{ALL}: Product 7"),
            ("its own text", "xpath = \"//p[@class='price']/text()\"", f"{ALL}: $ 7.50"),
            ("an attribute", "xpath = \"//a[@class='more']/@href\"", f"{ALL}: https://shop.example/more?n=7&x"),
            ("a number", 'xpath = "count(//u)"', f"{ALL}: 2"),
            ("mistyped", 'xpath = "//h1["', "refused at line 4, column 15"),
            ("an unknown function", "xpath = \"//p[contians(., '$')]\"", "refused at line 4, column 14"),
            ("a namespace", 'xpath = "//svg:text"', "refused at line 4, column 12"),
            ("a variable", 'xpath = "//p[$x]"', "refused at line 4, column 14"),
            ("finds nothing", 'xpath = "//h2"', NONE),
            ("finds several", 'xpath = "//u"', f"{ALL}, several on 12: S"),
            ("finds several, many", 'xpath = "//u"\nmany = true', f"{ALL}: S, XL"),
        ],
    ),
    *cases(
        "JMESPath",
        [
            ("in JSON-LD", 'jmespath = "name"', f"{ALL}: Product 7"),
            ("digits stay as they stand", 'jmespath = "offers[0].price"', f"{ALL}: 7.50"),
            ("in a script", 'css = "#state::text"\njmespath = "name"', f"{ALL}: Product 7"),
            ("mistyped", 'jmespath = "offers["', "refused at line 4, column 20"),
            ("an unknown function", 'jmespath = "lenght(name)"', "refused at line 4, column 13"),
            ("a name that wants quotes", 'jmespath = "a.@type"', "refused at line 4, column 15"),
            ("finds nothing", 'jmespath = "brand.name"', NONE),
            ("finds several", 'jmespath = "offers[].price"', f"{ALL}, several on 12: 7.50"),
            ("finds several, many", 'jmespath = "offers[].price"\nmany = true', f"{ALL}: 7.50, 7.99"),
        ],
    ),
    *cases(
        "Regex",
        [
            ("in the page's source", "regex = 'data-size=\"(XL)\"'", f"{ALL}: XL"),
            ("cuts what CSS selects", "css = 'p.price'\nregex = '[0-9.]+'", f"{ALL}: 7.50"),
            ("mistyped", "regex = '(XL'", "refused at line 4, column 10"),
            ("takes for ever", "regex = '(X+)+L'", "refused at line 4, column 10"),
            ("finds nothing", "regex = 'XXL'", NONE),
            ("finds several", "regex = 'data-size=\"(\\w+)\"'", f"{ALL}, several on 12: S"),
            ("finds several, many", "regex = 'data-size=\"(\\w+)\"'\nmany = true", f"{ALL}: S, XL"),
        ],
    ),
    *cases(
        "Records",
        [
            ("rows and parts", 'rows = ".review"\nparts.who = "b"', f"{ALL}: who Ann, who Bob"),
            ("of JSON", 'rows = {jmespath = "offers"}\nparts.in = {jmespath = "price"}', f"{ALL}: in 7.50, in 7.99"),
            ("a part of two kinds", 'rows = ".review"\nparts.stars = { css = "i", regex = "[0-9]" }',
             f"{ALL}: stars 2, stars 2"),
            ("mistyped rows", 'rows = ".review["\nparts.who = "b"', "refused at line 4, column 17"),
            ("a mistyped part", 'rows = ".review"\nparts.who = "b::txt"', "refused at line 5, column 15"),
            ("a part from the page's root", 'rows = ".review"\nparts.who = { xpath = "//b" }', "refused at line 5"),
            ("no parts", 'rows = ".review"', "refused at line 3"),
            ("no rows found", 'rows = ".opinion"\nparts.who = "b"', NONE),
            ("no part found", 'rows = ".review"\nparts.who = "em"', NONE),
        ],
    ),
    *cases(
        "Several selectors",
        [
            ("the first that finds something", 'css = ["h2", "h1", "u"]', f"{ALL}: Product 7"),
            ("of several kinds", 'css = "h2"\n[[fields.y]]\ncss = "h2"\n[[fields.y]]\njmespath = "name"',
             f"{NONE}; {ALL}: Product 7"),
            ("one of them mistyped", 'css = ["h2",\n "h1::txt"]', "refused at line 5, column 5"),
            ("none finds anything", 'css = ["h2", "h3"]', NONE),
            ("two kinds at once", 'css = "h1"\nxpath = "//h1"', "refused at line 5"),
            ("an unknown key", 'ccs = "h1"', "refused at line 4"),
            ("nothing at all", "many = true", "refused at line 3"),
        ],
    ),
]  # fmt: skip


@contextmanager
def serving() -> Iterator[Path]:
    """Give a directory for the site files."""
    with tempfile.TemporaryDirectory() as directory:
        yield Path(directory)


def outcome(case: Case, env: Path) -> str:
    """Load the site file, learn, read; say what came of it."""
    path = env / "shop.toml"
    path.write_text(HEAD + case.by + "\n", encoding="utf-8")
    try:
        site = load_site(path)
    except SiteFileError as error:
        assert len(error.problems) == 1, error
        line, text = error.problems[0]
        column = re.search(r", column (\d+)", text)
        return f"refused at line {line}" + (f", column {column[1]}" if column else "")
    knowledge = learn_site(learn_task(site), list(shop()))
    record = Wrapper.from_json(knowledge.wrapper).extract(product(7), "https://shop.example/p/7")
    said = []
    for name, row in knowledge.evidence["selectors"].items():
        is_told = "found on none of the unseen pages" in knowledge.evidence["fields"][name]["warnings"]
        several = f", several on {row['several']}" if row["several"] else ""
        value = f": {_shown(record[name])}" if row["read"] else ", warned" * is_told
        said.append(f"reads {row['read']} of {row['pages']}{several}{value}")
    return "; ".join(said)


def shop() -> Iterator[StoredPage]:
    """Yield the pages that a pre-crawl would have brought."""
    urls = [f"https://shop.example/p/{number}" for number in range(1, PRODUCTS + 1)]
    home = "".join(f"<a href='{url}'>{url}</a>" for url in urls)
    texts = {"https://shop.example/": home, **{url: product(number) for number, url in enumerate(urls, 1)}}
    for url, text in texts.items():
        links = tuple(urls) if text is home else ("https://shop.example/",)
        yield StoredPage(url, url, text.encode(), "text/html", "utf-8", 0, 1, text is not home, links)


def _shown(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(_shown, value))
    if isinstance(value, dict):
        return " ".join(f"{name} {text}" for name, text in value.items())
    return str(value)

"""The crawl's step: Page + Knowledge → Record."""

from __future__ import annotations

from dataclasses import replace

from gwc_crawler.extract.page_check import NO_FIELD
from gwc_crawler.extract.record import NO_KEYWORDS, extract_record
from gwc_crawler.items import Page, PageKind
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.learn.wrapper.learning import learn_wrapper
from gwc_crawler.modes import LearnMode
from gwc_crawler.page.parse import parse_html
from tests.extract.pages import URL, product, samples, word


def knowledge(**more: object) -> Knowledge:
    found = [{"title": f"Book {word(n)}", "isbn": f"978000000000{n}"} for n in (1, 2)]
    wrapper = learn_wrapper(samples(*found)).to_json()
    return Knowledge("shop", "best", (), (), 2, wrapper=wrapper, **more)  # type: ignore[arg-type]


def page(html: str | None, n: int = 5) -> Page:
    tree = None if html is None else parse_html(html)
    return Page(URL.format(n), 200, b"", "text/html", "utf-8", PageKind.TARGET, True, tree=tree)


def test_a_target_page_gives_its_record():
    record = extract_record(page(product(5)), knowledge())
    assert record.fields == {"title": f"Book {word(5)}", "isbn": "9780000000005"}
    assert record.problems == ()
    assert record.rejected is None


def test_a_field_that_should_be_there_is_a_problem():
    record = extract_record(page(product(5, isbn=None)), knowledge())
    assert record.fields["isbn"] is None
    assert [problem.field for problem in record.problems] == ["isbn"]


def test_a_page_that_is_no_html_has_no_fields():
    record = extract_record(page(None), knowledge())
    assert record.fields == {"title": None, "isbn": None}
    assert {problem.reason for problem in record.problems} == {"the page is not HTML"}


def test_a_page_of_another_category_is_rejected_with_the_reason():
    learned = knowledge(page_check={"fields": ["title", "isbn"], "least_fields": 1.0})
    record = extract_record(page("<html><body><h1>Other</h1></body></html>"), learned)
    assert record.rejected


def test_in_paper_mode_keywords_outside_links_part_pages_of_a_targets_url():
    words = knowledge(keywords='Books && "In stock"')
    published = replace(words, mode=LearnMode.PAPER)
    inside, linked = product(5), product(5)
    inside = inside.replace("</body>", "<p>Books: In stock</p></body>")
    linked = linked.replace("</body>", "<a href='/x'>Books: In stock</a></body>")
    assert extract_record(page(inside), published).rejected is None
    assert extract_record(page(linked), published).rejected == NO_KEYWORDS
    assert extract_record(page(linked), words).rejected is None


def test_in_paper_mode_a_page_without_any_field_is_no_record_though_it_has_the_keywords():
    published = replace(knowledge(keywords="Other"), mode=LearnMode.PAPER)
    record = extract_record(page("<html><body><h2>Other</h2></body></html>"), published)
    assert record.rejected == NO_FIELD

"""The mall is the same for ever, and its truth is what its bytes say."""

from __future__ import annotations

import hashlib
import re
from html import unescape

import pytest

from gwc_crawler.demo.mall import Mall
from tests.mall_truth import truth_of


@pytest.fixture(scope="module")
def mall() -> Mall:
    return Mall(seed=1, size=200)


def _bytes_of(mall: Mall) -> str:
    digest = hashlib.sha256()
    for path in sorted(truth_of(mall).in_scope):
        page = mall.page(path)
        assert page is not None, path
        digest.update(repr((path, page)).encode())
    return digest.hexdigest()


def _values(value: object) -> list[str]:
    if isinstance(value, list):
        return [text for member in value for text in _values(member)]
    if isinstance(value, dict):
        return list(value.values())
    return [] if value is None else [str(value)]


def _folded(text: str) -> str:
    return re.sub(r"\s+", " ", unescape(text))


def test_equal_seeds_give_equal_bytes(mall: Mall) -> None:
    assert _bytes_of(Mall(seed=1, size=200)) == _bytes_of(mall)


def test_another_seed_gives_another_mall(mall: Mall) -> None:
    assert not set(Mall(seed=2, size=200).records) & set(list(mall.records)[:20])


@pytest.mark.parametrize("size", [30, 57, 400])
def test_a_mall_has_the_products_it_was_asked_for(size: int) -> None:
    assert len(Mall(seed=3, size=size).records) == size


def test_a_mall_too_small_for_every_kind_of_page_is_refused() -> None:
    with pytest.raises(ValueError, match="30 to 400000"):
        Mall(size=29)


def test_every_value_of_every_record_stands_on_its_page(mall: Mall) -> None:
    for path, record in mall.records.items():
        text = _folded(mall.text(path))
        assert tuple(record) == truth_of(mall).fields
        assert [value for field in record.values() for value in _values(field) if value not in text] == [], path


def test_optional_fields_come_and_go_and_reviews_vary(mall: Mall) -> None:
    records = mall.records.values()
    for name in ("discount", "warranty"):
        assert 0.2 < sum(record[name] is None for record in records) / len(records) < 0.8
    assert {len(record["reviews"] or ()) for record in records} == set(range(9))


def test_an_absent_field_leaves_no_trace_on_the_page(mall: Mall) -> None:
    for path, record in mall.records.items():
        text = mall.text(path)
        assert ("Warranty" in text) == (record["warranty"] is not None), path
        assert ("<span class='discount'>" in text) == (record["discount"] is not None), path


def test_pages_come_in_three_charsets_declared_in_four_ways(mall: Mall) -> None:
    truth = truth_of(mall)
    assert {truth.charset[path] for path in truth.in_scope} == {"utf-8", "gbk", "big5"}
    assert {truth.declared[path] for path in truth.in_scope} == {"header", "meta", "both", "none"}
    for path in truth.in_scope - set(truth.redirects):
        page = mall.page(path)
        assert page is not None
        assert ("charset" in page.content_type) == (truth.declared[path] in ("header", "both"))


def test_item_numbers_are_not_sequential(mall: Mall) -> None:
    numbers = [int(path[6:-5]) for path in mall.records]
    assert numbers != sorted(numbers)
    assert not {number + 1 for number in numbers} & set(numbers)


def _reachable(mall: Mall, without: frozenset[str] = frozenset()) -> set[str]:
    """Follow every link and redirect but into the calendar, the forbidden area and *without*."""
    truth = truth_of(mall)
    found, waiting = {"/"}, ["/"]
    closed = truth.disallowed | without
    while waiting:
        path = waiting.pop()
        step = [truth.redirects[path][1]] if path in truth.redirects else list(truth.links.get(path, ()))
        for target in step:
            link = target.partition("?")[0]
            if link not in found and link not in closed and not link.startswith(truth.trap):
                found.add(link)
                waiting.append(link)
    return found


def test_what_is_in_scope_is_what_links_reach(mall: Mall) -> None:
    truth = truth_of(mall)
    assert _reachable(mall) == truth.in_scope | truth.info | {"/index.html"}


def test_islands_lie_behind_two_bridges(mall: Mall) -> None:
    truth = truth_of(mall)
    assert truth.islands <= truth.in_scope
    for first, second in zip(truth.bridges[::2], truth.bridges[1::2], strict=True):
        assert [path for path, links in truth.links.items() if second in links] == [first]
    for bridge in truth.bridges:
        assert not [link for link in truth.links[bridge] if link.startswith("/item/")]
    assert not _reachable(mall, frozenset(truth.bridges[1::2])) & truth.islands


def test_deep_products_are_reached_by_paging_only(mall: Mall) -> None:
    truth = truth_of(mall)
    assert len(truth.deep) >= 5
    last_pages = frozenset(path for path in truth.lists if re.fullmatch(r"/list/tea/[4-9]/", path))
    assert last_pages
    assert not _reachable(mall, last_pages) & truth.deep


def test_a_session_id_changes_the_address_but_not_the_page(mall: Mall) -> None:
    truth = truth_of(mall)
    assert len(truth.sessions) > 20
    ids = {target.partition("sid=")[2] for target in truth.sessions}
    assert len(ids) == len([path for path in truth.lists if path.startswith("/list/kitchen/")])
    for target, path in truth.sessions.items():
        assert path in truth.in_scope | truth.disallowed
        assert mall.page(target) is mall.page(path)


def test_lookalikes_have_a_products_address_and_frame_but_no_sku(mall: Mall) -> None:
    truth = truth_of(mall)
    assert len(truth.lookalikes) >= 20
    for path in truth.lookalikes:
        assert re.fullmatch(r"/item/\d+\.html", path)
        assert "<h1 class='name'>" in mall.text(path)
        assert "SKU" not in mall.text(path)


def test_dead_ends_and_redirects_answer_as_the_truth_says(mall: Mall) -> None:
    truth = truth_of(mall)

    def statuses(paths: frozenset[str]) -> set[int]:
        return {page.status for path in paths if (page := mall.page(path))}

    assert statuses(truth.soft404) == {200}
    assert statuses(truth.gone) == {404}
    for path, (status, target) in truth.redirects.items():
        page = mall.page(path)
        assert page is not None
        assert (page.status, page.location) == (status, target)
    assert {target in truth.records for target in (target for _, target in truth.redirects.values())} == {True, False}


def test_the_calendar_has_no_end(mall: Mall) -> None:
    path = "/calendar/2025/1/"
    for _ in range(50):
        page = mall.page(path)
        assert page is not None
        path = re.findall(rb"href='([^']+)'>Next month", page.body)[0].decode()
    assert path == "/calendar/2029/3/"


def test_pages_link_off_the_site_too(mall: Mall) -> None:
    assert truth_of(mall).outside["/"][0] == "http://partner.invalid/"


def test_an_unknown_path_is_no_page(mall: Mall) -> None:
    assert [mall.page(path) for path in ("/item/1.html", "/list/none/", "/calendar/x/1/", "/x")] == [None] * 4


def test_found_records_are_compared_with_the_truth(mall: Mall) -> None:
    truth = truth_of(mall)
    assert not truth.compare(truth.records)
    first, second, *_ = truth.records
    found = {path: dict(record) for path, record in truth.records.items() if path != second}
    found[first]["title"] = "wrong"
    found["/item/1.html"] = {}
    difference = truth.compare(found)
    assert (difference.missing, difference.surplus) == ((second,), ("/item/1.html",))
    assert difference.wrong == ((first, "title", truth.records[first]["title"], "wrong"),)
    absent = {path: {name: value or None for name, value in record.items()} for path, record in truth.records.items()}
    assert not truth.compare(absent)

"""The links of a site as a picture with figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from gwc_crawler.dashboard.queries import url_stats
from gwc_crawler.dashboard.queries.url_stats import link_map
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.sink import SqliteSink
from tests.commands.stored_shop import item, store_shop, visit
from tests.conftest import Project
from tests.dashboard.asking import Browser, Seen, browse, project_in

EVIL = "<script>alert(1)</script>"
WAITS = 600


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Item 1 links to items 2 and 3; nobody links to the others."""
    store_shop(Project(tmp_path))
    write(tmp_path, 1, (item(2), item(3)))
    return tmp_path


def write(project: Path, number: int, ends: Sequence[str]) -> None:
    """Store an item with its links."""
    made = visit(number, EVIL, "$1")
    with CrawlDatabase(project / "data" / "shop" / "crawl.db") as database:
        sink = SqliteSink(database, site="shop", fields=["title", "price"])
        sink.write([replace(made, page=replace(made.page, links=tuple(ends)))])


def look(project: Path, *, language: str = "en") -> tuple[Seen, Seen]:
    """The page, when it is drawn, and its picture."""

    async def looked(browser: Browser) -> tuple[Seen, Seen]:
        found = []
        for path, sign in (("/sites/shop/links", "picture"), ("/sites/shop/links.svg", "<svg")):
            for _ in range(WAITS):  # each question waits for the drawing for a moment
                answer = await browser.get(path, headers={"Accept-Language": language})
                text = await answer.text()
                if sign in text:
                    break
            found.append(Seen(answer.status, text, dict(answer.headers)))
        return found[0], found[1]

    return browse(project, looked)


def test_links_are_shown_as_a_picture_with_figures(shop: Path) -> None:
    page, picture = look(shop)
    assert page.status == picture.status == 200
    assert 'src="/sites/shop/links.svg"' in page.text
    for words in ("Most linked", "PageRank", "Clicks from a start", "Pages without a link to them"):
        assert words in page.text
    assert picture.headers["Content-Type"].startswith("image/svg+xml")
    assert "sandbox" in picture.headers["Content-Security-Policy"]
    assert "<script" not in picture.text
    assert "<script>alert" not in page.text


def test_the_page_speaks_chinese(shop: Path) -> None:
    assert "谁链接到谁" in look(shop, language="zh")[0].text


def test_the_graph_is_drawn_anew_when_the_store_has_changed(shop: Path) -> None:
    files = project_in(shop).files("shop")
    first = link_map(files, None)
    assert first is not None
    assert first.stats is not None
    assert link_map(files, first) is first
    write(shop, 2, (item(3), item(4)))
    second = link_map(files, first)
    assert second is not None
    assert second.stats is not None
    assert (first.stats.links, second.stats.links) == (2, 4)


def test_a_graph_too_large_is_not_read(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(url_stats, "read_graph", lambda _: pytest.fail("it was read"))
    found = link_map(project_in(shop).files("shop"), None, most=1)
    assert found is not None
    assert found.stats is None

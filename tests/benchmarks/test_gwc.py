"""The experiments of the GWC paper on small sites written here: what is served, crawled, scored and printed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from benchmarks.gwc import efficiency
from benchmarks.gwc.__main__ import main
from benchmarks.gwc.similarity import score, sweep
from benchmarks.gwc.simulation import Crawled, ReadPages, crawl, precrawl
from benchmarks.gwc.stored_site import Job, SitesAbsent, StoredSite, stored_sites
from gwc_crawler.demo.mall import Mall
from gwc_crawler.knowledge.model import Knowledge, UrlClass
from gwc_crawler.page.reader import ReadOptions

ITEMS = [f"/item/{number}.html" for number in range(1, 31)]


def page(links: Iterable[str], text: str = "") -> str:
    anchors = "".join(f'<a href="{link}">x</a>' for link in links)
    return f"<html><body><p>{text}</p>{anchors}</body></html>"


def write_site(root: Path, pages: Mapping[str, str], targets: Iterable[str], samples: Iterable[str] = ()) -> StoredSite:
    for path, body in pages.items():
        file = root / "site" / path.lstrip("/").replace("?", "%3F")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(body, encoding="utf-8")
    truth = "".join(json.dumps({"url": path, "group": "item"}) + "\n" for path in targets)
    (root / "truth.jsonl").write_text(truth, encoding="utf-8")
    task = {"group": "item", "keywords": "ISBN", "samples": [{"url": path} for path in samples]}
    (root / "tasks.json").write_text(json.dumps([task]), encoding="utf-8")
    return StoredSite(root.name, root)


@pytest.fixture
def corpora(tmp_path: Path) -> Path:
    """A shop whose items say ISBN, and a help page that leads nowhere."""
    lists = [f"/list/{number}.html" for number in range(1, 6)]
    pages = {"/index.html": page([*lists, "/help/a.html"]), "/help/a.html": page(["/"])}
    pages |= {path: page(ITEMS[number::5]) for number, path in enumerate(lists)}
    pages |= {path: page(["/"], "ISBN 12") for path in ITEMS}
    write_site(tmp_path / "shop", pages, ITEMS, ITEMS[:2])
    return tmp_path


def test_three_tables_are_printed_with_the_papers_figures_beside(
    corpora: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--corpora", str(corpora), "--jobs", "1"]) == 0
    out = capsys.readouterr().out
    assert "| shop/item | 1.00 / 1.00 |" in out
    assert "| shop | 37 | keywords | 0.16 | 1 | **100.0% of 37** | 100.0% of 37 |" in out
    assert "| shop/item | 30 of 30 | 1.000 | 37 |" in out
    assert "14,000 of 14,000 to 15,000" in out
    assert out.count("\n|---|") == 3


@pytest.mark.parametrize("given", [["--corpora", "nowhere"], []])
def test_absent_sites_are_told_with_what_helps(
    given: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GWC_CORPORA", raising=False)
    assert main(given) == 2
    assert "no stored sites" in capsys.readouterr().err


def test_an_unknown_site_is_refused_with_those_that_are_there(
    corpora: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--corpora", str(corpora), "shpo"]) == 2
    assert "no such site: shpo; there are shop" in capsys.readouterr().err


def test_a_corpus_that_is_not_whole_is_no_site(corpora: Path) -> None:
    (corpora / "shop" / "truth.jsonl").unlink()
    with pytest.raises(SitesAbsent, match=r"site/, tasks.json, truth.jsonl"):
        stored_sites(corpora)


def test_pages_are_answered_as_a_server_does(tmp_path: Path) -> None:
    pages = {"/a/index.html": "", "/b.asp?q=x y": "", "/b.asp": "", "/c.css": ""}
    site = write_site(tmp_path / "s", pages, [])
    where = {
        "/a": ("/a/", "a/index.html"),
        "/a/": ("/a/", "a/index.html"),
        "/a/?n=1": ("/a/?n=1", "a/index.html"),
        "/b.asp?q=x+y": ("/b.asp?q=x+y", "b.asp%3Fq=x y"),
        "/b.asp?q=x%20y": ("/b.asp?q=x%20y", "b.asp%3Fq=x y"),
        "/b.asp?other=1": ("/b.asp?other=1", "b.asp"),
    }
    for path, (url, file) in where.items():
        assert site.answer(site.origin + path) == (site.origin + url, tmp_path / "s" / "site" / file)
    assert site.answer(f"{site.origin}/c.css") is None
    assert site.answer(f"{site.origin}/none") is None


TUNNEL = {
    "/index.html": page(["/way/1", "/off/1"]),
    "/off/1": page(["/off/2"]),
    "/off/2": page(["/item/1"]),
    "/way/1": page(["/way/2"]),
    "/way/2": page(["/way/3"]),
    "/way/3": page(["/way/4"]),
    "/way/4": page(["/item/2"]),
    "/item/1": page(["/way/4"]),
    "/item/2": page([]),
}


@pytest.mark.parametrize(
    ("max_weight", "pages", "found"),
    [(1, 3, 0), (2, 8, 2), (None, 9, 2)],
)
def test_a_crawl_tunnels_as_far_as_its_threshold_lets_it(
    tmp_path: Path, max_weight: int | None, pages: int, found: int
) -> None:
    crawled = crawled_tunnel(tmp_path, TUNNEL, max_weight)
    assert (crawled.pages, crawled.taken, len(crawled.files)) == (pages, found, found)


def test_a_page_that_is_found_again_by_a_better_way_is_followed_after_all(tmp_path: Path) -> None:
    assert crawled_tunnel(tmp_path, TUNNEL | {"/item/1": page(["/way/2"])}, 2).pages == 7


def crawled_tunnel(tmp_path: Path, pages: Mapping[str, str], max_weight: int | None) -> Crawled:
    site = write_site(tmp_path / "s", pages, ["/item/1", "/item/2"])
    classes = UrlClass(rf"{site.origin}/item/\d", 2, (), 1.0), UrlClass(".*", 7, (), 1.0)
    knowledge = Knowledge("s", "paper", targets=classes[:1], directories=classes[1:], max_weight=9, wrapper={})
    return crawl(ReadPages(site, knowledge), [site.entry], max_weight)


def test_a_class_is_scored_by_what_its_regex_takes_of_the_known_urls() -> None:
    start = "http://s.example"
    job = Job("item", "", (f"{start}/item/1",), frozenset(map(Path, "123")))
    known = {f"{start}/item/{name}": Path(name) for name in ("1", "2", "9")} | {f"{start}/x/3": Path("3")}
    clusters = [[f"{start}/item/1", f"{start}/item/2"], [f"{start}/x/3"]]
    assert score(job, clusters, known) == (2 / 3, 2 / 3)
    assert score(job, clusters[1:], known) == (0.0, 0.0)


def test_a_larger_c_lets_more_urls_into_a_class(corpora: Path) -> None:
    (site,) = stored_sites(corpora)
    pages = precrawl(site, site.jobs[0].samples, ReadOptions(keywords="ISBN"), 100)
    tight, loose = sweep(site, pages, (0.01, 0.4))
    assert tight.clusters > loose.clusters
    assert tight.f1 < loose.f1 == 1.0


def test_the_efficiency_experiment_counts_each_product_once_at_each_mark() -> None:
    mall = Mall(1, 60)
    knowledge = efficiency.learned(mall, 200)
    first, last = efficiency.at_marks(mall, efficiency.crawled(mall, knowledge, by_method=True))
    assert first == last, "a small shop is through in half an hour"
    pages, products, others = last
    assert 0.8 * len(mall.records) <= products <= len(mall.records)
    assert products + others < pages
    slow = efficiency.at_marks(mall, iter(["/item/none.html", *list(mall.records)[:2] * 10_000]))
    assert slow == [(10_000, 2, 9_998), (20_001, 2, 19_999)]

"""What wants attention: a field that fell away, a host's limits beside its waits; the same for Prometheus; the end."""

from __future__ import annotations

import html
import signal
from pathlib import Path
from unittest.mock import Mock

import pytest
from prometheus_client.parser import text_string_to_metric_families

from gwc_crawler.dashboard.views import sites as views
from gwc_crawler.frontier.sqlite.frontier import SqliteFrontier
from gwc_crawler.items import Link
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.sink import SqliteSink
from tests.commands.stored_shop import URL, store_shop, visit, wrapper
from tests.conftest import Project
from tests.dashboard.asking import TOKEN, Question, ask
from tests.processes import wait_until

BEARER = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A shop of which the last 40 records have no price; its host may be asked once in 2.5 s."""
    project = Project(tmp_path)
    store_shop(project)
    evidence = {"fields": {"title": {"coverage": 1.0}, "price": {"coverage": 1.0}}}
    project.write_knowledge("shop", targets=(f"{URL}/item/[0-9]+",), wrapper=wrapper(), evidence=evidence)
    site = tmp_path / "sites" / "shop.toml"
    slots = '\n[settings.DOWNLOAD_SLOTS."shop.example"]\nconcurrency = 1\ndelay = 2.5\n'
    site.write_text(site.read_text("utf-8") + slots, "utf-8")
    with CrawlDatabase(tmp_path / "data" / "shop" / "crawl.db") as database:
        sink = SqliteSink(database, site="shop", fields=["title", "price"])
        sink.write([visit(number, f"Book {number}", None) for number in range(100, 140)])
        SqliteFrontier(database, exclusive=False).add([Link(f"{URL}/shelf/{number}") for number in range(4)])
    return tmp_path


def samples(text: str) -> dict[str, float]:
    found = (sample for one in text_string_to_metric_families(text) for sample in one.samples)
    return {"/".join((one.name, *one.labels.values())): one.value for one in found}


def test_a_site_file_with_a_mistake_wants_attention_and_hides_no_other_site(shop: Path) -> None:
    (shop / "sites" / "torn.toml").write_text("nonsense = [", "utf-8")
    (sites,) = ask(shop, "/")
    assert "/sites/shop" in sites.text
    assert "/sites/torn" in sites.text
    assert "can't be read" in html.unescape(sites.text)


def test_a_field_that_fell_away_wants_attention(shop: Path) -> None:
    sites, overview, told = ask(shop, "/", "/sites/shop", Question("/metrics", headers=BEARER))
    assert "a field has fallen away" in sites.text
    assert '<a href="/sites/shop/fields">price</a>' in overview.text
    assert '<a href="/sites/shop/fields">title</a>' not in overview.text
    assert samples(told.text)["gwc_fallen_fields/shop"] == 1


def test_a_host_stands_beside_its_limits(shop: Path) -> None:
    (seen,) = ask(shop, "/sites/shop/queue")
    assert "1 at a time, every 2.5 s" in seen.text


def test_prometheus_reads_how_all_sites_stand(shop: Path) -> None:
    entered, refused = (ask(shop, Question("/metrics", headers=headers), entered=False)[0] for headers in (BEARER, {}))
    assert entered.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    told = samples(entered.text)
    assert told["gwc_queue_urls/shop/U"] == 4
    assert told["gwc_site_state/shop/stopped"] == 1
    assert told["gwc_needs_attention/shop"] == 2
    assert refused.status == 403


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_without_a_traceback(shop: Path, number: signal.Signals) -> None:
    log = shop / "dashboard.log"
    with log.open("w") as file:
        process = Project(shop).start("dashboard", "--port", "0", stdout=file, stderr=file)
        wait_until(lambda: "The dashboard:" in log.read_text() or process.poll() is not None, 60)
        process.send_signal(number)
        process.wait(60)
    assert process.returncode in (0, 130), log.read_text()
    assert "Traceback" not in log.read_text()


def test_what_is_not_sure_is_read_once_for_each_knowledge_file(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = Mock(wraps=views.knowledge_of)
    monkeypatch.setattr(views, "knowledge_of", read)
    ask(shop, "/sites/shop", "/sites/shop/live", "/sites/shop/live")
    assert read.call_count == 1

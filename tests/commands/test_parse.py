"""`scrapy parse`, and Scrapy's other commands for looking at one page, in a project of site files."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from tests import started
from tests.conftest import ROOT, Project
from tests.shop_site import product_site_file, put_products
from tests.site_server import SiteServer


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Project, SiteServer]]:
    """A shop of which everything is learned, and nothing crawled; a page of it links to all kinds of things."""
    project = Project(tmp_path_factory.mktemp("learned"))
    with SiteServer() as site:
        put_products(site, 12)
        project.write_site("shop", product_site_file(site.url, (3, 7)))
        assert project.scrapy("learn", "shop").code == 0
        site.links["/all"] = ["/item/1", "/about", "/item/" + "9/" * 30, "http://elsewhere.example/", "/list.pdf"]
        site.bodies["/picture"] = (b"\x89PNG\r\n", "image/png")
        site.bodies["/robots.txt"] = (b"User-agent: *\nDisallow: /item/9\n", "text/plain")
        site.bodies["/item/777"] = (b"<html><body><p>We are closed in August.</p></body></html>", "text/html")
        site.statuses["/old"] = 302
        site.headers["/old"] = {"Location": "/item/4"}
        yield project, site


def parse(learned: tuple[Project, SiteServer], target: str, *options: str, code: int = 0) -> Any:
    project, site = learned
    outcome = project.scrapy("parse", f"{site.url}{target}", "--json", *options)
    assert outcome.code == code, outcome.err
    assert "Traceback" not in outcome.err
    return json.loads(outcome.out)


def files(project: Project) -> set[str]:
    return {path.name for path in (project.directory / "data" / "shop").iterdir()}


def test_a_target_shows_verdict_record_and_links(learned: tuple[Project, SiteServer]) -> None:
    project, site = learned
    site.clear()
    before = files(project)
    told = parse(learned, "/item/5", "-o", "one.jsonl")
    assert site.page_hits() == {"/item/5": 1}, "nothing else is fetched"
    assert files(project) == before, "nothing is written"
    assert (told["verdict"], told["status"], told["error"]) == ("target", 200, None)
    assert told["record"] == {"title": "Product number 5", "price": "$5.50"}
    assert told["read_by"].keys() == told["record"].keys()
    assert " //" in told["read_by"]["title"]
    assert told["why"][0].startswith("a target filter takes it: ")
    assert [(link["url"], link["admitted"]) for link in told["links"]] == [(f"{site.url}/", True)]
    row = json.loads((project.directory / "one.jsonl").read_text())
    assert row == {"url": f"{site.url}/item/5", **told["record"]}
    text = project.scrapy("parse", "--spider", "shop", f"{site.url}/item/5").out
    for words in (
        "verdict  target",
        "record  title = Product number 5",
        f"read by  {told['read_by']['title']}",
        "1 admitted, 0 refused",
    ):
        assert words in text


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_with_a_feed_on_stdout_there_is_nothing_else(
    learned: tuple[Project, SiteServer], options: tuple[str, ...]
) -> None:
    project, site = learned
    outcome = project.scrapy("parse", f"{site.url}/item/5", "-O", "-:json", *options)
    assert outcome.code == 0, outcome.err
    assert [row["title"] for row in json.loads(outcome.out)] == ["Product number 5"]
    assert "verdict" in outcome.err


def test_links_say_which_filter_or_limit_has_its_word(learned: tuple[Project, SiteServer]) -> None:
    _, site = learned
    told = parse(learned, "/all")
    assert told["verdict"] == "neither"
    assert told["record"] is None
    said = {link["url"].removeprefix(site.url): link for link in told["links"]}
    assert said["/item/1"]["admitted"]
    assert said["/item/1"]["verdict"] == "target"
    assert said["/about"]["reason"] == "no filter takes it"
    assert said["http://elsewhere.example/"]["verdict"] == "off"
    assert not any(link["admitted"] for target, link in said.items() if target != "/item/1")


@pytest.mark.parametrize(
    ("target", "code", "verdict", "words"),
    [
        ("/item/777", 0, "lookalike", "the page check refuses it"),
        ("/picture", 0, "binary", "not HTML"),
        ("/old", 0, "target", "a target filter"),
        ("/item/88", 3, "error", "HTTP 404"),
        ("/item/9", 3, "error", "robots.txt"),
    ],
)
def test_what_is_no_ordinary_page(
    learned: tuple[Project, SiteServer], target: str, code: int, verdict: str, words: str
) -> None:
    told = parse(learned, target, code=code)
    assert told["verdict"] == verdict
    assert words in " ".join(told["why"])
    assert (told["url"].rpartition("/")[2] == "4") is (target == "/old")


def test_before_learning_and_of_nobody(project: Project, site: SiteServer) -> None:
    project.write_site("shop", product_site_file(site.url, (3, 7)))
    outcome = project.scrapy("parse", f"{site.url}/item/5")
    assert outcome.code == 2
    assert "run `scrapy learn shop` first" in outcome.err
    assert project.scrapy("parse", "--spider", "nosuch", f"{site.url}/item/5").code == 2
    project.write_site("twin", product_site_file(site.url, (3, 7)))
    outcome = project.scrapy("parse", f"{site.url}/item/5")
    assert outcome.code == 2
    assert "shop, twin; name one with --spider" in outcome.err
    outcome = project.scrapy("shell", f"{site.url}/item/5", "-c", "response.status")
    assert "matches several sites (shop, twin); using none of them: name one by --spider" in outcome.err
    assert (outcome.code, site.page_hits()) == (0, {"/item/5": 1})
    site.clear()
    assert not site.page_hits()
    assert not (project.directory / "data").exists()


def test_beside_a_crawl_nothing_is_disturbed(
    project: Project, site: SiteServer, busy_crawl: subprocess.Popen[str]
) -> None:
    before = project.rows("SELECT * FROM urls")
    site.links["/page"] = ["/other"]
    outcome = project.scrapy("parse", f"{site.url}/page", "--json")
    assert outcome.code == 0, outcome.err
    assert json.loads(outcome.out)["links"][0]["url"] == f"{site.url}/other"
    assert project.rows("SELECT * FROM urls") == before
    assert busy_crawl.poll() is None


OWN = """
from scrapy import Spider


class Own(Spider):
    name = "own"

    def parse(self, response):
        yield {"status": response.status}
        yield response.follow("/next")
"""

COMMANDS = (
    (("parse", "--spider", "own", "{url}/item/5", "--nocolour"), 0, "[{'status': 200}]"),
    (("fetch", "--nolog", "{url}/item/5"), 0, "Product number 5"),
    (("shell", "--nolog", "{url}/item/5", "-c", "response.css('h1::text').get() + spider.name"), 0, "number 5shop"),
    (("shell", "--nolog", "-c", "6 * 7"), 0, "42"),
    (("shell", "--nolog", "{url}/item/5", "-c", "record"), 0, "{'title': 'Product number 5', 'price': '$5.50'}"),
    (("shell", "--nolog", "{url}/item/5", "-c", "locate('price')"), 0, "'$5.50', "),
    (("shell", "--nolog", "{url}/item/5", "-c", "locate('prise')"), 0, "no field 'prise' (did you mean 'price'?)"),
    (("shell", "--nolog", "{url}/item/5", "-c", "try_css('p span', regex='[0-9]+')"), 0, "['5', '50']"),
    (("shell", "--nolog", "{url}/item/5", "-c", "try_xpath('//h1')"), 0, "['Product number 5']"),
    (("shell", "--nolog", "{url}/item/5", "-c", "try_jmespath('a') + try_regex('numb.r')"), 0, "['number', "),
    (("shell", "--nolog", "{url}/item/5", "-c", "try_css('h1::txt')"), 0, "[]"),
    (("view", "--nolog", "{url}/item/5"), 0, ""),
    (("check", "shop"), 0, ""),
    (("edit", "shop"), 0, "sites/shop.toml"),
    (("fetch", "--nolog", "--spider", "nosuch", "{url}/item/5"), 2, ""),
    (("runspider", "--nolog", "spiders_of_mine.py", "-a", "start_urls={url}/item/5"), 0, ""),
)  # fmt: skip


def test_each_command_of_scrapys_looks_and_does_not_crawl(learned: tuple[Project, SiteServer]) -> None:
    project, site = learned
    (project.directory / "spiders_of_mine.py").write_text(OWN)
    (project.directory / "my_settings.py").write_text(
        "import warnings\nfrom settings_profiles.local import *\nSPIDER_MODULES = ['spiders_of_mine']\n"
        "warnings.simplefilter('default')  # Scrapy's own `parse` calls what is deprecated\n"
    )
    environment = {
        **os.environ,
        "SCRAPY_SETTINGS_MODULE": "my_settings",
        "PYTHONPATH": f"{ROOT}:{project.directory}",
        "EDITOR": "/bin/echo",
        "BROWSER": "/bin/true",
    }
    before = files(project)
    for words, code, said in COMMANDS:
        site.clear()
        arguments = (word.format(url=site.url) for word in words)
        done = started.run(
            "scrapy.cmdline", *arguments, cwd=project.directory, env=environment, stdin=subprocess.DEVNULL
        )
        assert done.returncode == code, (words, done.stderr)
        assert said in done.stdout, (words, done.stdout)
        assert "Traceback" not in done.stderr, (words, done.stderr)
        assert set(site.page_hits()) <= {"/item/5"}, words
        assert files(project) == before, words


@pytest.mark.parametrize(
    "setting",
    [
        'ITEM_PIPELINES={"nope.X": 1}',
        "DOWNLOADER=nope.X",
        'EXTENSIONS={"tests.commands.broken_parts.FromCrawler": 1}',
    ],
)
def test_a_setting_that_can_not_be_is_refused_as_by_crawl(learned: tuple[Project, SiteServer], setting: str) -> None:
    project, site = learned
    site.clear()
    outcome = project.scrapy("parse", "--spider", "shop", f"{site.url}/item/5", "-s", setting)
    assert outcome.code == 2, outcome.err
    assert outcome.err.splitlines()[-1].startswith(f"setting {setting.partition('=')[0]} ")
    assert "Traceback" not in outcome.err
    assert "never retrieved" not in outcome.err
    assert not site.hits

"""A site from its entry alone (T-Spider): every page, its kind, who links to it; the crawl ends at pages to read."""

from __future__ import annotations

import json

import pytest

from tests.conftest import Outcome, Project
from tests.site_server import SiteServer
from tests.tds_server import TdsServer

LONG = f"<p>{'Something to read, word for word. ' * 8}</p>"

LINKS = {
    "/": ["/news/", "/shop/", "/about.html"],
    "/news/": ["/news/101.html", "/news/102.html", "/news/old/", "/"],
    "/news/old/": ["/news/old/7.html"],
    "/shop/": ["/shop/tea.html", "/shop/"],
    "/about.html": ["/imprint.html"],
    "/news/101.html": ["/news/102.html", "/hidden/"],
    "/news/102.html": [],
    "/news/old/7.html": [],
    "/shop/tea.html": ["/shop/cups/"],
    "/imprint.html": [],
    "/hidden/": [],
    "/shop/cups/": [],
}
INDEX = {"/", "/news/", "/news/old/", "/shop/", "/about.html"}
INFORMATION = {"/news/101.html", "/news/102.html", "/news/old/7.html", "/shop/tea.html"}


@pytest.fixture
def papers(site: SiteServer) -> SiteServer:
    """A site of two columns; nothing but the text tells that /shop/tea.html is a page to read."""
    site.links = LINKS
    tea = f"<html><head><title>Tea</title></head><body>{LONG}<a href='/shop/cups/'>cups</a></body></html>"
    site.bodies["/shop/tea.html"] = (tea.encode(), "text/html")
    return site


def crawl(project: Project, *args: str, **settings: object) -> Outcome:
    outcome = project.scrapy("crawl", *(args or ("whole",)), settings=settings)
    assert outcome.code == 0, outcome.err
    return outcome


def kinds(project: Project, site: SiteServer, name: str = "whole") -> dict[str, tuple[str, str]]:
    rows = project.rows("SELECT url, kind, page_kind FROM pages", name=name)
    return {url.removeprefix(site.url): (kind, page_kind) for url, kind, page_kind in rows}


def test_a_site_file_with_an_entry_alone_brings_every_page_with_its_kind(project: Project, papers: SiteServer) -> None:
    project.write_site("whole", f'entry = ["{papers.url}/"]\n')
    crawl(project)
    found = kinds(project, papers)
    assert {path for path, told in found.items() if told == ("index", "index")} == {*INDEX, "/imprint.html"}
    assert {path for path, told in found.items() if told == ("information", "information")} == INFORMATION
    assert project.rows("SELECT name, state, link_count FROM sites", name="whole") == [("whole", "C", 14)]
    assert set(project.rows("SELECT hits FROM urls WHERE state = 'C'", name="whole")) == {(1,)}
    assert papers.page_hits() == dict.fromkeys([*INDEX, *INFORMATION, "/imprint.html"], 1)
    assert not (project.directory / "data" / "whole" / "samples.db").exists()


def test_links_that_leave_pages_to_read_are_stored_and_cut(project: Project, papers: SiteServer) -> None:
    project.write_site("whole", f'entry = ["{papers.url}/"]\n')
    crawl(project)
    cut = project.rows("SELECT src_url, dst_url FROM links WHERE pruned ORDER BY 1, 2", name="whole")
    assert [(one.removeprefix(papers.url), other.removeprefix(papers.url)) for one, other in cut] == [
        ("/news/101.html", "/hidden/"),
        ("/news/101.html", "/news/102.html"),
        ("/shop/tea.html", "/shop/cups/"),
    ]
    in_links = project.rows("SELECT src_url FROM links WHERE dst_url = ?", f"{papers.url}/news/102.html", name="whole")
    assert {row[0].removeprefix(papers.url) for row in in_links} == {"/news/", "/news/101.html"}


def test_a_setting_has_links_of_pages_to_read_followed(project: Project, papers: SiteServer) -> None:
    project.write_site("whole", f'entry = ["{papers.url}/"]\n')
    crawl(project, GWC_INFORMATION_LINKS="follow")
    assert papers.page_hits() == dict.fromkeys(LINKS, 1)


def test_how_long_a_paragraph_to_read_is_can_be_set(project: Project, papers: SiteServer) -> None:
    project.write_site("whole", f'entry = ["{papers.url}/"]\n')
    crawl(project, GWC_LONGEST_PARAGRAPH=1000)
    assert kinds(project, papers)["/shop/tea.html"] == ("index", "index")
    assert papers.hits["/shop/cups/"] == 1


def test_the_entry_leads_on_even_if_it_is_a_page_to_read(project: Project, papers: SiteServer) -> None:
    papers.links = {**LINKS, "/start.html": ["/news/"]}
    papers.texts["/start.html"] = LONG
    project.write_site("whole", f'entry = ["{papers.url}/start.html"]\n')
    crawl(project)
    assert kinds(project, papers)["/start.html"] == ("information", "information")
    assert papers.hits["/news/101.html"] == 1


def test_abstract_and_body_of_every_page_are_stored(project: Project, papers: SiteServer) -> None:
    project.write_site("whole", f'entry = ["{papers.url}/"]\n')
    crawl(project)
    assert project.rows("SELECT count(*) FROM pages WHERE abstract = '' OR body = ''", name="whole") == [(0,)]
    rows = project.rows("SELECT abstract, body FROM pages WHERE url LIKE '%tea.html'", name="whole")
    assert rows[0][0].startswith("Something to read") and "word for word" in rows[0][1]


def test_another_process_reads_it_alike(project: Project, papers: SiteServer) -> None:
    project.write_site("whole", f'entry = ["{papers.url}/"]\n')
    crawl(project, "whole", "-a", "workers=2")
    assert {path for path, told in kinds(project, papers).items() if told[0] == "information"} == INFORMATION
    assert papers.page_hits() == dict.fromkeys([*INDEX, *INFORMATION, "/imprint.html"], 1)


def test_kinds_of_pages_can_be_weighed(project: Project, papers: SiteServer) -> None:
    project.write_site("whole", f'entry = ["{papers.url}/"]\n[settings]\nGWC_PAGE_KINDS = "weighed"\n')
    papers.links = {"/": ["/essay/"], "/essay/": []}
    papers.texts["/essay/"] = LONG * 4
    crawl(project)
    assert kinds(project, papers)["/essay/"] == ("information", "information")


def test_a_crawl_that_looks_for_records_tells_the_kind_of_each_page(project: Project, papers: SiteServer) -> None:
    project.write_graph_site(papers.url)
    project.write_knowledge(targets=(rf"{papers.url}/news/[0-9]+[.]html",), directories=(r".*",))
    crawl(project, "graph")
    found = kinds(project, papers, "graph")
    assert found["/news/101.html"] == ("target", "information")
    assert found["/news/"] == ("directory", "index")
    assert all(page_kind for _, page_kind in found.values())
    assert papers.hits["/hidden/"] == 1


def test_a_crawl_that_looks_for_records_can_end_at_them(project: Project, papers: SiteServer) -> None:
    project.write_graph_site(papers.url)
    project.write_knowledge(targets=(rf"{papers.url}/news/[0-9]+[.]html",), directories=(r".*",))
    crawl(project, "graph", GWC_INFORMATION_LINKS="cut")
    assert "/hidden/" not in papers.hits


def test_there_is_nothing_to_learn_of_it(project: Project, papers: SiteServer) -> None:
    project.write_site("whole", f'entry = ["{papers.url}/"]\n')
    outcome = project.scrapy("learn", "whole")
    assert outcome.code == 2
    assert "nothing to learn from: `scrapy crawl whole` brings the whole site" in outcome.err


def own_name(site: SiteServer) -> str:
    return site.url.removeprefix("http://").replace(":", "-")


def test_an_address_needs_no_site_file(project: Project, papers: SiteServer) -> None:
    name = own_name(papers)
    crawl(project, f"{papers.url}/")
    assert len(kinds(project, papers, name)) == 10
    told = crawl(project, f"{papers.url}/").out
    assert "0 pages" in told, "the same command continues, and nothing is left"
    assert json.loads(project.scrapy("status", name, "--json").out)
    assert project.scrapy("graph", f"{papers.url}/").code == 0
    other = project.scrapy("crawl", f"{papers.url}/news/")
    assert other.code == 2
    assert f"begins at {papers.url}/; `scrapy crawl {name}` crawls it" in other.err
    assert f'entry = ["{papers.url}/news/"] in sites/NAME.toml' in other.err
    project.write_site("news", f'entry = ["{papers.url}/news/"]')
    crawl(project, "news")
    assert len(kinds(project, papers, "news")) == 10
    assert project.scrapy("crawl", "ftp://a.example/").code == 2


def test_an_address_means_the_site_file_that_begins_there(project: Project, papers: SiteServer) -> None:
    project.write_site(own_name(papers), f'entry = ["{papers.url}/"]\n[crawl]\nmax_depth = 0\n')
    crawl(project, f"{papers.url}/")
    assert papers.page_hits() == {"/": 1}


COLUMNS = [
    ("/", "", 0, 5, 4),
    ("/news/", "/", 1, 1, 3),
    ("/news/old/", "/news/", 2, 0, 1),
    ("/shop/", "/", 1, 0, 1),
    ("/about.html", "/", 1, 1, 0),
    ("/imprint.html", "/about.html", 2, 0, 0),
]


def test_its_columns_are_told_as_text_and_json_and_by_graph(project: Project, papers: SiteServer) -> None:
    project.write_site("whole", f'entry = ["{papers.url}/"]\n')
    told = json.loads(crawl(project, "whole", "--json").out)["columns"]
    keys = ("url", "parent", "level", "index", "information")
    rows = [tuple(str(one[key]).removeprefix(papers.url) for key in keys) for one in told]
    assert rows == [tuple(map(str, row)) for row in COLUMNS]
    assert json.loads(project.scrapy("graph", "whole", "--json").out)["columns"] == told
    again = crawl(project).out
    for text in (again, project.scrapy("graph", "whole").out):
        assert "columns  /: 5 index, 4 information pages beneath" in text
        assert "      /news/old/: 0 index, 1 information pages beneath" in text


def test_a_sql_server_has_the_published_tables(project: Project, papers: SiteServer, tds: TdsServer) -> None:
    papers.links = {**LINKS, "/": [*LINKS["/"], "/gone.html"]}
    papers.statuses["/gone.html"] = 404
    project.write_site("whole", f'entry = ["{papers.url}/"]\n')
    crawl(project, GWC_SINK="mssql")
    rows = tds.rows("SELECT url, kind, page_kind FROM dbo.pages")
    found = {url.removeprefix(papers.url): (kind, page_kind) for url, kind, page_kind in rows}
    assert found == {
        **dict.fromkeys([*INDEX, "/imprint.html"], ("index", "index")),
        **dict.fromkeys(INFORMATION, ("information", "information")),
    }
    assert tds.rows("SELECT name, state, link_count FROM dbo.sites") == [("whole", "C", 15)]
    urls = {
        url.removeprefix(papers.url): row for url, *row in tds.rows("SELECT url, state, reason, hits FROM dbo.urls")
    }
    assert urls["/news/101.html"] == ["C", None, 1]
    assert urls["/gone.html"] == ["E", "HTTP 404", 0]
    assert urls["/hidden/"] == [None, None, 0], "known as the end of a cut link"


def test_a_sql_server_has_what_an_interrupted_crawl_leaves(
    project: Project, papers: SiteServer, tds: TdsServer
) -> None:
    project.write_site("whole", f'entry = ["{papers.url}/"]\n[crawl]\nmax_pages = 1\n')
    crawl(project, GWC_SINK="mssql")
    assert tds.rows("SELECT name, state FROM dbo.sites") == [("whole", "U")]
    waiting = tds.rows("SELECT url FROM dbo.urls WHERE state = 'U'")
    assert {url.removeprefix(papers.url) for (url,) in waiting} == {"/news/", "/shop/", "/about.html"}


def test_what_is_asked_of_a_whole_site_is_answered(project: Project, papers: SiteServer) -> None:
    project.write_site("whole", f'entry = ["{papers.url}/"]\n')
    crawl(project)
    hidden = f"{papers.url}/hidden/"
    why = project.scrapy("why", "whole", hidden).out
    assert "or pages to read, where the crawl of a whole site ends, lead there" in why
    assert "the whole site is crawled" in why
    assert "added (whole)" in project.scrapy("queue", "whole", "add", hidden).out
    crawl(project)
    assert papers.hits["/hidden/"] == 1


def test_an_endless_calendar_ends(project: Project, papers: SiteServer) -> None:
    days = 400
    papers.links = {**LINKS, "/": [*LINKS["/"], "/day/1/"]} | {
        f"/day/{day}/": [f"/day/{day + 1}/", f"/day/{day + 2}/"] for day in range(1, days)
    }
    project.write_site("whole", f'entry = ["{papers.url}/"]\n')
    outcome = project.scrapy("crawl", "whole", settings={"GWC_FRUITLESS_PAGES": 20})
    assert outcome.code == 0
    assert "class of URLs closed" in outcome.err
    hits = papers.page_hits()
    assert 20 < sum(path.startswith("/day/") for path in hits) < days / 2
    assert hits.keys() >= INDEX | INFORMATION, "all else is there"

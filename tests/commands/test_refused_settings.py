"""A setting that would break a promise ends a command before its first request: exit code 2, one line that names it."""

from __future__ import annotations

import pytest

from tests.conftest import Project
from tests.site_server import SiteServer

STORE = "gwc_crawler.pipelines.store.StorePipeline"


@pytest.mark.parametrize("command", ["crawl", "learn", "extract"])
def test_a_command_refuses_what_would_break_a_promise(project: Project, site: SiteServer, command: str) -> None:
    project.write_graph_site(site.url, more="[settings]\nREDIRECT_ENABLED = false\n")
    outcome = project.scrapy(command, "graph")
    assert outcome.code == 2
    assert outcome.err.splitlines()[-1].startswith("setting REDIRECT_ENABLED is False in the site file, and can't hold")
    assert "Traceback" not in outcome.err
    assert not site.hits


def test_what_is_given_on_the_command_line_is_refused_there(project: Project, site: SiteServer) -> None:
    project.write_graph_site(site.url)
    project.write_knowledge()
    outcome = project.scrapy("crawl", "graph", settings={"ITEM_PIPELINES": f'{{"{STORE}": null}}'})
    assert outcome.code == 2
    assert f"setting ITEM_PIPELINES takes out {STORE} on the command line: nothing would be stored" in outcome.err
    assert not site.hits


def test_what_an_addon_takes_out_is_refused_too(project: Project, site: SiteServer) -> None:
    project.write_graph_site(site.url)
    project.write_knowledge()
    addon = '{"tests.conformance.settings_parts.TakingOut": 1}'
    outcome = project.scrapy("crawl", "graph", settings={"ADDONS": addon})
    assert outcome.code == 2
    assert f"setting ITEM_PIPELINES takes out {STORE}" in outcome.err
    assert "Traceback" not in outcome.err
    assert not site.hits


@pytest.mark.parametrize(
    ("line", "example"),
    [
        ('DOWNLOADER_MIDDLEWARES = "my.Middleware"', '{ "my.module.MyClass" = 543 }'),
        ('ITEM_PIPELINES = ["my.Pipe"]', '{ "my.module.MyClass" = 543 }'),
        ("ITEM_PIPELINES = 5", '{ "my.module.MyClass" = 543 }'),
        ("FEEDS = 3", '{ "a.jsonl" = { "format" = "jsonlines" } }'),
    ],
)
@pytest.mark.parametrize("command", ["crawl", "status"])
def test_what_is_no_table_is_named_with_its_line(project: Project, command: str, line: str, example: str) -> None:
    path = project.write_graph_site("http://shop.example", more=f"\n[settings]\n{line}\n")
    number = path.read_text().splitlines().index(line) + 1
    outcome = project.scrapy(command, "graph")
    assert outcome.code == 2
    name, _, value = line.partition(" = ")
    told = f"sites/graph.toml:{number}: setting {name} is {value}; it can be a table: {example}"
    assert outcome.err.splitlines()[-1].replace("'", '"') == told


def test_memory_that_is_exceeded_ends_the_run_so_that_it_can_be_continued(project: Project, site: SiteServer) -> None:
    site.links = {"/": ["/1"], "/1": []}
    project.write_graph_site(site.url, more="[settings]\nMEMUSAGE_LIMIT_MB = 1\n")
    project.write_knowledge()
    outcome = project.scrapy("crawl", "graph")
    assert outcome.code == 130
    assert "the same command continues" in outcome.err


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ("LOG_LEVEL=LOUD", "setting LOG_LEVEL is 'LOUD' on the command line; it can be DEBUG, INFO,"),
        ('ADDONS={"nope.X": 1}', "setting ADDONS names 'nope.X' on the command line, which can't be loaded"),
        (
            "DOWNLOADER_MIDDLEWARES=my.mw.MW",
            "setting DOWNLOADER_MIDDLEWARES is 'my.mw.MW' on the command line; a table is written as JSON: -s 'DOWNL",
        ),
    ],
)
def test_what_is_read_before_a_command_begins_is_one_line(project: Project, option: str, says: str) -> None:
    project.write_graph_site("http://shop.example")
    outcome = project.scrapy("crawl", "graph", "-s", option)
    assert outcome.code == 2
    assert outcome.err.startswith(says)
    assert len(outcome.err.splitlines()) == 1


BROKEN = "tests.commands.broken_parts"


@pytest.mark.parametrize(
    ("name", "part", "says"),
    [
        ("DOWNLOADER_MIDDLEWARES", "Made", "ValueError: no key for the service"),
        ("EXTENSIONS", "FromCrawler", "KeyError: 'MY_KEY'"),
        ("ADDONS", "Wanting", "TypeError: "),
        ("ITEM_PIPELINES", "Opened", "OSError: no disk"),
        ("ITEM_PIPELINES", "AsyncOpened", "OSError: no disk"),
        ("SPIDER_MIDDLEWARES", "SyncOutput", "TypeError: "),
        ("STATS_CLASS", "Stats", "ValueError: no server"),
        ("DUPEFILTER_CLASS", "Filter", "KeyError: 'MY_KEY'"),
    ],
)
def test_a_component_that_can_not_be_started_is_named(
    project: Project, site: SiteServer, name: str, part: str, says: str
) -> None:
    path = f"{BROKEN}.{part}"
    value = f'"{path}"' if "CLASS" in name else f'{{"{path}" = 543}}'
    project.write_graph_site(site.url, more=f"[settings]\n{name} = {value}\n")
    project.write_knowledge()
    outcome = project.scrapy("crawl", "graph")
    assert outcome.code == 2, outcome.err
    last = outcome.err.splitlines()[-1]
    assert last.startswith(f"setting {name} names {path} in the site file, which could not be started ({says}")
    assert "Traceback" not in outcome.err
    assert not site.page_hits()


def test_a_dupefilter_that_is_none_is_told(project: Project, site: SiteServer) -> None:
    project.write_graph_site(site.url, more=f'[settings]\nDUPEFILTER_CLASS = "{BROKEN}.Unlike"\n')
    project.write_knowledge()
    outcome = project.scrapy("crawl", "graph")
    assert outcome.code == 2
    told = f"DUPEFILTER_CLASS is '{BROKEN}.Unlike' in the site file, which has no open, request_seen, close; derive it"
    assert told in outcome.err.splitlines()[-1]


def test_spiders_of_the_project_that_can_not_be_imported_are_told(project: Project, site: SiteServer) -> None:
    project.write_graph_site(site.url)
    (project.directory / "broken_spiders.py").write_text("import not_there_at_all\n")
    for command in (("crawl", "graph"), ("list",), ("status", "graph")):
        outcome = project.scrapy(*command, "-s", "SPIDER_MODULES=broken_spiders")
        assert outcome.code == 2
        told = "SPIDER_MODULES names broken_spiders, which can't be imported: ModuleNotFoundError: No module named"
        assert told in outcome.err.splitlines()[-1]
        assert "Traceback" not in outcome.err


@pytest.mark.parametrize(
    ("module", "told", "is_spared"), [("import nothing_of_it", "No module", True), ("1 / 0", "division by zero", False)]
)
def test_a_way_around_a_broken_spider_is_told_where_there_is_one(
    project: Project, site: SiteServer, module: str, told: str, is_spared: bool
) -> None:
    project.write_graph_site(site.url)
    (project.directory / "broken_spiders.py").write_text(f"{module}\n")
    said = project.scrapy("list", "-s", "SPIDER_MODULES=broken_spiders").err.splitlines()[-1]
    assert told in said
    assert ("SPIDER_LOADER_WARN_ONLY" in said) == is_spared


def test_a_misspelt_site_is_told_with_the_likely_one(project: Project, site: SiteServer) -> None:
    project.write_graph_site(site.url)
    assert "no site or spider named 'grahp'; did you mean 'graph'?" in project.scrapy("crawl", "grahp").err


def test_a_misspelt_name_is_told_before_a_request(project: Project, site: SiteServer) -> None:
    more = '[settings]\nDOWNLAOD_DELAY = 2\nGWC_KEEP_HTLM = "all"\nMY_KEY = 1\n'
    path = project.write_graph_site(site.url, more=more)
    outcome = project.scrapy("crawl", "graph")
    assert outcome.code == 2
    told = path.relative_to(project.directory)
    assert outcome.err.splitlines()[-2:] == [
        f"{told}:4: unknown setting 'DOWNLAOD_DELAY' (did you mean 'DOWNLOAD_DELAY'?)",
        f"{told}:5: unknown setting 'GWC_KEEP_HTLM' (did you mean 'GWC_KEEP_HTML'?)",
    ]
    project.write_graph_site(site.url)
    outcome = project.scrapy("crawl", "graph", "-s", "GWC_KEPP_HTML=all")
    assert outcome.code == 2
    said = "unknown setting GWC_KEPP_HTML on the command line (did you mean 'GWC_KEEP_HTML'?)"
    assert outcome.err.splitlines()[-1] == said
    outcome = project.scrapy("crawl", "graph", "-a", "recral=due")
    assert outcome.code == 2
    said = "-a recral=due: the spider of a site file has no argument 'recral'; it has recrawl="
    assert outcome.err.splitlines()[-1].startswith(said)
    assert "Traceback" not in outcome.err
    assert not site.hits


def test_a_wrong_word_is_told_before_the_pre_crawl(project: Project, site: SiteServer) -> None:
    project.write_graph_site(site.url)
    for setting, said in (
        ("GWC_KEEP_HTML=some", "raw, all, targets, stripped, none"),
        ("GWC_RECRAWL_MIN_SECONDS=1e9", ""),
    ):
        outcome = project.scrapy("crawl", "graph", "-s", setting)
        assert outcome.code == 2
        assert said in outcome.err
        assert "Traceback" not in outcome.err
    assert not site.hits

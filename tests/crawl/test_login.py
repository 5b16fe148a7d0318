"""Crawls of a shop for members: they log in, stay logged in, and store nothing that was fetched while logged out."""

from __future__ import annotations

import pytest

from tests.conftest import Project
from tests.crawl.fleet import Fleet
from tests.members_site import PASSWORD, USER, MembersSite
from tests.processes import kill, wait_until
from tests.redis_server import RedisServer


@pytest.fixture(autouse=True)
def member(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_USER", USER)
    monkeypatch.setenv("SHOP_PASSWORD", PASSWORD)


def crawl(project: Project, site: MembersSite, more: str = "", **settings: object) -> object:
    project.write_site("graph", site.site_file(more))
    project.write_knowledge()
    return project.scrapy("crawl", "graph", settings=settings)


def item_pages(project: Project) -> list[str]:
    return [url for (url,) in project.rows("SELECT url FROM pages WHERE url LIKE '%/item/%' ORDER BY url")]


@pytest.mark.parametrize("denial", ["redirect", "form", 401, 403])
def test_a_session_that_ends_during_the_crawl_costs_no_page(project: Project, denial: str | int) -> None:
    with MembersSite(pages=30, uses=9, denial=denial) as site:
        ended = crawl(project, site)
        assert ended.code == 0, ended.err
        assert site.logins["good"] >= 4
        assert site.logins["bad"] == 0
        assert len(item_pages(project)) == 30
        assert {state for url, state in project.states().items() if "/item/" in url} == {"C"}
        bodies = project.rows("SELECT body FROM pages WHERE url LIKE '%/item/%'")
        assert all("treasure" in body and "Please log in" not in body for (body,) in bodies)
        assert project.rows("SELECT max(attempts) FROM urls") == [(1,)]


def test_many_requests_wait_for_one_login(project: Project) -> None:
    with MembersSite(pages=40) as site:
        assert crawl(project, site, CONCURRENT_REQUESTS_PER_DOMAIN=16).code == 0
        assert site.logins == {"good": 1}
        assert not site.denied
        assert sum(site.views.values()) == 42  # with the page after the login


def test_a_wrong_password_ends_the_crawl_and_loses_no_url(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    with MembersSite() as site:
        monkeypatch.setenv("SHOP_PASSWORD", "wrong horse")
        ended = crawl(project, site, "attempts = 2\n")
        assert ended.code == 3
        assert f"login at {site.url}/login failed: the page still shows the form" in ended.err.splitlines()[-1]
        assert "wrong horse" not in ended.out + ended.err
        assert site.logins == {"bad": 2}
        assert set(project.states().values()) == {"U"}
        assert project.rows("SELECT max(attempts) FROM urls") == [(0,)]
        monkeypatch.setenv("SHOP_PASSWORD", PASSWORD)
        assert project.scrapy("crawl", "graph").code == 0
        assert len(item_pages(project)) == 12


def test_a_killed_crawl_logs_in_again(project: Project) -> None:
    with MembersSite(pages=60) as site:
        project.write_site("graph", site.site_file())
        project.write_knowledge()
        process = project.start("crawl", "graph", settings={"DOWNLOAD_DELAY": 0.02})
        wait_until(lambda: sum(site.views.values()) > 20)
        kill(process)
        site.sessions.clear()
        assert project.scrapy("crawl", "graph").code == 0
        assert len(item_pages(project)) == 60
        assert site.logins == {"good": 2}


def test_workers_of_a_shared_crawl_stay_logged_in(project: Project, redis_server: RedisServer) -> None:
    with MembersSite(pages=40, uses=15, denial="form") as site:
        project.write_site("graph", site.site_file())
        project.write_knowledge()
        fleet = Fleet(project, redis_server.url)
        for _ in range(2):
            fleet.join()
        logs = fleet.end()
        assert any("logged in url=" in log for log in logs)
        assert len(item_pages(project)) == 40
        assert not project.rows("SELECT url FROM pages WHERE body LIKE '%Please log in%'")
        assert PASSWORD not in "".join(logs)


def test_pages_that_are_for_others_alone_end_as_errors_without_endless_logins(project: Project) -> None:
    with MembersSite(pages=30) as site:
        site.forbidden = {f"/item/{number}" for number in range(20)}
        assert crawl(project, site).code == 0
        states = project.states()
        assert [states[f"{site.url}{path}"] for path in sorted(site.forbidden)] == ["E"] * 20
        assert len(item_pages(project)) == 10
        assert site.logins["good"] < len(site.forbidden)


@pytest.mark.parametrize("leads_away", [False, True])
def test_the_login_page_may_know_who_is_logged_in(project: Project, leads_away: bool) -> None:
    with MembersSite(pages=10) as site:
        site.leads_away = leads_away
        site.forbidden = {"/item/4"}
        ended = crawl(project, site)
        assert ended.code == 0, ended.err
        assert len(item_pages(project)) == 9
        assert site.logins["good"] == (1 if leads_away else 4)


def test_no_redirect_takes_the_password_to_another_host(project: Project) -> None:
    with MembersSite() as site, MembersSite() as foreign:
        site.onward = f"{foreign.url}/session"
        ended = crawl(project, site, "attempts = 1\n")
        assert ended.code == 3
        assert f"would have what was typed sent on to {foreign.url[7:]}" in ended.err.splitlines()[-1]
        assert not foreign.heard


def test_a_form_named_by_css_and_a_test_for_success(project: Project) -> None:
    with MembersSite(denial="form") as site:
        ended = crawl(
            project, site, 'form = "#login"\nsuccess = { css = "p.hello", text = "Sign out", url = "/account" }\n'
        )
        assert ended.code == 0, ended.err
        assert len(item_pages(project)) == 12


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ('form = "#other"\n', "the page shows no form '#other'"),
        ('success = { text = "Welcome back" }\n', "does not pass the test for success: text 'Welcome back'"),
        ('form = "form"\n', "the form has no field 'username', but q"),
    ],
)
def test_what_is_wrong_with_a_login_is_said(project: Project, more: str, told: str) -> None:
    with MembersSite() as site:
        ended = crawl(project, site, f"attempts = 1\n{more}")
        assert ended.code == 3
        assert told in ended.err.splitlines()[-1]


def test_the_pre_crawl_is_logged_in_and_learns_what_members_see(project: Project) -> None:
    with MembersSite(pages=12, uses=8) as site:
        samples = "".join(
            f'\n[[samples]]\nurl = "{site.url}/item/{number}"\nfields = {{ title = "/item/{number}" }}\n'
            for number in (3, 5)
        )
        project.write_site("graph", site.site_file(samples))
        assert project.scrapy("crawl", "graph").code == 0
        titles = {title for (title,) in project.rows("SELECT title FROM records_graph")}
        assert {f"/item/{number}" for number in range(12)} <= titles


def test_one_page_is_looked_at_as_a_crawl_would(project: Project) -> None:
    with MembersSite() as site:
        project.write_site("graph", site.site_file())
        project.write_knowledge()
        shown = project.scrapy("fetch", "--spider", "graph", f"{site.url}/item/3", "--nolog")
        assert "<h1>/item/3</h1>" in shown.out, shown.err
        assert site.logins == {"good": 1}

"""Everything that can be done in the dashboard, done by clicking in a real browser; and what a browser must not do.

One dashboard serves the module: a shop as a crawl left it, in which everything that a site may say means harm, and a
slow site whose crawl is begun, paused and stopped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

import pytest

from gwc_crawler.demo.mall import Mall
from gwc_crawler.demo.mall_server import MallServer
from gwc_crawler.frontier.sqlite.frontier import SqliteFrontier
from gwc_crawler.items import Link, UrlState
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.operate.schedules import ScheduleBook
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.sink import SqliteSink
from tests.commands.stored_shop import URL, html_of, store_shop, visit, wrapper
from tests.conftest import Project
from tests.dashboard.windows import FOREIGN_NAME, Window, begin_dashboard
from tests.processes import wait_until
from tests.shop_site import SAMPLES
from tests.site_server import SiteServer

EVIL = (
    "<script>alert(1)</script>\u202egnp.exe\"'><img src=http://evil.example/x onerror=alert(1)>"
    "<style>body{background:url(http://evil.example/y)}</style>"
)
HARMFUL_URL = f"{URL}/%3Cscript%3Ealert(1)%3C/script%3E?a=%22onmouseover=%22alert(2)&b=javascript:alert(3)"
ITEMS = re.escape(f"{URL}/item/") + "[0-9]+"
VIEWS = ("", "/queue", "/records", "/fields", "/learned", "/links", "/change")
EVIL_HEADER = "<img src=http://evil.example/x onerror=alert(7)>"


@dataclass
class Dashboard:
    """A project, what its dashboard printed as its address, and the slow site."""

    project: Project
    address: str
    slow: SiteServer

    @property
    def origin(self) -> str:
        """Its address without the token."""
        return self.address.partition("/?")[0]

    def known(self) -> list[str]:
        """The shop's filters for targets."""
        known = Knowledge.load(self.project.directory / "data" / "shop" / "knowledge.json")
        return [one.regex for one in known.targets]

    def states(self) -> dict[str, UrlState]:
        """The states of the shop's URLs, by path."""
        with CrawlDatabase(self.project.directory / "data" / "shop" / "crawl.db", read_only=True) as database:
            found = SqliteFrontier(database, exclusive=False).select("*", (), 100)
            return {one.url.removeprefix(URL): one.state for one in found if one.state}


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """A dashboard that runs."""
    with Project(tmp_path_factory.mktemp("dashboard")) as project, SiteServer() as slow:
        slow.links = {"/": [f"/p/{n}" for n in range(400)], **{f"/p/{n}": ["/"] for n in range(400)}}
        slow.delays["*"] = 0.2
        project.write_graph_site(slow.url)
        project.write_knowledge()
        store_shop(project)
        project.write_knowledge("shop", targets=(ITEMS,), wrapper=wrapper(), keywords="")
        with CrawlDatabase(project.directory / "data" / "shop" / "crawl.db") as database:
            SqliteSink(database, site="shop", fields=["title", "price"]).write([visit(1, EVIL, f"javascript:{EVIL}")])
            waiting = [f"{URL}/{name}/{number}" for name in ("calendar", "item") for number in range(70, 74)]
            SqliteFrontier(database, exclusive=False).add([Link(url) for url in (*waiting, HARMFUL_URL)])
        yield Dashboard(project, begin_dashboard(project), slow)
        project.scrapy("stop", "graph")


@pytest.fixture(scope="module")
def opened(browser: Any, dashboard: Dashboard) -> Iterator[Window]:
    """A browser's window, for one test after the other: to open one costs more than most tests do in it."""
    with browser.new_context() as context:
        yield Window(context.new_page(), dashboard.origin)


@pytest.fixture
def window(opened: Window, dashboard: Dashboard) -> Iterator[Window]:
    """The window, which opened the printed address, and does nothing wrong until the test ends."""
    opened.sins.clear()
    opened.page.goto(dashboard.address)
    yield opened
    assert opened.sins == []


@pytest.fixture
def new_window(browser: Any, dashboard: Dashboard) -> Iterator[Window]:
    """One by itself, for what a browser is to remember."""
    with browser.new_context() as context:
        window = Window(context.new_page(), dashboard.origin)
        window.page.goto(dashboard.address)
        yield window
        assert window.sins == []


# --- what can be done -------------------------------------------------------------------------------------------------


def test_a_crawl_is_begun_paused_let_go_on_and_stopped(window: Window, dashboard: Dashboard) -> None:
    """Each is asked for, shown, and confirmed."""

    def does(what: str, sure: str = "") -> None:
        window.press(what, role="link")
        window.press(sure or what)

    window.go("/sites/graph")
    does("Start")
    window.told("Started")
    dashboard.slow.wait_for_pages(5)
    window.page.locator("#standing", has_text="running").wait_for()  # without loading the page again
    window.page.get_by_role("link", name="Pause").wait_for()
    does("Pause")
    window.told("The crawl is paused.")
    seen = sum(dashboard.slow.page_hits().values())
    does("Go on")
    window.told("The crawl goes on.")
    dashboard.slow.wait_for_pages(seen + 5)
    does("Stop")
    window.told("The crawl has stopped.")
    assert 0 < sum(state == "C" for state in dashboard.project.states().values()) < 401


def test_a_crawl_is_begun_again_by_keyboard_alone(window: Window, dashboard: Dashboard) -> None:
    """Nothing but Tab, letters and Enter; what is complete is asked for again."""

    def tab_to(name: str) -> None:
        for _ in range(60):
            window.page.keyboard.press("Tab")
            said = window.page.evaluate("document.activeElement.name || document.activeElement.innerText.trim()")
            if said == name:
                return
        pytest.fail(f"{name} can't be reached by keyboard")

    window.go("/sites/graph")
    tab_to("Start")
    window.page.keyboard.press("Enter")
    window.page.wait_for_url("**/do/start")
    tab_to("recrawl")
    window.page.keyboard.type("all")
    tab_to("Start")
    dashboard.slow.hits.clear()
    window.page.keyboard.press("Enter")
    window.told("Started")
    dashboard.slow.wait_for("/")
    window.page.get_by_role("link", name="Stop").wait_for()
    tab_to("Stop")
    window.page.keyboard.press("Enter")
    window.page.wait_for_url("**/do/stop")
    tab_to("Stop")
    window.page.keyboard.press("Enter")
    window.told("The crawl has stopped.")


def test_addresses_are_added_dropped_and_let_wait_again(window: Window, dashboard: Dashboard) -> None:
    """What the preview shows is hit, and nothing else."""
    window.go("/sites/shop/queue")
    window.page.get_by_text("Add addresses").click()
    window.page.fill("[name=urls]", f"{URL}/item/80\n{URL}/item/70")
    window.press("Check them …")
    window.shows("known already")
    assert "/item/80" not in dashboard.states()
    window.press("Add")
    window.told("1 URLs added.")
    before = dashboard.states()
    assert before["/item/80"] is UrlState.WAITING
    window.page.fill("[name=pattern]", "*/calendar/7[0-2]")
    window.press("Drop what waits …")
    window.page.locator("button.danger").wait_for()
    there = {one.removeprefix(URL) for one in window.page.locator("main ul a").all_inner_texts()}
    assert dashboard.states() == before
    window.press("Drop them")
    window.told("3 URLs dropped.")
    now = dashboard.states()
    assert {url for url in before if now.get(url) != before[url]} == there
    assert there == {f"/calendar/7{n}" for n in range(3)}
    window.page.fill("[name=pattern]", "*/calendar/71")
    window.press("Retry errors …")
    window.press("Retry them")
    window.told("1 URLs wait again.")
    assert {url for url, state in dashboard.states().items() if now.get(url) != state} == {"/calendar/71"}


def test_filters_are_tried_on_stored_pages_then_applied_or_thrown_away(window: Window, dashboard: Dashboard) -> None:
    edited = re.escape(f"{URL}/calendar/") + "7[0-3]"
    window.go("/sites/shop/change")
    window.page.fill("[name=targets]", f"{ITEMS}\n{edited}")
    window.press("See what it would change")
    window.shows("What the draft would change")
    window.page.get_by_role("link", name=f"{URL}/calendar/73").wait_for()
    assert dashboard.known() == [ITEMS]
    window.press("Apply it")
    window.page.wait_for_function("document.querySelector('[name=targets]').value.includes('calendar')")
    wait_until(lambda: dashboard.known() == [ITEMS, edited])
    window.go("/sites/shop/change")
    window.page.fill("[name=targets]", ITEMS)
    window.press("See what it would change")
    window.press("Throw it away")
    window.shows("Edit the filters")
    assert dashboard.known() == [ITEMS, edited]


def test_a_form_is_sent_once_however_often_its_button_is_clicked(window: Window, dashboard: Dashboard) -> None:
    """The slow site has to be asked for pages, so that the answer takes a while."""
    sent: list[str] = []
    window.page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    window.go("/new")
    window.page.fill("[name=url]", f"{dashboard.slow.url}/")
    window.page.evaluate("""() => {
        const button = document.querySelector("main form button");
        for (const then of [0, 50, 100]) setTimeout(() => button.click(), then);
    }""")
    window.page.wait_for_selector("#foreign")
    assert len(sent) == 1


def test_a_page_that_is_being_counted_is_not_loaded_again_while_somebody_works_on_it(window: Window) -> None:
    loads: list[str] = []

    def count(route: Any) -> None:
        loads.append(route.request.url)
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace("</main>", '<p class="counting">…</p></main>'))

    page = window.page
    page.route("**/sites/shop/queue", count)
    window.go("/sites/shop/queue")
    page.fill("[name=pattern]", "*/item/*")
    page.evaluate("document.activeElement.blur()")
    page.wait_for_timeout(2_500)
    assert (page.input_value("[name=pattern]"), len(loads)) == ("*/item/*", 1)
    page.get_by_text("Add addresses").click()
    page.fill("[name=urls]", "http://a.example/")
    page.fill("[name=pattern]", "")
    page.get_by_text("Add addresses").click()
    page.wait_for_timeout(2_500)
    assert (page.input_value("[name=urls]"), len(loads)) == ("http://a.example/", 1)
    page.evaluate("document.querySelector('[name=urls]').value = ''")
    wait_until(lambda: page.wait_for_timeout(100) or len(loads) == 2)
    page.wait_for_load_state()
    page.get_by_text("Add addresses").click()
    page.evaluate("document.activeElement.blur()")
    page.wait_for_timeout(2_500)
    assert len(loads) == 2
    page.unroute_all()


def test_a_schedule_is_kept_switched_and_removed(window: Window, dashboard: Dashboard) -> None:
    book = ScheduleBook(dashboard.project.directory / "data")
    window.go("/schedules")
    window.page.select_option("[name=name]", "shop")
    window.page.fill("[name=time]", "03:15")
    window.page.fill("[name=zone]", "Asia/Shanghai")
    window.press("Keep this schedule")
    window.told("shop will be crawled")
    (kept,) = book.all()
    assert (kept.site, kept.timing.spoken, kept.timing.zone) == ("shop", "03:15", "Asia/Shanghai")
    for button, is_on in (("Switch off", False), ("Switch on", True)):
        window.press(button)
        window.page.get_by_role("button", name="Switch on" if button == "Switch off" else "Switch off").wait_for()
        assert [one.is_on for one in book.all()] == [is_on]
    window.page.get_by_role("button", name=re.compile("^Remove")).click()
    window.told("is removed")
    assert book.all() == []


def test_a_new_site_is_clicked_together_crawled_and_learned_again(window: Window, dashboard: Dashboard) -> None:
    """A click on one review gives a crawl with all reviews; learned and read again, the stored pages say the same."""
    mall = Mall(1, 30)
    shown = window.page
    with MallServer(mall) as server:
        window.go("/new")
        shown.fill("[name=url]", f"{server.url}/")
        window.press("Propose a site file")
        shown.wait_for_selector("#foreign")
        for box in shown.query_selector_all("fieldset:has(input[value=reviews]) input[name=remove]"):
            box.check()
        window.press("Keep changes")
        shown.wait_for_selector(".told")
        assert shown.locator("input[value=reviews]").count() == 0
        shown.locator("#foreign p").last.scroll_into_view_if_needed()
        reviewed = next(
            one for one in shown.query_selector_all("#foreign [data-e]") if one.inner_text().startswith("20")
        )
        reviewed.focus()
        shown.keyboard.press("Enter")
        shown.fill("#pick [name=name]", "reviews")
        window.press("This and the others like it")
        window.told("reviews was taken")
        window.press("Keep, and try on further pages")
        shown.fill("[name=name]", "mall")
        window.press("Save, and crawl")
        window.told("mall.toml is written")
        shown.get_by_text("ended well").first.wait_for(timeout=180_000)
    found = dashboard.project.rows("SELECT url, reviews FROM records_mall", name="mall")
    reviews = {url.removeprefix(server.url): [one["text"] for one in json.loads(said or "[]")] for url, said in found}
    true = {path: record["reviews"] or [] for path, record in mall.records.items()}
    assert reviews == {path: [row["text"] for row in said if isinstance(row, dict)] for path, said in true.items()}
    known = dashboard.project.knowledge("mall")
    window.go("/sites/mall/change")
    window.press("Learn again, and compare")
    window.shows("What the draft would change")
    assert dashboard.project.knowledge("mall") == known
    window.press("Throw it away")
    window.press("Read them again")
    shown.locator("section", has_text="Read the stored pages again").get_by_text("ended well").wait_for()
    assert dashboard.project.rows("SELECT url, reviews FROM records_mall", name="mall") == found


# --- what must not happen ---------------------------------------------------------------------------------------------


def test_what_means_harm_stays_text_in_every_view(window: Window) -> None:
    """Title, record, address: `window` fails where one of them runs, opens a dialog or asks for anything elsewhere."""
    for view in (*VIEWS, f"/record?url={URL}/item/1"):
        window.go(f"/sites/shop{view}")
        assert window.page.locator("main img:not([src^='/sites/']), main script, main style").count() == 0, view
        assert window.page.locator("[href^='javascript:'], [onerror], [onmouseover]").count() == 0, view
    frame = window.page.frame_locator("main iframe")
    frame.get_by_text("Price:").wait_for()
    assert frame.locator("script, img[src], [onerror], [onmouseover]").count() == 0
    window.go("/sites/shop/records")
    window.shows("alert(1)")
    window.page.keyboard.press("/")
    window.page.keyboard.type("<script>alert(5)</script>")
    window.page.keyboard.press("Enter")
    window.shows("None found.")
    window.go("/sites/shop/queue")
    window.page.fill("[name=pattern]", "*script*")
    window.press("Drop what waits …")
    window.page.get_by_role("link", name=HARMFUL_URL).wait_for()


def test_a_site_that_means_harm_is_crawled_and_shown_as_text(window: Window, dashboard: Dashboard) -> None:
    """Titles, values, addresses, robots.txt, redirects and headers, as they come over the wire."""
    script = "<script>alert(8)</script>"
    harmful = {
        "/": {"X-Powered-By": script, "Server": EVIL_HEADER, "Retry-After": script, "Set-Cookie": f"a={EVIL_HEADER}"},
        "/item/1": {
            "ETag": f'"{EVIL_HEADER}"',
            "Last-Modified": EVIL_HEADER,
            "Link": f'<javascript:alert(9)>; rel="{script}"',
        },
        "/away": {"Location": "javascript:alert(9)"},
        "/off": {"Location": f"http://evil.example/x?{script}"},
    }
    with SiteServer() as site:
        links = ["/item/1", "/item/2", "/away", "/off", "/gone", f"/item/3?{script}", "javascript:alert(9)", "/type"]
        site.links = {"/": links, "/away": [], "/off": []}
        for number, said in enumerate((escape(EVIL), EVIL), 1):  # as text, and as elements
            site.bodies[f"/item/{number}"] = (html_of(said, escape(script)), "text/html; charset=utf-8")
        site.bodies["/type"] = (b"<p>treasure", f"text/html; charset={script}")
        site.bodies["/robots.txt"] = (f"User-agent: *\nDisallow: /{script}\n".encode(), "text/plain")
        site.headers = harmful
        site.statuses = {"/away": 302, "/off": 301, "/gone": 500}
        dashboard.project.write_site("harm", f'entry = ["{site.url}/"]\n' + SAMPLES.format(url=site.url))
        targets = (re.escape(f"{site.url}/item/") + "[0-9]+",)
        dashboard.project.write_knowledge("harm", targets=targets, wrapper=wrapper(), keywords="")
        assert dashboard.project.scrapy("crawl", "harm", settings={"RETRY_ENABLED": False}).code == 0
        shown = f"/sites/harm/record?url={site.url}/item/1"
        for path in ("/", *(f"/sites/harm{one}" for one in VIEWS), shown, f"/new?url={script}&second={script}"):
            window.go(path)
            assert window.page.locator("main script, main style, [onerror], [href^='javascript:']").count() == 0, path
        window.go("/sites/harm/records")
        window.shows("alert(1)")
        window.go("/new")
        window.page.fill("[name=url]", f"{site.url}/item/1")
        window.press("Propose a site file")
        window.page.locator("#foreign").wait_for()
        assert window.page.locator("#foreign script, #foreign img, #foreign style, #foreign [href]").count() == 0


def test_its_look_and_its_language_are_chosen(new_window: Window) -> None:
    window = new_window
    for theme in ("dark", "light"):
        window.go("/")
        window.page.locator(f"[name=theme][value={theme}]").click()
        window.page.wait_for_selector(f"html[data-theme={theme}]")
    window.page.locator("[name=language][value=zh]").click()
    window.page.wait_for_selector("html[lang=zh]")
    window.go("/sites/shop/queue")
    assert window.page.locator("html").get_attribute("lang") == "zh"


def test_who_has_no_token_sees_nothing(browser: Any, dashboard: Dashboard) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        answer = page.goto(f"{dashboard.origin}/sites/shop")
        assert answer.status == 403
        assert "Book number" not in page.content()
        page.fill("[name=token]", dashboard.address.rpartition("=")[2])
        page.click("button")
        page.get_by_role("link", name="shop").first.wait_for()


def test_a_page_of_another_site_starts_nothing(window: Window, dashboard: Dashboard) -> None:
    """It sends the very form, in a browser that has the token's cookie; ports don't part sites, so the cookie goes."""
    window.go("/sites/shop/do/start")
    token = window.page.locator("main [name=form_token]").get_attribute("value")
    form = f'<form method="post" action="{dashboard.origin}/sites/shop/do/start"><input name="form_token" '
    body = f'{form} value="{token}"></form><script>document.forms[0].submit()</script>'
    dashboard.slow.bodies["/trap"] = (body.encode(), "text/html")
    page = window.page.context.new_page()
    with page.expect_response(f"{dashboard.origin}/**") as answered:
        page.goto(f"{dashboard.slow.url}/trap")
    assert answered.value.status == 403
    assert "has to come from a page of this dashboard" in page.content()
    assert not (dashboard.project.directory / "data" / "shop" / "dashboard.log").exists()


def test_a_name_that_was_turned_to_this_machine_is_refused(browser: Any, dashboard: Dashboard) -> None:
    """DNS rebinding: the browser takes the dashboard for a site of somebody else's, who then may read it."""
    with browser.new_context() as context:
        page = context.new_page()
        answer = page.goto(dashboard.address.replace("127.0.0.1", FOREIGN_NAME))
        assert answer.status == 421
        assert "not the name of this dashboard" in page.content()
        assert context.cookies() == []

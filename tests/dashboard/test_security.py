"""Who is kept out of the dashboard, and what its pages may do."""

from __future__ import annotations

import asyncio
import io
import logging
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import quote

import pytest
from aiohttp import FormData
from aiohttp.http_exceptions import BadHttpMessage
from yarl import URL

from gwc_crawler.dashboard.queries import steering
from gwc_crawler.dashboard.queries.drafts import Drafts, SiteDraft
from gwc_crawler.dashboard.serving import is_no_stranger_s
from gwc_crawler.dashboard.views import steering as views_steering
from gwc_crawler.dashboard.web.security import VisitorCheck
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.learn.propose.guess import FieldProposal
from gwc_crawler.operate.schedules import ScheduleBook
from tests.commands.stored_shop import store_shop, wrapper
from tests.conftest import Project
from tests.dashboard.asking import TOKEN, Browser, Question, ask, browse
from tests.learn.propose.pages import ORIGIN, page

FORM = {"form_token": VisitorCheck(TOKEN).form_token, "language": "zh", "back": "/"}


def test_without_its_token_nothing_is_shown(tmp_path: Path) -> None:
    (tmp_path / "sites").mkdir()
    (tmp_path / "sites" / "books.toml").write_text('entry = ["http://b.example/"]\n')
    questions = ("/", "/live", "/sites/books", "/?token=wrong", Question("/look", FORM))
    assert [(one.status, "books" in one.text) for one in ask(tmp_path, *questions, entered=False)] == [
        (403, False)
    ] * len(questions)


def test_the_token_goes_from_the_address_into_a_cookie_of_this_site_alone(tmp_path: Path) -> None:
    (seen,) = ask(tmp_path, Question(f"/?token={TOKEN}&a=b", follow=False), entered=False)
    assert (seen.status, seen.headers["Location"]) == (303, "/?a=b")
    cookie = seen.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie


def test_a_host_name_of_somebody_else_s_is_refused(tmp_path: Path) -> None:
    hosts = ("evil.example", "localhost.evil.example:80", "127.0.0.1.evil.example", "a@evil.example", "[::1", "")
    seen = ask(tmp_path, *(Question("/", headers={"Host": host}) for host in hosts))
    assert {one.status for one in seen} <= {400, 421}
    assert all("form_token" not in one.text for one in seen)


FROM_ELSEWHERE = (
    {"Origin": "http://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1:1"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "none"},
)


@pytest.mark.parametrize("headers", FROM_ELSEWHERE, ids=str)
def test_what_another_site_sends_changes_nothing(tmp_path: Path, headers: dict[str, str]) -> None:
    (seen,) = ask(tmp_path, Question("/look", FORM, headers, follow=False))
    assert seen.status == 403
    assert "Set-Cookie" not in seen.headers


def test_a_form_needs_its_token_and_a_known_way(tmp_path: Path) -> None:
    wrong = {**FORM, "form_token": "0" * 64}
    away = {**FORM, "back": "//evil.example/"}
    seen = ask(tmp_path, Question("/look", wrong), Question("/look", FORM), Question("/look", away, follow=False))
    assert [one.status for one in seen] == [403, 200, 303]
    assert 'lang="zh"' in seen[1].text
    assert seen[2].headers["Location"] == "/"


def test_pages_run_no_script_but_ours_and_stand_in_no_other_s_frame(tmp_path: Path) -> None:
    page, missing = ask(tmp_path, "/", "/nothing")
    for seen in (page, missing):
        policy = seen.headers["Content-Security-Policy"]
        assert "unsafe" not in policy
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert seen.headers["Cache-Control"] == "no-store"
        assert "<style" not in seen.text
        assert " style=" not in seen.text
        assert " onclick=" not in seen.text
    assert missing.status == 404


# --- what no page of ours sends -------------------------------------------------------------------------------------

ODD = (
    *("", "\0", "x", "../../etc/passwd", "-1", "9" * 30, "٣", "*" * 300, "(", "(?P<", "a{99999999999999999999}"),
    *("(" * 5000, "(?i)x", "[[:a", "http://[::1", "http://127.0.0.1:1/", "file:///etc/passwd", "/a\r\nX: y"),
    *("javascript:alert(1)", "<script>alert(1)</script>", "\u202e\ufeff", "http://a b/", "'; DROP TABLE urls;--"),
)
FORMS = {
    "/look": {"theme": "dark", "language": "zh", "back": "/"},
    "/schedules": {"name": "shop", "cron": "", "days": "", "time": "3:00", "zone": "", "recrawl": "", "missed": "run"},
    "/schedules/{schedule}": {"what": "remove"},
    "/sites/shop/queue/preview": {"what": "drop", "pattern": "*"},
    "/sites/shop/queue/preview/{preview}": {"sure": "1"},
    "/sites/shop/queue/add": {"urls": "http://127.0.0.1:1/", "force": "", "sure": ""},
    "/sites/shop/change/filters": {"targets": "http://x/", "directories": "", "max_weight": "1"},
    "/sites/shop/change/decide": {"what": "drop"},
    "/sites/shop/do/stop": {"recrawl": ""},
    "/new": {"url": "", "second": ""},
    "/new/abcdefgh/pick": {"page": "1", "element": "1", "name": "x", "how": "one"},
    "/new/abcdefgh/fields": {"site": "x", "keywords": "", "page": "1", "name0": "a", "value0_0": "300 g", "remove": ""},
    "/new/abcdefgh/save": {"name": "x"},
}
"""What each form sends; each of its values is put in an odd one's place."""


WHEN = {"days": "mon-fri", "time": "03:00", "zone": "Europe/Berlin"}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A project with a shop that was crawled."""
    project = Project(tmp_path)
    store_shop(project)
    project.write_knowledge("shop", targets=("http://shop/item/[0-9]+",), wrapper=wrapper())
    return tmp_path


async def made(browser: Browser, shop: Path, path: str) -> str:
    """The path once there is what it names: a draft, a preview, a schedule, other knowledge to be applied."""
    data = shop / "data"
    if path.startswith("/new/"):
        fields = [FieldProposal("a", ["300 g", "301 g"], "clicked"), FieldProposal("b", [["x"], None], "clicked")]
        draft = SiteDraft("abcdefgh", "x", f"{ORIGIN}/", "", [page(0), page(1)], fields)
        Drafts(data).keep(draft, [(one, "") for one in draft.pages])
        (shop / "sites" / "x.toml").unlink(missing_ok=True)
    if path.endswith("/decide"):
        Knowledge.load(data / "shop" / "knowledge.json").save(data / "shop" / "knowledge.draft.json")
    if "{preview}" in path:
        sought = await browser.post("/sites/shop/queue/preview", {**FORM, "what": "drop", "pattern": "*"})
        return path.replace("{preview}", sought.url.name)
    if "{schedule}" in path:
        if not ScheduleBook(data).all():
            await browser.post("/schedules", {**FORM, **FORMS["/schedules"], **WHEN})
        return path.replace("{schedule}", ScheduleBook(data).all()[0].id)
    return path


@pytest.mark.parametrize("path", FORMS)
def test_a_form_with_odd_values_is_refused_or_answered(shop: Path, path: str) -> None:
    form = {**FORM, **FORMS[path]}

    async def asked(browser: Browser) -> set[int]:
        statuses = set()
        for name, odd in product(FORMS[path], ODD):
            there = await made(browser, shop, path)
            answer = await browser.post(there, {**form, name: odd}, allow_redirects=False)
            text = await answer.text()
            assert answer.status < 500, (name, odd, text)
            assert "Traceback" not in text
            assert "<script>alert" not in text
            statuses.add(answer.status)
        return statuses

    assert 404 not in browse(shop, asked)


PARTS = ("/sites/{}", "/sites/{}/records", "/sites/shop/record?url={}", "/sites/shop/records?before={}", "/new/{}")


@pytest.mark.parametrize("path", [*PARTS, "/sites/shop/do/{}", "/static/{}", "/?told={}"])
def test_an_odd_address_is_no_error_of_ours(shop: Path, path: str) -> None:
    async def asked(browser: Browser) -> set[int]:
        there = [path.format(quote(odd, safe="")) for odd in ODD if odd]
        found = [await browser.client.get(URL(one, encoded=True)) for one in there]
        return {one.status for one in found}

    assert browse(shop, asked) <= {200, 400, 404}


def test_a_site_file_that_lies_elsewhere_is_no_site(shop: Path) -> None:
    elsewhere = shop / "elsewhere.toml"
    elsewhere.write_text('entry = ["http://b.example/"]\nkeywords = "secret"\n')

    async def asked(browser: Browser) -> set[tuple[int, bool]]:
        found = []
        for name in (elsewhere, "../elsewhere.toml", "../elsewhere", "elsewhere"):
            for view in ("", "/change", "/do/start"):
                answer = await browser.client.get(URL(f"/sites/{quote(str(name), safe='')}{view}", encoded=True))
                found.append((answer.status, "there is no site" in await answer.text()))
        return set(found)

    assert browse(shop, asked) == {(404, True)}


@pytest.mark.parametrize("header", ["Authorization: Bearer ", "Cookie: gwc_dashboard_{port}="])
def test_a_token_that_is_no_text_is_wrong(tmp_path: Path, header: str) -> None:
    """Sent byte by byte: a client of ours leaves out what is no text."""

    async def sent(browser: Browser) -> bytes:
        host, port = browser.client.host, browser.client.port
        named = f"GET / HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n{header.replace('{port}', str(port))}"
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(named.encode() + b"\xff\r\n\r\n")
        answer = await reader.readline()
        writer.close()
        return answer

    assert browse(tmp_path, sent, entered=False).split()[1] == b"403"


TYPE = "application/x-www-form-urlencoded"
HALF_SIGN = {"Content-Type": f"{TYPE}; charset=utf-7"}
BAD_FORMS = (
    ({"Origin": "http://["}, b"--x", 403),
    ({"Content-Type": "multipart/form-data"}, b"--x", 400),
    ({"Content-Type": "multipart/form-data; boundary=no"}, b"--x", 400),
    ({"Content-Type": f"{TYPE}; charset=klingon"}, b"--x", 400),
    (HALF_SIGN, b"form_token=+2AA-", 400),
    (HALF_SIGN, f"form_token={FORM['form_token']}&theme=+2AA-".encode(), 400),
    (HALF_SIGN, f"form_token={FORM['form_token']}&+2AA-=x".encode(), 400),
)


@pytest.mark.parametrize(("headers", "form", "status"), BAD_FORMS, ids=str)
def test_what_can_t_be_read_is_refused(tmp_path: Path, headers: dict[str, str], form: bytes, status: int) -> None:
    async def sent(browser: Browser) -> int:
        given = {"Origin": browser.origin, "Content-Type": TYPE, **headers}
        return (await browser.client.post("/look", data=form, headers=given)).status

    assert browse(tmp_path, sent) == status


def test_a_form_that_is_too_large_or_brings_files_is_refused(tmp_path: Path) -> None:
    async def sent(browser: Browser) -> list[int]:
        headers = {"Origin": browser.origin, "Content-Type": "application/x-www-form-urlencoded"}
        large = await browser.client.post("/new", data=io.BytesIO(b"url=" + 5_000_000 * b"a"), headers=headers)
        brought = FormData({"form_token": FORM["form_token"]})
        brought.add_field("url", b"\0\xff", filename="../../x", content_type="application/octet-stream")
        file = await browser.client.post("/new", data=brought, headers={"Origin": browser.origin})
        return [large.status, file.status]

    assert browse(tmp_path, sent) == [413, 200]


def test_what_is_no_http_fills_no_log() -> None:
    def record(error: Exception) -> logging.LogRecord:
        return logging.LogRecord("http", logging.ERROR, "", 0, "failed", (), (type(error), error, None))

    assert [is_no_stranger_s(record(error)) for error in (BadHttpMessage("x"), ValueError("x"))] == [False, True]


def test_after_a_stop_another_crawl_can_be_started_at_once(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process that was started here is waited for: it ends a moment after its crawl has."""
    ended = []
    monkeypatch.setattr(
        steering,
        "start_command",
        lambda *_: SimpleNamespace(code=None, began_at=0.0, said="", wait=lambda: ended.append(1)),
    )
    monkeypatch.setattr(views_steering, "ask_crawl", lambda *_: [SimpleNamespace(idle=False, left=[])])

    async def clicked(browser: Browser) -> str:
        await browser.post("/sites/shop/do/start", FORM)
        return await (await browser.post("/sites/shop/do/stop", FORM)).text()

    assert "The crawl has stopped." in browse(shop, clicked)
    assert ended == [1]


def test_two_clicks_at_once_start_one_crawl(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = []

    def start(*_: object) -> SimpleNamespace:
        started.append(1)
        return SimpleNamespace(code=None, began_at=0.0, said="")

    monkeypatch.setattr(steering, "start_command", start)

    async def clicked(browser: Browser) -> list[str]:
        answers = await asyncio.gather(*(browser.post("/sites/shop/do/start", FORM) for _ in range(6)))
        return [await one.text() for one in answers]

    said = browse(shop, clicked)
    assert (len(started), sum("It runs already." in text for text in said)) == (1, 5)

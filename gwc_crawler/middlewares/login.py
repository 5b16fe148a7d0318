"""A crawl that logs in: before its first page, and whenever pages show that it has been logged out.

A page that was fetched while logged out is fetched again, under its lease, and is never stored.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urljoin, urlsplit

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Response, TextResponse

from gwc_crawler.errors import GwcError, InputError, SiteError
from gwc_crawler.items import META_IN_DOUBT, META_LOGIN, META_SESSION, META_SIGNS, META_WITHIN, end_crawl
from gwc_crawler.middlewares.headers import NotAsked
from gwc_crawler.network.access import Login, Reach, Success
from gwc_crawler.network.masking import masked
from gwc_crawler.wiring.options import retry_policy

if TYPE_CHECKING:
    from lxml.html import FormElement, HtmlElement

logger = logging.getLogger(__name__)


# --- A page with a login form → what is sent to log in ----------------------------------------------------------------


def fill_form(
    page: str, url: str, fields: Mapping[str, str], css: str = "", encoding: str = "utf-8"
) -> tuple[str, bytes]:
    """Fill the form of the login page as a browser would: its hidden fields stay, its first button is pressed.

    *fields* says what is typed; *css* finds the form, or something in it; "": the one that has all the fields. Returns
    the address that it goes to, and the body of the POST. Raises ValueError: no such form, or it can't be sent.
    """
    tree: Any = _tree(page)
    form = None if tree is None else next(_forms(tree, fields, css), None)
    if form is None:
        names = ", ".join(fields)
        raise ValueError(
            f"the page shows no form {css!r}" if css else f"the page shows no form with the fields {names}"
        )
    if missing := [name for name in fields if name not in form.fields]:
        known = ", ".join(sorted(name for name in form.fields if name))
        raise ValueError(f"the form has no field {missing[0]!r}, but {known or 'none'}")
    if form.method != "POST":
        raise ValueError("the form puts what is typed into the address (method GET), where it could not stay secret")
    base = str(next(iter(tree.xpath("//base/@href")), ""))
    target = urljoin(urljoin(url, base), (form.get("action") or "").strip() or url)
    if urlsplit(target).scheme not in ("http", "https"):
        raise ValueError("a script sends the form; the browser profile can log in there")
    kept = [(name, value) for name, value in form.form_values() if name not in fields]
    # some servers look for the field that the form's first button adds
    buttons = form.xpath(".//button[@name and (not(@type) or @type='submit')] | .//input[@name and @type='submit']")
    pressed = [(one.get("name"), one.get("value") or "") for one in buttons[:1] if one.get("name") not in fields]
    data = [*kept, *pressed, *fields.items()]
    return target, urlencode(data, encoding=encoding, errors="xmlcharrefreplace").encode("ascii")


def shows_fields(page: str, fields: Collection[str], css: str = "") -> bool:
    """Say whether a page shows the form to log in: one that *css* finds and that has all the fields."""
    if not all(name in page for name in fields):  # most pages end here, unparsed
        return False
    tree = _tree(page)
    return tree is not None and any(all(name in form.fields for name in fields) for form in _forms(tree, fields, css))


def succeeded(page: str, url: str, success: Success) -> bool:
    """Tell whether a page passes the test for being logged in, as far as the page can tell (see `Success`)."""
    if success.text and success.text not in page:
        return False
    if success.url and not re.search(success.url, url):
        return False
    if not success.css:
        return True
    tree = _tree(page)
    return tree is not None and bool(tree.cssselect(success.css))


def _tree(page: str) -> HtmlElement | None:
    from lxml import html
    from lxml.etree import ParserError

    try:
        return html.document_fromstring(page.encode(errors="replace"), html.HTMLParser(encoding="utf-8"))
    except ParserError:  # an empty page
        return None


def _forms(tree: Any, fields: Collection[str], css: str) -> Iterator[FormElement]:
    if not css:
        yield from (form for form in tree.forms if all(name in form.fields for name in fields))
        return
    for found in tree.cssselect(css):
        form = found if found.tag == "form" else next(found.iterancestors("form"), None)
        yield from [form] if form is not None else found.iter("form")


_WITHOUT = frozenset({META_LOGIN, META_WITHIN, META_IN_DOUBT})

MOST_ROUNDS = 3
"""Maximum number of times that a page is asked for again after a login: its session may end before the page's turn."""

FALSE_ALARMS = 3
"""Pages with the same sign right after a login, after which that sign is obeyed only now and then."""

NOW_AND_THEN = 20
"""Pages with such a sign per one that is obeyed."""

BODY_GOES_ALONG = frozenset({307, 308})

DENIED = frozenset({401, 403})


class LoginFailed(SiteError):
    """The site does not let the crawl in: look at what the site file says of it."""


class LoggedOut(IgnoreRequest):
    """A page was not to be had, though the crawl has logged in: it may be there for others alone."""


class Session:
    """One login of one process, and how often it was made anew.

    `number` is 0 before the first login; each Request remembers under which one it went out. *fetch* downloads through
    all middlewares, *fail* is told what ends the crawl; *base_seconds* is the wait before the second try; it doubles.
    """

    def __init__(
        self,
        login: Login,
        reach: Reach,
        fetch: Callable[[Request], Awaitable[Response]],
        fail: Callable[[GwcError], None],
        base_seconds: float,
    ) -> None:
        self.login = login
        self.number = 0
        self._reach = reach
        self._fetch = fetch
        self._fail = fail
        self._base_seconds = base_seconds
        self._failed: LoginFailed | None = None
        self._task: asyncio.Task[None] | None = None
        self._false: Counter[str] = Counter()
        """Sign → false ones in a row."""
        self._seen: Counter[str] = Counter()

    @property
    def is_ready(self) -> bool:
        """Whether a Request may go out now."""
        return self.number > 0 and self._task is None and self._failed is None

    async def renew(self, since: int) -> None:
        """Log in once for all callers, unless done since login *since*. NotAsked: impossible, the crawl ends."""
        if self._task is None and self._failed is None and self.number == since:
            self._task = asyncio.ensure_future(self._log_in())
        if self._task is not None:
            await asyncio.shield(self._task)
        if self._failed is not None:
            raise NotAsked(str(self._failed))

    def follows(self, sign: str) -> bool:
        """Say whether a sign is followed by a login."""
        self._seen[sign] += 1
        return self._false[sign] < FALSE_ALARMS or self._seen[sign] % NOW_AND_THEN == 0

    def was_false(self, sign: str, url: str) -> None:
        """Note that a page gives a sign right after a login."""
        self._false[sign] += 1
        if self._false[sign] == FALSE_ALARMS:
            logger.warning("hardly a sign of being logged out: %s, also right after a login url=%s", sign, url)

    def was_true(self, sign: str) -> None:
        """Note that a login brought the page that had given a sign."""
        self._false[sign] = self._seen[sign] = 0

    def is_login_page(self, url: str) -> bool:
        """Say whether a URL is the login page's, whatever its query says of where one came from."""
        one, other = urlsplit(url), urlsplit(self.login.url)
        return (one.netloc, one.path or "/") == (other.netloc, other.path or "/")

    async def _log_in(self) -> None:
        why = ""
        try:
            for attempt in range(1, self.login.attempts + 1):
                why = await self._attempt()
                if not why:
                    self.number += 1
                    logger.info("logged in url=%s times=%d", self.login.url, self.number)
                    return
                logger.warning(
                    "no login url=%s attempt=%d of %d: %s", self.login.url, attempt, self.login.attempts, why
                )
                if attempt < self.login.attempts:
                    await asyncio.sleep(self._base_seconds * 2 ** (attempt - 1))
            self._give_up(f"{why}; tried {self.login.attempts} times; look at [login] and the variables it names")
        except Exception as error:  # whatever it is: those that wait have to be told
            logger.debug("login failed", exc_info=True)
            self._give_up(f"{type(error).__name__}: {error}")
        finally:
            self._task = None

    def _give_up(self, why: str) -> None:
        self._failed = LoginFailed(masked(f"login at {self.login.url} failed: {why}"))
        self._fail(self._failed)

    async def _attempt(self) -> str:
        """Get the form, send it, look at what comes; returns what is wrong, "" if one is logged in."""
        login = self.login
        try:
            page = await self._ask(Request(login.url))
            if page.status >= 400:
                return f"the login page answers HTTP {page.status}"
            text, test = _text(page), login.success.of_any_page
            if str(test) and succeeded(text, page.url, test):
                return ""  # the cookies that the crawl brought along are valid
            if not shows_fields(text, login.fields, login.form) and (self.number or not self.is_login_page(page.url)):
                return ""  # a logged-in visitor is led away from the form, or not shown it
            fields = {name: value.reveal() for name, value in login.fields.items()}
            target, body = fill_form(text, page.url, fields, login.form, getattr(page, "encoding", "utf-8"))
            if not self.may_send(target):
                where = urlsplit(target)
                to = f"{where.scheme}://{where.netloc}"
                return f"the form sends what is typed to {to}, which is not the site's; if it is, name it in hosts"
            kind = {"Content-Type": "application/x-www-form-urlencoded", "Referer": page.url}
            answer = await self._ask(Request(target, method="POST", body=body, headers=kind))
        except (ValueError, InputError, IgnoreRequest, OSError) as error:
            return str(error)
        except Exception as error:
            if type(error).__module__ != "scrapy.exceptions":  # a download that failed
                raise
            return f"{type(error).__name__}: {error}"
        return self._problem_of(answer)

    def may_send(self, url: str) -> bool:
        """Say whether a password may go there: to the site, or to the login page's own host, and never less safely."""
        here, there = urlsplit(self.login.url), urlsplit(url)
        if there.netloc == here.netloc:
            return there.scheme == "https" or here.scheme == "http"
        return self._reach.has(url)

    def _problem_of(self, answer: Response) -> str:
        login = self.login
        text = _text(answer)
        if answer.status >= 400:
            return f"the form is answered with HTTP {answer.status}"
        if shows_fields(text, login.fields, login.form):
            return f"the page still shows the form with the fields {', '.join(login.fields)}"
        if not succeeded(text, answer.url, login.success):
            return f"the page after it, {answer.url}, does not pass the test for success: {login.success}"
        return ""

    async def _ask(self, request: Request) -> Response:
        request.meta.update({META_LOGIN: True, META_WITHIN: True, "dont_obey_robotstxt": True})
        request.dont_filter = True
        return await self._fetch(request)


def _text(response: Response) -> str:
    return response.text if isinstance(response, TextResponse) else ""


def session_of(crawler: Crawler) -> Session:
    """Return the session of a crawler's spider, the same one for all middlewares."""
    spider: Any = crawler.spider
    session: Session | None = getattr(spider, "login_session", None)
    if session is None:
        site = spider.site
        base_seconds = retry_policy(crawler.settings).base_seconds

        async def fetch(request: Request) -> Response:
            return await crawler.engine.download_async(request)

        def fail(error: GwcError) -> None:
            end_crawl(spider, error)

        session = spider.login_session = Session(site.access.login, site.reach, fetch, fail, base_seconds)
    return session


class _OfSession:
    """The shared part of both middlewares: the reaction to a sign that one is logged out."""

    def __init__(self, session: Session, reach: Reach) -> None:
        self._session = session
        self._reach = reach

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Any:
        spider: Any = crawler.spider
        return cls(session_of(crawler), spider.site.reach)

    async def _again(self, request: Request, sign: str, answer: Response | None) -> Any:
        """Log in and repeat the request, MOST_ROUNDS times; then return *answer*. Raises LoggedOut: there is none."""
        session, signs = self._session, request.meta.get(META_SIGNS, ())
        if len(signs) < MOST_ROUNDS and session.follows(sign):
            await session.renew(request.meta[META_SESSION])
            again = request.replace(dont_filter=True)
            again.meta[META_SIGNS] = (*signs, sign)
            return again
        if len(signs) >= MOST_ROUNDS:
            session.was_false(sign, request.url)
        if answer is None:
            raise LoggedOut(f"{sign}, though the crawl has logged in")
        return answer


class LoginMiddleware(_OfSession):
    """Lets no Request out before the crawl is logged in; sees a redirect to the login page, and 401 and 403."""

    def process_request(self, request: Request) -> Awaitable[None] | None:
        if not (_WITHOUT.isdisjoint(request.meta) and self._reach.has(request.url)):
            return None  # it is no page's: robots.txt, for one, is asked for on behalf of others
        if not self._session.is_ready:
            return self._wait(request)
        request.meta[META_SESSION] = self._session.number
        return None

    async def _wait(self, request: Request) -> None:
        await self._session.renew(0)
        request.meta[META_SESSION] = self._session.number

    def process_response(self, request: Request, response: Response) -> Any:
        if META_LOGIN in request.meta:
            self._check_onward(request, response)
        if response.status < 300 or META_SESSION not in request.meta:
            return response
        if response.status in DENIED:
            return self._again(request, f"HTTP {response.status}", response)
        location = response.headers.get(b"Location")
        if location is None or response.status >= 400 or self._session.is_login_page(request.url):
            return response
        if not self._session.is_login_page(urljoin(request.url, location.decode("latin-1").strip())):
            return response
        return self._again(request, "redirected to the login page", None)

    def _check_onward(self, request: Request, response: Response) -> None:
        """Raise IgnoreRequest where a redirect would take a password to where the form itself could not send it."""
        location = response.headers.get(b"Location")
        if location is None or response.status not in BODY_GOES_ALONG or not request.body:
            return
        target = urljoin(request.url, location.decode("latin-1").strip())
        if not self._session.may_send(target):
            host = urlsplit(target).netloc
            raise IgnoreRequest(f"the answer to the form would have what was typed sent on to {host}, not the site's")


class LoggedOutPages(_OfSession):
    """Sees pages that show the form to log in, or fail the test for success. It stands where bodies are whole."""

    def process_response(self, request: Request, response: Response) -> Any:
        if META_SESSION not in request.meta or response.status >= 300 or not isinstance(response, HtmlResponse):
            return response
        session, text = self._session, response.text
        login = session.login
        if session.is_login_page(response.url):
            return response
        if shows_fields(text, login.fields, login.form):
            return self._again(request, "the page shows the login form", None)
        if not succeeded(text, response.url, login.success.of_any_page):
            return self._again(request, "the page fails the test for success", response)
        for sign in request.meta.get(META_SIGNS, ()):
            session.was_true(sign)
        return response

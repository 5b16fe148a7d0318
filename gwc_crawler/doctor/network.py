"""What is asked of the network: the names of entries, the name servers, their robots.txt, and what time they have."""

from __future__ import annotations

import asyncio
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from urllib.parse import urlsplit

from protego import Protego
from scrapy.settings import BaseSettings

from gwc_crawler import config
from gwc_crawler.dns import NameServers, is_name, literal_of
from gwc_crawler.doctor.findings import Check, Finding, fail, ok, warn
from gwc_crawler.doctor.servers import SKEW_SECONDS, skew_finding
from gwc_crawler.doctor.site_files import SitePlan
from gwc_crawler.errors import WireError

MOST_ORIGINS = 200
"""So many are asked at most; of more the first."""

ROBOTS_BYTES = 512_000

NAME_HELPS = "mend the address in the site file, or the name servers (GWC_DNS_SERVERS, /etc/resolv.conf)"
ROBOTS_HELPS = "open it in a browser; a crawl waits for it (GWC_ROBOTS_PATIENCE_SECONDS)"


@dataclass(slots=True)
class _Origin:
    """A server of entries: scheme://host:port."""

    url: str
    settings: BaseSettings
    entries: list[str] = field(default_factory=list)


def network_checks(plans: Sequence[SitePlan], seconds: float) -> list[Check]:
    """Return a check of each name and each robots.txt of these sites' entries; *seconds*: the longest wait of one."""
    origins: dict[str, _Origin] = {}
    for plan in plans:
        for entry in plan.site.entry:
            parts = urlsplit(entry)
            url = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
            origins.setdefault(url, _Origin(url, plan.settings)).entries.append(entry)
    asked = list(origins.values())[:MOST_ORIGINS]
    names = {urlsplit(one.url).hostname or one.url: one.settings for one in asked}
    return [
        *(Check(f"name {name}", _Names(name, settings, seconds).look, NAME_HELPS) for name, settings in names.items()),
        *(Check(f"{one.url}/robots.txt", _Robots(one, seconds).look, ROBOTS_HELPS) for one in asked),
    ]


@dataclass(frozen=True, slots=True)
class _Names:
    """Looks up a name as a crawl does, past its cache."""

    name: str
    settings: BaseSettings
    seconds: float

    def look(self) -> Iterator[Finding]:
        """Tell its addresses, and how long that took."""
        title = f"name {self.name}"
        given = config.overrides_of(self.settings).get(self.name)
        plan = config.lookup_plan(self.settings)
        if literal_of(self.name) or given or not plan.is_own:
            how = (
                "an address" if literal_of(self.name) else "as GWC_DNS_HOSTS says" if given else "asked by TWISTED_DNS"
            )
            yield ok(title, how)
            return
        if not is_name(self.name):
            yield fail(title, "that is no host name", NAME_HELPS)
            return
        began = time.monotonic()
        answer = asyncio.run(NameServers(plan.servers, min(self.seconds, plan.timeout_seconds))(self.name))
        took = f"{(time.monotonic() - began) * 1000:.0f} ms"
        if answer.addresses:
            yield ok(title, f"{', '.join(answer.addresses[:3])} in {took}")
        else:
            yield fail(title, f"the name servers say in {took} that there is no such name", NAME_HELPS)


@dataclass(frozen=True, slots=True)
class _Robots:
    """Asks for a robots.txt, and whether it lets us in."""

    origin: _Origin
    seconds: float

    def look(self) -> Iterator[Finding]:
        """Tell what it says of the entries, and what time the server has."""
        settings = self.origin.settings
        title = f"{self.origin.url}/robots.txt"
        agent = str(settings["ROBOTSTXT_USER_AGENT"] or settings["USER_AGENT"])
        request = urllib.request.Request(title, headers={"User-Agent": str(settings["USER_AGENT"])})
        verifies = settings.getbool("DOWNLOAD_VERIFY_CERTIFICATES")
        context = ssl.create_default_context() if verifies else ssl._create_unverified_context()
        status, text, date = self._answer(request, context)
        if status >= 500 or status == 429:
            yield fail(title, f"answers {status}; a crawl fetches nothing there until it does better", ROBOTS_HELPS)
        elif status >= 400:
            yield ok(title, f"{status}: there is none, all is allowed")
        else:
            yield self._judged(title, text, agent)
        if date and abs(ahead := parsedate_to_datetime(date).timestamp() - time.time()) > SKEW_SECONDS:
            yield skew_finding(self.origin.url, ahead)

    def _answer(self, request: urllib.request.Request, context: ssl.SSLContext) -> tuple[int, str, str]:
        try:
            with urllib.request.urlopen(request, timeout=self.seconds, context=context) as answer:
                return answer.status, answer.read(ROBOTS_BYTES).decode("utf-8", "replace"), answer.headers["Date"] or ""
        except urllib.error.HTTPError as error:
            with error:
                return error.code, "", error.headers["Date"] or ""
        except urllib.error.URLError as error:
            raise WireError(f"no answer: {error.reason}") from error
        except HTTPException as error:
            raise WireError(f"no answer that can be read: {error!r}") from error
        except OSError as error:
            raise WireError(f"no answer: {error}") from error

    def _judged(self, title: str, text: str, agent: str) -> Finding:
        settings, rules = self.origin.settings, Protego.parse(text)
        shut = [entry for entry in self.origin.entries if not rules.can_fetch(entry, agent)]
        if shut and settings.getbool("ROBOTSTXT_OBEY"):
            told = f"forbids {agent.split('/')[0].split(' ')[0]} {shut[0]}"
            return fail(title, told, "begin at another page, or ask the site's owner")
        delay = rules.crawl_delay(agent)
        told = f"lets us in{f', {delay:g} s between two requests' if delay else ''}"
        if delay and delay > 30:
            return warn(title, told, "such a crawl takes long; ask the site's owner for a shorter crawl-delay")
        return ok(title, told)

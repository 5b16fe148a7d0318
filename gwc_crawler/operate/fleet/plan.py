"""The fleet's decisions on which worker works on which site, as pure functions over one site's entry.

A site is U until a worker takes it, R while workers hold it, then C, or E with a reason (T-Spider, URCE). Each worker
holds the site for as long as its lease lasts; `register` keeps the entries in Redis and calls these functions. The
frontier decides which worker owns which queues of a site, if any."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from itertools import chain

import msgspec

from gwc_crawler.errors import InputError
from gwc_crawler.items import UrlState
from gwc_crawler.modes import Adoption
from gwc_crawler.sites.family import member_of
from gwc_crawler.sites.schema import Site
from gwc_crawler.urls import host_of, site_of

FRESH = 1e12
"""Added to the need of a site that nobody works on: it comes before all sites with workers."""

LOST_WORKERS = 5
"""Workers that vanished in a row before their first sign of life until a site is given up: it seems to kill them."""


@dataclass(frozen=True, slots=True)
class Holder:
    """A worker on a site: until when without a sign of life, and which parts of its queues it owns, if it does."""

    owner: str
    token: int
    until: float
    parts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class SiteEntry:
    """The fleet's facts about a site.

    Attributes:
        template: the site whose file and knowledge serve this one, "" if it has its own.
        adopted: whether it was added because pages link to it.
        waiting: URLs that wait in each part, as last reported.
        learning: one worker pre-crawls and learns it; the others don't wait for that.
        rest_until: epoch seconds before which no worker is needed: all waiting URLs wait for their time.
        lost: workers that vanished before their first sign of life, one after the other.
        token: the last one given out.
        columns: the share of the site's columns that this fleet crawls (number from 1, of how many); (): all.
    """

    name: str
    host: str = ""
    state: UrlState = UrlState.WAITING
    template: str = ""
    adopted: bool = False
    holders: tuple[Holder, ...] = ()
    waiting: tuple[int, ...] = ()
    learning: bool = False
    reason: str = ""
    rest_until: float = 0.0
    lost: int = 0
    token: int = 0
    changed_at: float = 0.0
    columns: tuple[int, ...] = ()

    def holder(self, token: int) -> Holder | None:
        """Return the holder of *token*, None if it is no longer held."""
        return next((one for one in self.holders if one.token == token), None)

    def of_share(self, site: Site) -> Site:
        """Return the site, or its share that this fleet crawls."""
        if not self.columns:
            return site
        number, count = self.columns
        return replace(site, columns=(number, count))

    def to_json(self) -> bytes:
        """Return the text that `from_json` reads."""
        return msgspec.json.encode(self)

    @classmethod
    def from_json(cls, text: str | bytes) -> SiteEntry:
        """Read an entry. Raises ValueError: the text is none, or a newer version's, whose facts would be lost."""
        told = msgspec.json.decode(text)
        entry = msgspec.convert(told, cls)
        unknown = set(told) - {one.name for one in fields(cls)}
        unknown |= {*chain(*told.get("holders", ()))} - {one.name for one in fields(Holder)}
        if unknown:
            raise ValueError(f"a newer version's entry, with {', '.join(sorted(unknown))}")
        return entry


def need(entry: SiteEntry, share: int) -> float | None:
    """Say how much a site wants one more worker, None if it doesn't.

    A site that nobody works on comes first, the fullest before the others; then the one with the most waiting URLs for
    each worker, if that would be *share* at least: so big sites get more workers while they last. Where workers own
    parts, one more has nothing to do unless URLs wait in more parts than there are workers.

    >>> need(SiteEntry("a", state=UrlState.RUNNING, waiting=(600, 600), holders=(Holder("w", 1, 0.0),)), 500)
    600.0
    """
    waiting = sum(entry.waiting)
    if entry.state == UrlState.WAITING:
        return FRESH + waiting
    if entry.state != UrlState.RUNNING or entry.learning:
        return None
    owned = any(one.parts for one in entry.holders)
    if owned and sum(map(bool, entry.waiting)) <= len(entry.holders):
        return None
    each = waiting / (len(entry.holders) + 1)
    return each if each >= share else None


def join(entry: SiteEntry, owner: str, until: float) -> SiteEntry:
    """Let *owner* work on the site; its token is the entry's."""
    token = entry.token + 1
    holders = (*entry.holders, Holder(owner, token, until))
    return replace(entry, state=UrlState.RUNNING, holders=holders, token=token, rest_until=0.0, reason="")


def beat(entry: SiteEntry, token: int, until: float, waiting: Sequence[int], parts: Sequence[int] = ()) -> SiteEntry:
    """Note a worker's sign of life, its count of *waiting* URLs in each part, and the *parts* it owns."""
    mine = entry.holder(token)
    if mine is None:
        return entry
    here = replace(mine, until=until, parts=tuple(parts))
    holders = tuple(here if one is mine else one for one in entry.holders)
    return replace(entry, holders=holders, waiting=tuple(waiting) or entry.waiting, lost=0)


def leave(entry: SiteEntry, token: int, rest_until: float = 0.0) -> SiteEntry:
    """Note that a worker leaves; a site without workers is U again."""
    return _without(entry, {token}, rest_until)


def end(entry: SiteEntry, token: int, state: UrlState, reason: str = "") -> SiteEntry:
    """Note that a worker has seen the site's end: C, or E with a reason. Others that hold it go elsewhere."""
    if entry.holder(token) is None:
        return entry
    rest = entry.waiting if state == UrlState.ERROR else ()
    return replace(entry, state=state, reason=reason, holders=(), learning=False, waiting=rest, lost=0)


def expire(entry: SiteEntry, now: float) -> SiteEntry:
    """Take back what workers without a sign of life hold."""
    gone = {one.token for one in entry.holders if one.until <= now}
    if not gone:
        return entry
    entry = replace(_without(entry, gone), lost=entry.lost + len(gone))
    if entry.lost >= LOST_WORKERS and not entry.holders:
        reason = f"{entry.lost} workers vanished at it, one after the other"
        return replace(entry, state=UrlState.ERROR, reason=reason, lost=0)
    return entry


def reopen(entry: SiteEntry) -> SiteEntry:
    """Let a site that is C or E be taken again."""
    if entry.state not in (UrlState.COMPLETE, UrlState.ERROR):
        return entry
    return replace(entry, state=UrlState.WAITING, reason="", rest_until=0.0)


def next_expiry(entry: SiteEntry) -> float | None:
    """Return when the next lease of the site runs out."""
    return min((one.until for one in entry.holders), default=None)


def _without(entry: SiteEntry, tokens: Collection[int], rest_until: float = 0.0) -> SiteEntry:
    holders = tuple(one for one in entry.holders if one.token not in tokens)
    if holders or not entry.holders:
        return replace(entry, holders=holders)
    return replace(entry, holders=(), state=UrlState.WAITING, learning=False, rest_until=rest_until)


# --- Which sites a worker can crawl, and which found ones it brings into the fleet ------------------------------------


FOUND_HOSTS = 100_000
"""Found hosts that are kept, those with the most links, and remembered as judged."""

NOWHERE = "0.0.0.0"
"""Stands for the address of a host that has none: so somebody takes its site, and says why it can't be crawled."""

_COLUMN_SHARE = re.compile(r"([1-9]\d{0,5})/([1-9]\d{0,5})")


@dataclass(frozen=True, slots=True)
class Share:
    """The part of the fleet's sites that a worker takes (`scrapy work --part`).

    Attributes:
        networks: sites whose host has its address in one of these; (): all sites.
        columns: one of several shares of each site's columns (number from 1, of how many); (): all.

    Source:
        T-Spider, *multi-granularity task partition*: sites by range of addresses, a site by column.
    """

    networks: tuple[IPv4Network | IPv6Network, ...] = ()
    columns: tuple[int, ...] = ()

    @classmethod
    def read(cls, parts: Iterable[str]) -> Share:
        """Read parts as they are written: `ip:10.0.0.0/9` (of several any counts), `column:1/2`. Raises InputError."""
        networks: list[IPv4Network | IPv6Network] = []
        columns: tuple[int, ...] = ()
        for part in parts:
            kind, _, text = part.partition(":")
            match = _COLUMN_SHARE.fullmatch(text)
            try:
                if kind == "column" and match and int(match[1]) <= int(match[2]) and not columns:
                    columns = (int(match[1]), int(match[2]))
                    continue
                networks.append(ip_network(text if kind == "ip" else ""))
            except ValueError:
                helps = "write ip:10.0.0.0/9 for a range of addresses, once column:1/2 for the first of two shares"
                raise InputError(f"--part {part}: it is no part of a fleet; {helps}") from None
        return cls(tuple(networks), columns)

    def takes(self, address: str) -> bool:
        """Say whether sites at *address* are taken."""
        return not self.networks or any(ip_address(address) in network for network in self.networks)


class FleetSites:
    """The site files of a worker.

    Args:
        chosen: names of those to begin with; empty: all. Others are crawled as soon as they are adopted.

    Attributes:
        addresses: host → its looked-up address; if the share asks for networks, sites without one are not taken.
    """

    def __init__(
        self,
        sites: Iterable[Site],
        policy: Adoption = Adoption.NEVER,
        chosen: Collection[str] = (),
        share: Share = Share(),
    ) -> None:
        self.share = share
        self.addresses: dict[str, str] = {}
        self._sites: Mapping[str, Site] = {site.name: site for site in sites}
        self._policy = policy
        self._chosen = frozenset(chosen)
        self._judged: set[str] = set()
        self._named: dict[str, Site] = {}
        for site in self._sites.values():
            for scope in site.sites:
                self._named.setdefault(scope, site)

    def begin(self) -> list[SiteEntry]:
        """Return the entries to begin with."""
        return [
            SiteEntry(site.name, host_of(site.entry[0]), columns=self.share.columns)
            for site in self._sites.values()
            if not self._chosen or site.name in self._chosen
        ]

    def adopt(self, hosts: Iterable[str]) -> list[SiteEntry]:
        """Return the entries of found *hosts* that the policy adopts."""
        if self._policy is Adoption.NEVER:
            return []
        return [entry for host in hosts if host not in self._judged and (entry := self._adopted(host)) is not None]

    def remember(self, hosts: Iterable[str]) -> None:
        """Don't judge these hosts again: those to be adopted are in the fleet."""
        if len(self._judged) > FOUND_HOSTS:
            self._judged.clear()
        self._judged.update(hosts)

    def can_crawl(self, entry: SiteEntry) -> bool:
        """Tell whether this worker has the files for a site, and is to take it."""
        if self._chosen and not entry.adopted and entry.name not in self._chosen:
            return False
        address = self.addresses.get(entry.host)
        is_near = not self.share.networks or (address is not None and self.share.takes(address))
        return is_near and entry.columns == self.share.columns and self.site(entry) is not None

    def site(self, entry: SiteEntry) -> Site | None:
        """Return the site that an entry means, or its share; None where this worker has no file for it."""
        template = self._sites.get(entry.template)
        site = self._sites.get(entry.name) if not entry.template else template and member_of(template, entry.host)
        return site and entry.of_share(site)

    def _adopted(self, host: str) -> SiteEntry | None:
        named = self._named.get(host) or self._named.get(site_of(host))
        if named is not None:
            return SiteEntry(named.name, host_of(named.entry[0]), adopted=True, columns=self.share.columns)
        templates = self._sites.values() if self._policy is Adoption.TEMPLATE else ()
        for template in templates:
            member = member_of(template, host) if template.family else None
            if member is not None and member.name not in self._sites:
                return SiteEntry(member.name, host, template=template.name, adopted=True, columns=self.share.columns)
        return None

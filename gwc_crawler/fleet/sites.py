"""Which sites a worker can crawl, and which found ones it brings into the fleet: the worker's site files decide.

`scrapy work` asks; nothing here talks to the network.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from gwc_crawler.fleet.plan import SiteEntry
from gwc_crawler.modes import Adoption
from gwc_crawler.sites import Site, member_of
from gwc_crawler.urls import host_of, site_of

JUDGED_HOSTS = 100_000
"""So many hosts are remembered that need not be judged again."""


class FleetSites:
    """The site files of a worker.

    Args:
        sites: all of them.
        chosen: names of those to begin with; empty: all. Others are crawled as soon as they are adopted.
    """

    def __init__(self, sites: Iterable[Site], policy: Adoption = Adoption.NEVER, chosen: Collection[str] = ()) -> None:
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
            SiteEntry(site.name, host_of(site.entry[0]))
            for site in self._sites.values()
            if not self._chosen or site.name in self._chosen
        ]

    def adopt(self, hosts: Iterable[str]) -> list[SiteEntry]:
        """Return the entries of found *hosts* that the policy adopts."""
        if self._policy is Adoption.NEVER:
            return []
        return [entry for host in hosts if host not in self._judged and (entry := self._adopted(host)) is not None]

    def remember(self, hosts: Iterable[str]) -> None:
        """Don't judge these hosts again: what was to be adopted of them is in the fleet."""
        if len(self._judged) > JUDGED_HOSTS:
            self._judged.clear()
        self._judged.update(hosts)

    def can_crawl(self, entry: SiteEntry) -> bool:
        """Say whether this worker has what it takes, and is to take it."""
        if self._chosen and not entry.adopted and entry.name not in self._chosen:
            return False
        return self.site(entry) is not None

    def site(self, entry: SiteEntry) -> Site | None:
        """Return the site that an entry means; None where this worker has no file for it."""
        if not entry.template:
            return self._sites.get(entry.name)
        template = self._sites.get(entry.template)
        return member_of(template, entry.host) if template else None

    def _adopted(self, host: str) -> SiteEntry | None:
        named = self._named.get(host) or self._named.get(site_of(host))
        if named is not None:
            return SiteEntry(named.name, host_of(named.entry[0]), adopted=True)
        for template in self._templates:
            member = member_of(template, host)
            if member is not None and member.name not in self._sites:
                return SiteEntry(member.name, host, template=template.name, adopted=True)
        return None

    @property
    def _templates(self) -> Sequence[Site]:
        if self._policy is not Adoption.TEMPLATE:
            return ()
        return [site for site in self._sites.values() if site.family]

"""Names → addresses: a cache in the crawl's event loop, the name servers behind it, and which addresses are refused."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.dns.answer import Ask, DnsAnswer, ServerAddress
    from gwc_crawler.dns.cache import DnsCache, DnsCounts, DnsOptions, KeptName, NameMemory
    from gwc_crawler.dns.crawl_view import CrawlNames
    from gwc_crawler.dns.guard import EVERYTHING, Guard, is_public, read_permissions
    from gwc_crawler.dns.literals import is_name, literal_of
    from gwc_crawler.dns.overrides import read_hosts_file, read_overrides
    from gwc_crawler.dns.servers import NameServers, read_server
    from gwc_crawler.dns.table import NameTable
else:
    __getattr__ = face(__name__)

__all__ = [
    "EVERYTHING",
    "Ask",
    "CrawlNames",
    "DnsAnswer",
    "DnsCache",
    "DnsCounts",
    "DnsOptions",
    "Guard",
    "KeptName",
    "NameMemory",
    "NameServers",
    "NameTable",
    "ServerAddress",
    "is_name",
    "is_public",
    "literal_of",
    "read_hosts_file",
    "read_overrides",
    "read_permissions",
    "read_server",
]

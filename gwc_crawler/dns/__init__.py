"""Names → addresses: a cache in the crawl's event loop, the name servers behind it, and which addresses are refused."""

from gwc_crawler.dns.answer import Ask, DnsAnswer, ServerAddress
from gwc_crawler.dns.cache import (
    CrawlNames,
    DnsCache,
    DnsCounts,
    DnsOptions,
    KeptName,
    NameMemory,
    NameTable,
    read_hosts_file,
    read_overrides,
)
from gwc_crawler.dns.guard import Guard, is_name, is_public, literal_of, read_permissions
from gwc_crawler.dns.servers import NameServers, read_server

"""The bundled mall: a deterministic bilingual shop with known graph and records, for the quick start and the tests.

`Mall(seed, size)` is the site and its truth, `MallServer` serves it (and misbehaves as `Faults` say), `mall_site_toml`
writes its site file; `python -m gwc_crawler.demo` does all that from a shell.
"""

from gwc_crawler.demo.faults import Faults, parse_faults
from gwc_crawler.demo.mall import Mall, MallPage
from gwc_crawler.demo.mall_server import MallServer
from gwc_crawler.demo.server import PageServer, Reply, Request
from gwc_crawler.demo.site_file import mall_site_toml
from gwc_crawler.demo.truth import Comparison, MallTruth

__all__ = [
    "Comparison",
    "Faults",
    "Mall",
    "MallPage",
    "MallServer",
    "MallTruth",
    "PageServer",
    "Reply",
    "Request",
    "mall_site_toml",
    "parse_faults",
]

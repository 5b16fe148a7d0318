"""The bundled mall: a site with known records, graph and traps, for the quick start and the tests."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.demo.mall import Mall
    from gwc_crawler.demo.mall_server import MallServer
    from gwc_crawler.demo.site_file import mall_site_toml
    from gwc_crawler.demo.truth import TruthComparison
else:
    __getattr__ = face(__name__)

__all__ = [
    "Mall",
    "MallServer",
    "TruthComparison",
    "mall_site_toml",
]

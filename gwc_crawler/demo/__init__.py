"""The bundled mall: a site with known records, graph and traps, for the quick start and the tests."""

from gwc_crawler.demo.mall import Mall
from gwc_crawler.demo.mall_server import MallServer, mall_site_toml

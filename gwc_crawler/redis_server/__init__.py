"""Redis as all parts of a shared crawl use it: Lua scripts, and what its errors mean."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.redis_server.breaker import Breaker
    from gwc_crawler.redis_server.rights import check_rights
    from gwc_crawler.redis_server.scripts import Lua, Scripts, Server, check_types, redis_errors
    from gwc_crawler.redis_server.waits import OPENING, hurry
else:
    __getattr__ = face(__name__)

__all__ = [
    "OPENING",
    "Breaker",
    "Lua",
    "Scripts",
    "Server",
    "check_rights",
    "check_types",
    "hurry",
    "redis_errors",
]

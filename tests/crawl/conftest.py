"""Workers that share a crawl."""

import pytest

from tests.conftest import Project
from tests.crawl.fleet import Fleet
from tests.redis_server import RedisServer


@pytest.fixture
def fleet(project: Project, redis_server: RedisServer) -> Fleet:
    return Fleet(project, redis_server.url)

"""A project made by `gwc init`, deployed to a scrapyd beside which the program is installed."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from tests.conftest import Project
from tests.install.conftest import Installed
from tests.install.test_gwc import serve_graph
from tests.redis_server import RedisServer
from tests.scrapyd_server import PROJECT, Scrapyd, deploy
from tests.site_server import SiteServer

WHERE = f"""
import json
from scrapyd.runner import project_environment
with project_environment({PROJECT!r}):
    import gwc_crawler, settings_profiles.cluster, sites
    print(json.dumps([one.__file__ for one in (gwc_crawler, settings_profiles.cluster, sites)]))
"""


def test_its_egg_carries_its_profiles_and_site_files(
    installed: Installed, site: SiteServer, redis_server: RedisServer, tmp_path: Path
) -> None:
    assert installed.run("gwc", "init", PROJECT, cwd=tmp_path).code == 0
    serve_graph(site, tmp_path / PROJECT / "sites")
    with (tmp_path / PROJECT / "settings_profiles" / "cluster.py").open("a") as profile:
        profile.write('BOT_NAME = "of_the_egg"\n')
    with Scrapyd(tmp_path / "server", installed.python) as scrapyd:
        assert deploy(tmp_path / PROJECT, scrapyd.port, "1")["spiders"] == 1
        (log,) = scrapyd.wait_for(scrapyd.schedule("graph", REDIS_URL=redis_server.url, GWC_COMMIT_SECONDS=0.2))
        where = subprocess.run(
            [scrapyd.python, "-c", WHERE],
            cwd=scrapyd.directory, env=scrapyd.environment, capture_output=True, text=True, check=True,
        )  # fmt: skip
    program, *carried = json.loads(where.stdout)
    assert Path(program).is_relative_to(installed.home / "venv")
    assert all(f"eggs/{PROJECT}/1.egg/" in path for path in carried)
    assert "ERROR" not in log
    assert "(bot: of_the_egg)" in log
    assert site.page_hits() == dict.fromkeys(site.links, 1)
    assert Project(scrapyd.directory).rows("SELECT count(*) FROM pages") == [(20,)]

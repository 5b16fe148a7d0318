"""Who can be asked to pause, go on or stop: the crawl and the pre-crawl of a site; and who asks."""

from __future__ import annotations

import getpass
import os
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial

from gwc_crawler import assembly, control, store
from gwc_crawler.runs.lookup import SiteLocation
from gwc_crawler.runs.servers import Servers


def user_name() -> str:
    """Return who asks; in a container the number of a user may have no name."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())


def controls_of(place: SiteLocation, servers: Servers, stack: ExitStack, *, resting: bool) -> Iterator[control.Steered]:
    """What there is to steer of one site; with *resting* also the file of a crawl that nobody is at."""
    if place.shared:
        yield control.Steered(
            place.name,
            control.RunKind.CRAWL,
            assembly.open_channel(place.name, place.settings, servers.of(place.settings)),
        )
    for run, file in ((control.RunKind.CRAWL, assembly.CRAWL_DB), (control.RunKind.PRECRAWL, assembly.SAMPLES_DB)):
        path = place.directory / file
        is_crawl = run is control.RunKind.CRAWL
        here = not (place.shared and is_crawl) and path.exists()
        if here and (store.crawl_holder(path) or (resting and is_crawl)):
            database = stack.enter_context(store.CrawlDatabase(path))
            yield control.Steered(place.name, run, control.SqliteChannel(database), partial(store.crawl_holder, path))

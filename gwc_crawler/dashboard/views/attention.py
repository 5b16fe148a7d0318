"""Where a site stands, and whether its records have lost a field: of a store that has not changed, what was seen."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace

from scrapy.exceptions import UsageError

from gwc_crawler.dashboard.queries.records import coverage_of
from gwc_crawler.dashboard.queries.standing import Stage, Standing, standing_of
from gwc_crawler.dashboard.web.project import SHARE, Project
from gwc_crawler.errors import InputError, StoreError


def looked_at(project: Project, name: str) -> Standing:
    """Look at one site; one whose file can't be read is shown with what is wrong, and hides no other."""
    try:
        place = project.place(name)
    except (UsageError, InputError) as error:
        return Standing(name, Stage.BROKEN, problem=str(error))
    found = standing_of(place, project.servers)
    return replace(found, fallen=_fallen(project, found))


def _fallen(project: Project, standing: Standing) -> tuple[str, ...]:
    """The fields that are gone; looked for anew where something was written since, and the last look is long ago."""
    if standing.crawl is None or standing.learned_at is None:
        return ()
    mark = (standing.crawl.touched_at, standing.learned_at)
    seen: dict[str, tuple[tuple[float, float], float, tuple[str, ...]]] = project.memory.setdefault("fallen fields", {})
    known = seen.get(standing.site)
    began = time.monotonic()
    if known is not None and (known[0] == mark or began < known[1]):
        return known[2]
    found: tuple[str, ...] = known[2] if known is not None else ()
    with suppress(StoreError):  # it is the site's `problem`
        found = tuple(one.field for one in coverage_of(project.place(standing.site)) if one.has_fallen)
    now = time.monotonic()
    seen[standing.site] = (mark, now + SHARE * (now - began), found)
    return found

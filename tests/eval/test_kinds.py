"""Page kinds on labelled pages: no site's figures sink, and the rule of a crawl stays ahead of the published one."""

from __future__ import annotations

import pytest

from tests.eval.corpora import CorporaAbsent, corpora_root
from tests.eval.kinds import SITES, Share, shares

pytestmark = pytest.mark.slow

PAGES, PRECRAWLED = 40, 400
FLOORS = {
    **dict.fromkeys(SITES, (0.95, 0.95)),
    "cloudchem": (0.9, 0.95),
    "ruststd": (0.95, 0.85),
    "scipydoc": (0.8, 0.95),
    "w3school": (0.9, 0.65),  # 400 of its pages are from few of its directories
}
"""Site → least share of index and of information pages that are found in a crawl that learned from few pages."""


@pytest.fixture(scope="module")
def measured() -> dict[str, dict[str, Share]]:
    try:
        corpora_root()
    except CorporaAbsent as absent:
        pytest.skip(str(absent))
    return {site: shares(site, PAGES, PRECRAWLED) for site in SITES}


@pytest.mark.corpora
@pytest.mark.parametrize("site", SITES)
def test_a_site_keeps_its_floors(measured: dict[str, dict[str, Share]], site: str) -> None:
    index, info = measured[site]["index"], measured[site]["info"]
    assert index.ours / index.judged >= FLOORS[site][0]
    assert info.ours / info.judged >= FLOORS[site][1]


@pytest.mark.corpora
def test_the_rule_of_a_crawl_is_ahead_of_that_for_a_page_alone_and_that_of_the_published_one(
    measured: dict[str, dict[str, Share]],
) -> None:
    means = [
        sum(getattr(one, rule) / one.judged for kinds in measured.values() for one in kinds.values())
        for rule in ("ours", "alone", "published")
    ]
    assert means[0] / (2 * len(SITES)) >= 0.94
    assert means[0] > means[1] + 1
    assert means[1] > means[2] + 2

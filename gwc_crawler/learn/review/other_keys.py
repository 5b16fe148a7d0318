"""Addresses like the targets' that the filters refuse for their query alone: records that would be lost unseen."""

from __future__ import annotations

import re
from collections import Counter

from gwc_crawler.learn.review.evidence import Pages
from gwc_crawler.learn.urls import class_regexes, keys_of, split_into_groups
from gwc_crawler.urls import without_query


def refused_for_their_query(pages: Pages) -> list[str]:
    """Say how many addresses are refused whose path is a target's, and known by no address that is taken; [] for none.

    What was fetched of them and shows no record is no loss.
    """
    taken = {url for url in pages.known if pages.knowledge.is_target(url)}
    paths = set(map(without_query, taken))
    if not paths:
        return []
    regexes = [regex for rows in split_into_groups(sorted(paths)) for regex in class_regexes(rows)]
    like_targets = re.compile("|".join(f"(?:{regex})" for regex in regexes)).fullmatch
    lost = {
        path: url
        for url in sorted(pages.known - taken)
        if (path := without_query(url)) not in paths and like_targets(path) and _may_be_record(pages, url)
    }
    if not lost or not any("?" in url or ";" in url for url in (*lost.values(), *taken)):
        return []
    keys = Counter(key for url in lost.values() for key in keys_of(url))
    named = f"the keys {', '.join(key for key, _ in keys.most_common(3))}" if keys else "no query"
    told = (
        f"{len(lost)} of {len(lost) + len(paths)} addresses like the targets' have {named}, for which the filters "
        f"refuse them; their records are left out, such as that of {next(iter(lost.values()))}; a sample with such "
        "an address takes them in"
    )
    return [told]


def _may_be_record(pages: Pages, url: str) -> bool:
    return url not in pages.by_url or pages.look(url).has_fields

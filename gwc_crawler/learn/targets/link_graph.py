"""The fetched pages and the links among them: the pages reached over given URL groups, and their weights.

In: the pre-crawl's index and its target groups. `directories` asks it; it decides nothing.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping, Sequence

from gwc_crawler.learn.targets.precrawl_index import PatternGroup, PrecrawlIndex
from gwc_crawler.learn.urls.regex import pattern_of

HIGHEST_WEIGHT = 10
"""No path is followed over more off-topic pages than this."""
_LINKED_EVERYWHERE = 0.3
"""A link on this share of all pages is furniture and leads from none of them in particular."""


class LinkGraph:
    """The fetched pages and the links among them.

    Args:
        by_keywords: the pre-crawl knew relevant pages by keywords, as the crawl will; else it went by the samples'
            common parts of addresses, and the crawl goes by the *targets* alone.
    """

    def __init__(self, index: PrecrawlIndex, targets: Sequence[PatternGroup], *, by_keywords: bool = False) -> None:
        self.index, self._by_keywords = index, by_keywords
        self.group_of = index.group_of
        leading = {page.url for group in index.forwards for page in group.pages}
        self.targets = {page.url for group in targets for page in group.pages} - leading
        self.is_target = pattern_of(regex for group in targets for regex in group.regexes).fullmatch
        known = index.by_url
        self.links: dict[str, list[str]] = {}
        self.target_links: dict[str, list[str]] = {}
        verdicts: dict[str, bool] = {}
        self.forwards = self._forwards()
        for page in index.pages:
            links = dict.fromkeys(index.clean(link) for link in page.links)
            named = (link if link in self.forwards else known[link].url for link in links if link in known)
            self.links[page.url] = list(dict.fromkeys(named))
            for link in links:
                if link not in verdicts:
                    verdicts[link] = self.is_target(link) is not None
            self.target_links[page.url] = [link for link in links if verdicts[link]]
        counts = Counter(link for links in self.target_links.values() for link in links)
        most = max(3.0, _LINKED_EVERYWHERE * len(index.pages))
        self.furniture = {link for link, count in counts.items() if count > most}
        counts = Counter(link for links in self.links.values() for link in links)
        self.common_links = {link for link, count in counts.items() if count > most}
        for url, page_url in self.forwards.items():
            self.links[url] = [page_url]
            self.target_links[url] = [page_url] if self.is_target(page_url) else []
        ways = (one for one in index.forwards if any(page.url in self.forwards for page in one.pages))
        self.groups = [*index.groups, *ways]

    def _forwards(self) -> dict[str, str]:
        """Map each address that leads on to its page, without addresses that the page's own filter also takes."""
        leading = [page for group in self.index.forwards for page in group.pages]
        groups = {id(group): group for page in leading for group in [self.group_of[page.links[0]]]}
        takes = {key: pattern_of(group.regexes).fullmatch for key, group in groups.items()}
        return {page.url: page.links[0] for page in leading if not takes[id(self.group_of[page.links[0]])](page.url)}

    def figures(self, group: PatternGroup) -> dict[str, float]:
        """Mean target links a page, and the share of pages that have any; furniture apart."""
        numbers = [sum(link not in self.furniture for link in self.target_links[page.url]) for page in group.pages]
        return {
            "target_links": round(sum(numbers) / len(numbers), 2),
            "pages_with_targets": round(sum(number > 0 for number in numbers) / len(numbers), 3),
        }

    def leads_to(self, group: PatternGroup, others: set[str]) -> bool:
        """Do the pages of *group* link to pages of *others*, furniture apart, one link a page or more?"""
        numbers = [len(others.intersection(self.links[page.url]) - self.common_links) for page in group.pages]
        return sum(numbers) >= len(numbers)

    def reach(self, admitted: set[int], max_weight: int | None = None) -> Mapping[str, int]:
        """Pages reached from the starts over *admitted* groups, with their weights (all 0 without *max_weight*)."""
        weights: dict[str, int] = {}
        queue: deque[tuple[str, int]] = deque()
        for page in self.index.pages:
            if page.depth == 0:
                queue.append((page.url, 0))
        while queue:
            url, parent = queue.popleft()
            weight = self._weight(url, parent) if max_weight is not None else 0
            if weights.get(url, HIGHEST_WEIGHT + 1) <= weight:
                continue
            weights[url] = weight
            if max_weight is not None and weight >= max_weight:
                continue
            queue.extend((link, weight) for link in self.links[url] if id(self.group_of[link]) in admitted)
        return weights

    def next_group(self, reached: Mapping[str, int], missing: set[str], chosen: set[int]) -> PatternGroup | None:
        """Return the group that most of the shortest ways from *reached* to *missing* go through first."""
        came_from: dict[str, str] = {}
        first_group: dict[str, PatternGroup] = {}
        queue = deque(reached)
        seen = set(reached)
        while queue:
            url = queue.popleft()
            for link in self.links[url]:
                if link in seen:
                    continue
                seen.add(link)
                came_from[link] = url
                group = self.group_of[link]
                outside = id(group) not in chosen and link not in self.targets
                first = first_group.get(url) or (group if outside else None)
                if first is not None:
                    first_group[link] = first
                queue.append(link)
        votes = Counter(id(first_group[url]) for url in missing if url in first_group)
        if not votes:
            return None
        winner = votes.most_common(1)[0][0]
        return next(group for group in self.groups if id(group) == winner)

    def _weight(self, url: str, parent: int) -> int:
        """Return the crawl's weight: 0 for starts, targets, pages with a target link or the keywords, else one more.

        Addresses that only forward pass on their *parent*'s weight.
        """
        if url in self.forwards:
            return parent
        page = self.index.by_url[url]
        has_keywords = self._by_keywords and page.relevant
        relevant = page.depth == 0 or has_keywords or page.url in self.targets or bool(self.target_links[page.url])
        return 0 if relevant else parent + 1

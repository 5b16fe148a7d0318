"""Which URL groups are directories: those that lead to targets, and no others, however large.

In: the pre-crawl's index and its target groups. Out: directory groups with figures, and the weight threshold
that lets a crawl reach the targets.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from gwc_crawler.learn.degrees import A_HANDFUL, ENOUGH, FEW, HARDLY_ANY, MOST, NEXT_TO_NONE, SEVERAL
from gwc_crawler.learn.kinds.rule import UrlRule
from gwc_crawler.learn.kinds.words import Word, WordKind
from gwc_crawler.learn.targets.precrawl_index import PatternGroup, PrecrawlIndex
from gwc_crawler.learn.urls.regex import literal, origin_pattern, pattern_of
from gwc_crawler.learn.urls.url_parts import SlottedUrl, is_number

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
        groups = {page.url: self.group_of[page.links[0]] for page in leading}
        takes = {id(group): pattern_of(group.regexes).fullmatch for group in groups.values()}
        return {page.url: page.links[0] for page in leading if not takes[id(groups[page.url])](page.url)}

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
        queue = deque((page.url, 0) for page in self.index.pages if page.depth == 0)
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


# --- Which groups are directories -------------------------------------------------------------------------------------


_HOLDING_LINKS = 1.9
PAPER_DIRECTORIES = 10
"""How many of the largest remaining clusters become directory classes in the paper."""


@dataclass
class Directories:
    """Directory groups in order of merit; per group (by id) the figures; how many targets the choice reaches."""

    groups: list[PatternGroup]
    figures: dict[int, dict[str, float]]
    reached: int
    reachable: int


def choose_directories(
    graph: LinkGraph, targets: Sequence[PatternGroup], excluded: Sequence[PatternGroup]
) -> Directories:
    """Choose the groups that lead to target pages.

    First come groups whose pages hold links to targets (links on nearly every page don't count). Then one group after
    another is added that the shortest ways go through to targets, and to pages of chosen groups, not yet reached. So
    a list that only leads to lists is taken, or an article that bridges to an island, but never a calendar that leads
    nowhere. At most forty are taken in each step: however many lists filters make, the one that leads to them is taken.

    Source:
        GWC, *Initialise* 3 takes the ten largest groups; we take those that lead to targets, since filters admit traps.
    """
    candidates = [group for group in graph.groups if group not in targets and group not in excluded]
    figures = {id(group): graph.figures(group) for group in candidates}
    holding = [
        group
        for group in candidates
        if figures[id(group)]["pages_with_targets"] >= NEXT_TO_NONE  # and not by accident
        and figures[id(group)]["target_links"] * len(group.pages) >= _HOLDING_LINKS
    ]
    holding.sort(key=lambda group: -figures[id(group)]["target_links"])
    chosen = holding[:ENOUGH]
    reachable = set(graph.reach({id(group) for group in [*candidates, *targets]}))
    wanted = graph.targets & reachable
    for _ in range(ENOUGH):
        reached = graph.reach({id(group) for group in [*chosen, *targets]})
        missing = (wanted - set(reached)) or _missed_pages(chosen, figures, reachable, reached)
        step = graph.next_group(reached, missing, {id(group) for group in chosen}) if missing else None
        if step is None:
            break
        chosen.append(step)
    reached = graph.reach({id(group) for group in [*chosen, *targets]})
    return Directories(chosen, figures, len(wanted & set(reached)), len(wanted))


def gather_same_names(index: PrecrawlIndex, graph: LinkGraph, apart: Sequence[PatternGroup]) -> bool:
    """Put pages of one name that lead to targets, in directories of any name and depth, into one group; say if any is.

    What leads to the targets is so described as generally as they are: `package-summary.html` below `/api/`, in the
    packages that no page was fetched from as well. Groups *apart* stay as they are.
    """
    gathered = []
    for rows in _by_name([group for group in index.groups if group not in apart]):
        places = [row.values[1 : row.layout[0]] for row in rows]
        leading = sum(not graph.furniture.issuperset(graph.target_links[row.url]) for row in rows)
        forms = {id(index.group_of[row.url]) for row in rows}
        if len(forms) > 1 and len(set(places)) >= A_HANDFUL and leading >= MOST * len(rows):
            gathered.append((rows, _rule_of(rows, places)))
    for rows, rule in gathered:
        urls = {row.url for row in rows}
        index.put_first(PatternGroup(rows, [page for page in index.pages if page.url in urls], rule))
    return bool(gathered)


def _by_name(groups: Sequence[PatternGroup]) -> Iterator[list[SlottedUrl]]:
    """Yield the URLs of the groups' pages by file name, without those that are numbers or that a query tells apart."""
    found: dict[tuple[str, ...], list[SlottedUrl]] = {}
    for group in groups:
        fetched = {page.url for page in group.pages}
        for row in group.rows:
            count, slash, keys = row.layout
            if row.url in fetched and count > 1 and not (slash or keys or group.rule or is_number(row.values[count])):
                found.setdefault(row.values[count : count + 2], []).append(row)
    yield from found.values()


def _rule_of(rows: Sequence[SlottedUrl], places: Sequence[tuple[str, ...]]) -> str:
    row = rows[0]
    name, extension = row.values[row.layout[0] : row.layout[0] + 2]
    shared = takewhile(lambda names: len(set(names)) == 1, zip(*places, strict=False))
    words = [Word(WordKind.DIRECTORY, names[0], depth) for depth, names in enumerate(shared)]
    words += [Word(WordKind.NAME, name), Word(WordKind.EXTENSION, extension), Word(WordKind.KEYS, "")]
    return UrlRule(frozenset(words)).regex(origin_pattern([one.parts for one in rows]))


def gather_list_pages(index: PrecrawlIndex, graph: LinkGraph, apart: Sequence[PatternGroup]) -> bool:
    """Put the further pages of lists of one form, told by a number in the query, into one group; say if any are.

    `/category/films/action_4/?page=2` is followed because `/category/films/drama_3/?page=2` leads to targets, and both
    are lists of one form: no page of a list that the pre-crawl did not turn over need be known.
    """
    free = [group for group in index.groups if group not in apart]
    paged: dict[int, dict[str, list[SlottedUrl]]] = {}
    for row in (row for group in free for row in group.rows):
        if len(row.layout[2]) == 1 and is_number(row.values[-1]):
            paged.setdefault(row.layout[0], {}).setdefault(row.url.partition("?")[0], []).append(row)
    lists = [group for group in free if not group.rule and not any(row.layout[2] for row in group.rows)]
    gathered = [one for group in lists for one in _further_pages(index, graph, group, paged)]
    for group in gathered:
        index.put_first(group)
    return bool(gathered)


def _further_pages(
    index: PrecrawlIndex, graph: LinkGraph, group: PatternGroup, paged: Mapping[int, Mapping[str, list[SlottedUrl]]]
) -> Iterator[PatternGroup]:
    """Yield the further pages of several lists of a group, for each key of a query that most lead to targets by."""
    is_list = pattern_of(group.regexes).fullmatch
    bases = [some for count in {row.layout[0] for row in group.rows} for some in paged.get(count, {}).items()]
    by_key: dict[str, list[tuple[str, SlottedUrl]]] = {}
    for base, row in ((base, row) for base, rows in bases if is_list(base) for row in rows):
        by_key.setdefault(row.layout[2][0], []).append((base, row))
    for key, found in by_key.items():
        rows = [row for _, row in found]
        pages = [index.by_url[row.url] for row in rows if row.url in index.by_url]
        leading = sum(not graph.furniture.issuperset(graph.target_links[page.url]) for page in pages)
        if len({base for base, _ in found}) > 1 and pages and leading >= MOST * len(pages):
            form = "|".join(group.regexes)
            yield PatternGroup(rows, pages, rf"(?:{form})\?{literal(key)}=[0-9]+")


def choose_ways(
    graph: LinkGraph, targets: Sequence[PatternGroup], excluded: Sequence[PatternGroup], max_weight: int | None
) -> tuple[Directories, int]:
    """Choose the directories, and the weight threshold with which they reach all they can reach.

    Args:
        max_weight: the threshold that is asked for, None if it is to be learned; one that lets a crawl tunnel further
            than the pre-crawl shows use brings more directories.
    """
    directories = choose_directories(graph, targets, excluded)
    admitted = {id(group) for group in [*targets, *directories.groups]}
    best = len(graph.targets & set(graph.reach(admitted, HIGHEST_WEIGHT)))
    weights = range(1, HIGHEST_WEIGHT + 1)
    needed = next(one for one in weights if len(graph.targets & set(graph.reach(admitted, one))) >= best)
    if max_weight is not None and max_weight > needed:
        directories.groups += add_tunnels(graph, directories, targets, excluded)
    return directories, needed


def add_tunnels(
    graph: LinkGraph, chosen: Directories, targets: Sequence[PatternGroup], excluded: Sequence[PatternGroup]
) -> list[PatternGroup]:
    """Return groups that lead nowhere as far as is known, but that directories offer: an island may lie behind them.

    They make up the number of directories to the paper's ten, the largest first; a few there are in any case, since the
    lists of each topic of a shop may be ten groups already. A quarter of a group's pages must be linked on directory
    pages, furniture apart: a calendar's pages are only linked from each other.
    """
    linked = {link for group in chosen.groups for page in group.pages for link in graph.links[page.url]}
    offered = linked - graph.common_links
    taken = [*chosen.groups, *targets, *excluded]
    tunnels = [
        group
        for group in graph.index.groups
        if group not in taken and sum(page.url in offered for page in group.pages) >= FEW * len(group.pages)
    ]
    return tunnels[: max(SEVERAL, PAPER_DIRECTORIES - len(chosen.groups))]


def _missed_pages(
    chosen: Sequence[PatternGroup],
    figures: Mapping[int, Mapping[str, float]],
    reachable: set[str],
    reached: Mapping[str, int],
) -> set[str]:
    missed: set[str] = set()
    for group in chosen:
        pages = {page.url for page in group.pages} & reachable
        common = id(group) in figures and figures[id(group)]["pages_with_targets"] >= HARDLY_ANY
        if common and len(pages.intersection(reached)) < MOST * len(pages):
            missed |= pages.difference(reached)
    return missed

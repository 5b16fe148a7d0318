"""When a pre-crawl has seen enough: drafts that agree, nothing overlooked, nothing that may be a session's unjudged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

import pytest

from gwc_crawler.items import StoredPage
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.learn.precrawl.judge import Judge
from gwc_crawler.learn.precrawl.versions import unjudged_versions
from gwc_crawler.learn.precrawl.watch import (
    SPAN,
    FilterDraft,
    Judgement,
    Links,
    StabilityWatch,
    missing_looks,
    next_look,
    unlooked_places,
)
from gwc_crawler.learn.site import learn_site
from gwc_crawler.learn.targets.task import LearnTask

HOST = "http://a.example"
PRODUCT = "<div class='box'><h1 class='name'>Thing {n}</h1><p class='price'>${n}.50</p><p>Made of {n} parts.</p></div>"
NEWS = (
    "<div class='news'><h2>News {n}</h2><em>of today</em><span class='by'>by us</span><p>It is {n} degrees.</p></div>"
)


def stored(path: str, text: str = "", links: Iterable[str] = (), depth: int = 1) -> StoredPage:
    html = f"<html><body><p class='top'>A shop</p>{text}</body></html>".encode()
    url = HOST + path
    return StoredPage(url, url, html, "text/html", "utf-8", 0, depth, False, tuple(HOST + link for link in links))


def shop(products: int, news: int = 40, more: Sequence[StoredPage] = ()) -> list[StoredPage]:
    """A home page, products in one directory and news in another."""
    items = [f"/item/{n}" for n in range(products)]
    notes = [f"/news/{n}" for n in range(news)]
    pages = [stored("/", "<h1>Home</h1>", [*items, *notes], depth=0)]
    pages += [stored(path, PRODUCT.format(n=n), ["/"]) for n, path in enumerate(items)]
    pages += [stored(path, NEWS.format(n=n), ["/"]) for n, path in enumerate(notes)]
    return [*pages, *more]


TASK = LearnTask(
    "shop",
    (f"{HOST}/",),
    samples=tuple((f"{HOST}/item/{n}", {"name": f"Thing {n}", "price": f"${n}.50"}) for n in (1, 2)),
)


def test_looks_come_after_growing_distances() -> None:
    points = [next_look(0)]
    while points[-1] < 4000:
        points.append(next_look(points[-1]))
    steps = [after - before for before, after in pairwise(points)]
    assert steps == sorted(steps)
    assert steps[0] < steps[-1]
    assert len(points) < 25


def test_a_small_bound_leaves_pages_for_what_the_first_look_names() -> None:
    for most in (30, 100, 150, 180):
        assert most / 2 < next_look(0, most) <= most * 0.85
    assert next_look(0, 400) == next_look(0)
    assert next_look(0, 10) > 10


def test_a_decision_that_stays_is_stable_once_it_is_old_enough() -> None:
    watch = StabilityWatch(TASK)
    assert f"not stood for {SPAN} pages" in watch.look(shop(60)).doubt
    assert f"not stood for {SPAN} pages" in watch.look(shop(60 + SPAN // 2)).doubt
    look = watch.look(shop(60 + SPAN))
    assert (look.doubt, look.since) == ("", 101)


def test_a_decision_that_changes_is_not() -> None:
    watch = StabilityWatch(TASK)
    watch.look(shop(60))
    others = [stored(f"/thing/{n}", PRODUCT.format(n=n), ["/"]) for n in range(1000, 1400)]
    home = stored("/more", "<h1>More</h1>", [page.url.removeprefix(HOST) for page in others])
    pages = shop(60, more=[stored("/all", "", ["/more"]), home, *others])
    samples = (TASK.samples[0], (f"{HOST}/thing/1000", {"name": "Thing 1000", "price": "$1000.50"}))
    watch.task = LearnTask("shop", (f"{HOST}/",), samples=samples)
    assert "other targets" in watch.look(pages).doubt


def test_an_earlier_draft_that_reached_less_does_not_agree() -> None:
    watch = StabilityWatch(TASK)
    lists = [stored(f"/list/{n}", f"<h3>List {n}</h3>", [f"/item/{60 + n}", f"/item/{90 + n}"]) for n in range(30)]
    known = [f"/list/{n}" for n in range(30)]
    pages = shop(60)
    pages[0] = stored("/", "<h1>Home</h1>", [*(f"/item/{n}" for n in range(60)), *known], depth=0)
    items = [stored(f"/item/{n}", PRODUCT.format(n=n), ["/"]) for n in range(60, 120)]
    watch.drafts.append(FilterDraft(1, (rf"{HOST}/item/[0-9]+",), ()))
    assert "other ways" in watch.look([*pages, *lists, *items]).doubt


def test_forms_of_targets_that_nobody_looked_at_are_named_and_awaited() -> None:
    watch = StabilityWatch(TASK)
    deep = [f"/item/{a}/{b}" for a in range(20) for b in range(5)]
    first = shop(120)
    pages = [*first[1:], stored("/", "<h1>Home</h1>", [link.removeprefix(HOST) for link in first[0].links] + deep, 0)]
    watch.drafts += [
        FilterDraft(1, (rf"{HOST}/item/.+",), (rf"{HOST}/",)),
        FilterDraft(2, (rf"{HOST}/item/.+",), (rf"{HOST}/",)),
    ]
    links = Links(pages)
    seen = links.seen_by(FilterDraft(9, (rf"{HOST}/item/.+",)))
    missing = watch._overlooked(links, seen)
    assert sorted(url for urls in missing.values() for url in urls) == sorted(HOST + path for path in deep)


def test_pages_that_show_no_target_are_doubtful() -> None:
    watch = StabilityWatch(LearnTask("shop", (f"{HOST}/",), samples=((f"{HOST}/nowhere", {"name": "x"}),)))
    look = watch.look(shop(10))
    assert "sample page" in look.doubt
    assert look.draft == FilterDraft(51)


def test_a_draft_survives_as_text() -> None:
    draft = FilterDraft(200, ("a", "b"), ("c",), ("sid",), {"/s[0-9]+": ""})
    again = FilterDraft.from_json(draft.to_json())
    assert again == draft
    assert again.clean(f"{HOST}/s12/x?sid=1&page=2") == f"{HOST}/x?page=2"


def test_what_a_crawl_would_reach_goes_over_admitted_pages_alone() -> None:
    pages = [
        stored("/", links=["/list/1", "/old/1"], depth=0),
        stored("/list/1", links=["/item/1"]),
        stored("/old/1", links=["/item/2"]),
    ]
    found = Links(pages).seen_by(FilterDraft(3, (rf"{HOST}/item/.*",), (rf"{HOST}/list/.*",)))
    assert found.known == {f"{HOST}/item/1", f"{HOST}/item/2"}
    assert found.reached == {f"{HOST}/item/1"}


class TestVersions:
    """Pairs of URLs by which sessions are told."""

    def test_a_key_with_many_values_for_the_same_page_is_named_in_pairs(self) -> None:
        urls = [f"{HOST}/item/{n}?sid={n}{k}" for n in range(6) for k in range(3)]
        (key, found), *others = unjudged_versions(urls, ()).items()
        assert (key, others) == ("sid", [])
        assert len(found) == 8
        assert len({url.partition("?")[0] for url in found}) == 4

    def test_a_page_without_the_key_is_the_other_of_a_pair(self) -> None:
        urls = [f"{HOST}/item/{n}{sign}" for n in range(6) for sign in ("", f"?sid={n}")]
        assert len(unjudged_versions(urls, ())["sid"]) == 8

    def test_numbers_of_pages_are_no_sessions(self) -> None:
        urls = [f"{HOST}/item/{n}83{k}27.html?page={k}" for n in range(6) for k in range(3)]
        assert unjudged_versions(urls, ()) == {}

    def test_a_key_that_was_judged_is_not(self) -> None:
        urls = [f"{HOST}/item/{n}?sid={n}{k}" for n in range(6) for k in range(3)]
        assert unjudged_versions(urls, ["sid"]) == {}

    def test_a_key_that_makes_the_page_is_not(self) -> None:
        assert unjudged_versions([f"{HOST}/show?id={n}" for n in range(50)], ()) == {}

    def test_a_segment_with_many_values_for_the_same_page_is_named(self) -> None:
        urls = [f"{HOST}/s{k}a9f{n}c/item/{name}" for n, name in enumerate("abcdef") for k in range(3)]
        assert list(unjudged_versions(urls, ())) == ["/"]


def verdicts(judge: Judge) -> list[Judgement]:
    """Judge a pre-crawl of the shop as it grows, until there is no doubt."""
    found = [judge.judge(shop(109))]
    while found[-1].doubt and len(found) < 20:
        found.append(judge.judge(shop(found[-1].next_at - 41)))
    return found


def test_the_last_verdict_brings_what_was_learned() -> None:
    *doubtful, last = verdicts(Judge(TASK))
    assert all(one.doubt and one.knowledge is None for one in doubtful)
    assert last.knowledge is not None
    assert last.knowledge.evidence["pages"] == last.draft.pages
    assert last.draft.pages - last.since >= SPAN


def test_a_judge_that_goes_on_from_kept_drafts_comes_to_the_same_end() -> None:
    *earlier, last = verdicts(Judge(TASK))
    kept = [FilterDraft.from_json(one.draft.to_json()) for one in earlier]
    again = Judge(TASK, kept).judge(shop(last.draft.pages - 41))
    assert (again.doubt, again.since) == ("", last.since)


def test_a_judge_of_pages_that_another_task_has_fetched_makes_up_for_the_looks() -> None:
    verdict = Judge(TASK).judge(shop(400))
    assert (verdict.doubt, verdict.since) == ("", 200)


@pytest.mark.dear
def test_what_is_unsure_of_itself_asks_for_more_pages_but_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    def unsure(task: LearnTask, pages: Sequence[StoredPage], *_: object) -> Knowledge:
        knowledge = learn_site(task, pages)
        certainty = {**knowledge.evidence["certainty"], "targets": "unsure", "because": "of this", "settles": "that"}
        return replace(knowledge, evidence={**knowledge.evidence, "certainty": certainty})

    monkeypatch.setattr("gwc_crawler.learn.precrawl.judge.learn_site", unsure)
    judge = Judge(TASK)
    assert [judge.judge(shop(count)).doubt for count in (400, 450, 500)] == ["of this", "of this", ""]


def test_what_only_the_learning_takes_is_looked_at_before_it_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the wrapper, too, more may be taken than by the addresses alone: pages of which none was seen."""

    def wider(task: LearnTask, pages: Sequence[StoredPage], *_: object) -> Knowledge:
        knowledge = learn_site(task, pages)
        return replace(knowledge, targets=(replace(knowledge.targets[0], regex=rf"{HOST}/(?:item|offer)/[0-9]+"),))

    monkeypatch.setattr("gwc_crawler.learn.precrawl.judge.learn_site", wider)
    offers = [f"/offer/{n}" for n in range(60)]
    judge, lists = Judge(TASK), [stored("/offers", "<p>All</p>", offers)]
    first = judge.judge(shop(400, more=lists))
    assert first.doubt.startswith("of some parts of the targets too few were looked at")
    assert first.knowledge is None
    seen = [url.removeprefix(HOST) for url in first.wanted if "/offer/" in url]
    assert len(seen) == 5
    second = judge.judge(shop(400, more=[*lists, *(stored(path, NEWS.format(n=1)) for path in seen)]))
    assert (second.doubt, second.knowledge is None) == ("", False)


class TestParts:
    """Parts of what is taken of which too few pages were looked at."""

    @staticmethod
    def missing(pages: Sequence[StoredPage], seen: Iterable[str] = ()) -> list[str]:
        links = Links(pages)
        taken = [url for url in links.urls if url.startswith(f"{HOST}/item/")]
        clean = {url: url for url in links.urls}
        named = missing_looks(taken, [f"{HOST}/item/a1.html"], links, clean, {*links.pages, *seen})
        return sorted(url.removeprefix(HOST) for urls in named.values() for url in urls)

    def test_of_a_prefix_that_many_have_and_hardly_one_was_looked_at_some_are_named(self) -> None:
        items = [*(f"/item/a{n}.html" for n in range(40)), *(f"/item/method.b{n}.html" for n in range(40))]
        pages = [stored("/", "", items, depth=0), *(stored(path) for path in items[:30])]
        named = [path for path in self.missing(pages) if "method." in path]
        assert len(named) >= 5

    def test_what_was_asked_for_before_is_not_named_again(self) -> None:
        items = [*(f"/item/a{n}.html" for n in range(40)), *(f"/item/method.b{n}.html" for n in range(40))]
        pages = [stored("/", "", items, depth=0), *(stored(path) for path in items[:30])]
        assert self.missing(pages, [HOST + path for path in items]) == []

    def test_pages_that_only_other_pages_link_to_are_a_part(self) -> None:
        near, far = [f"/item/a{n}.html" for n in range(60)], [f"/item/b{n}.html" for n in range(60)]
        pages = [stored("/", "", far, depth=0), stored(near[0], "", near), *(stored(path) for path in near[1:50])]
        assert len([path for path in self.missing(pages) if "/b" in path]) == 20

    def test_what_was_looked_at_counts_though_there_are_too_many_to_read_all(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("gwc_crawler.learn.precrawl.watch._MOST_READ", 100)
        near, far = [f"/item/a{n}.html" for n in range(600)], [f"/item/b{n}.html" for n in range(600)]
        pages = [stored("/", "", far, depth=0), stored(near[0], "", near)]
        assert self.missing(pages)
        pages += [stored(path) for path in (*near[1:21], *far[:20])]
        assert self.missing(pages) == []

    def test_a_handful_changes_nothing(self) -> None:
        items = [*(f"/item/a{n}.html" for n in range(40)), "/item/method.b.html"]
        pages = [stored("/", "", items, depth=0), *(stored(path) for path in items[:40])]
        assert self.missing(pages) == []


def test_what_would_be_a_target_in_another_directory_is_looked_at_before_the_decision_counts() -> None:
    watch = StabilityWatch(TASK)
    deep = [f"/item/of/old/{n}" for n in range(1000, 1012)]
    home, *rest = shop(120 + SPAN)
    pages = [stored("/", "<h1>Home</h1>", [link.removeprefix(HOST) for link in home.links] + deep, 0), *rest]
    watch.drafts += [FilterDraft(n, (rf"{HOST}/item/[0-9]+",), (rf"{HOST}/",)) for n in (100, 200)]
    look = watch.look(pages)
    assert "hardly a page was looked at" in look.doubt
    assert sorted(HOST + path for path in deep[::4]) == sorted(look.wanted)
    assert watch.look([*pages, stored("/about")]).doubt == ""


def test_of_a_place_of_which_enough_was_looked_at_or_with_few_pages_nothing_is_wanted() -> None:
    draft = FilterDraft(9, (rf"{HOST}/[^/?]+/item/[^/?]+\.html",))
    items = [f"{HOST}/en/item/{n}.html" for n in range(9)]
    deep = [f"{HOST}/en/more/item/{n}.html" for n in range(9)]
    few = [f"{HOST}/en/few/{n}.html" for n in range(4)]
    strangers = [f"{HOST}/en/other/{n}.php" for n in range(9)]
    outside = [f"{HOST}/{other}/more/item/{n}.html" for other in ("de", "en-old") for n in range(9)]
    urls, given = [*items, *deep, *few, *strangers, *outside], [f"{HOST}/en/index.html", items[0]]
    assert list(unlooked_places(urls, given, draft, set(items)).values()) == [[deep[0], deep[3], deep[6]]]
    assert list(unlooked_places(urls, given, draft, {*deep[:2]}).values()) == [[deep[2]]]
    assert unlooked_places(urls, given, draft, {*deep[:3]}) == {}
    assert unlooked_places(urls, [], draft, set())


def test_places_are_looked_at_below_what_all_targets_share_where_the_samples_stand_in_one_directory() -> None:
    draft = FilterDraft(9, (rf"{HOST}/std/[^/?]+/trait\.[^/?]+\.html",))
    given = [f"{HOST}/std/ops/trait.{name}.html" for name in ("Add", "Sub")]
    others = [f"{HOST}/std/iter/trait.{n}.html" for n in range(9)]
    deep = [f"{HOST}/std/os/unix/trait.{n}.html" for n in range(9)]
    outside = [f"{HOST}/core/os/unix/trait.{n}.html" for n in range(9)]
    urls = [*given, *others, *deep, *outside]
    assert list(unlooked_places(urls, given, draft, {*given, *others}).values()) == [[deep[0], deep[3], deep[6]]]
    assert unlooked_places([*given, *deep, *outside], given, draft, set(given)) == {}

"""What the report says of a decision: what else shows the fields, what lacks them, what is wrong with the samples."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from rich.console import Console

from gwc_crawler.extract.wrapper import Wrapper
from gwc_crawler.items import StoredPage
from gwc_crawler.knowledge.model import Knowledge, UrlClass
from gwc_crawler.learn.report import render_report
from gwc_crawler.learn.review.certainty import Certainty, Found, judge
from gwc_crawler.learn.review.evidence import Pages
from gwc_crawler.learn.review.left_out import LeftOut, refused_targets
from gwc_crawler.learn.review.mixed import mixed_targets
from gwc_crawler.learn.review.odd import odd_targets, targets_elsewhere
from gwc_crawler.learn.review.sample_check import sample_doubts
from gwc_crawler.learn.site import learn_site
from tests.eval.generated.grammar import Grammar
from tests.eval.generated.site import ORIGIN, Site, build_site
from tests.eval.generated.trial import choose_samples, learning_task, precrawled

WORDS = [f"{one}{two}" for one in "abcdefgh" for two in "stuvwxyz"]
SHOP = Grammar(articles=40, sections=3, values=4, sidebar=True, breadcrumbs=True)


@cache
def learned(grammar: Grammar = SHOP, target: str | None = None) -> tuple[Site, Knowledge]:
    site = build_site(grammar)
    samples = choose_samples(site)
    task = replace(learning_task(site, samples), target=target)
    return site, learn_site(task, precrawled(site, samples, 600))


def with_second_sample(path: str) -> Knowledge:
    """Learn with one good sample and another page's heading as the second's title."""
    site = build_site(SHOP)
    first = choose_samples(site)[0]
    heading = re.search(r"<h1>(.*?)</h1>", site.pages[path])
    assert heading is not None
    given: tuple[tuple[str, Mapping[str, str]], ...] = (
        (ORIGIN + first, site.targets[first]),
        (ORIGIN + path, {"title": heading[1]}),
    )
    task = replace(learning_task(site, []), samples=given)
    return learn_site(task, precrawled(site, [first, path], 600))


def told(knowledge: Knowledge, *, verbose: bool = False) -> list[str]:
    console = Console(file=io.StringIO(), width=100)
    render_report(knowledge, console, verbose=verbose)
    return console.file.getvalue().splitlines()  # type: ignore[attr-defined, no-any-return]


def in_one_line(knowledge: Knowledge, *, verbose: bool = False) -> str:
    return " ".join(" ".join(told(knowledge, verbose=verbose)).split())


def certainty(knowledge: Knowledge) -> Mapping[str, Any]:
    return knowledge.evidence["certainty"]  # type: ignore[no-any-return]


def test_a_clear_site_is_sure_and_needs_no_further_sample() -> None:
    knowledge = learned()[1]
    assert certainty(knowledge)["targets"] == "sure"
    assert knowledge.evidence["left_out"] == [] == knowledge.evidence["lacking"]
    assert told(knowledge)[0].endswith("; sure of the targets")
    assert "unsure" not in in_one_line(knowledge)
    assert told(knowledge)[-1].startswith("to do     nothing; all that was learned: scrapy learn ")


def test_pages_left_out_that_show_the_fields_are_the_first_rows_of_the_table() -> None:
    site, _ = learned(Grammar(address="category", categories=4))
    group = choose_samples(site)[0].rpartition("/")[0]
    _, knowledge = learned(site.grammar, target=f".*{group}/[^/]+\\.html")
    others = [path for path in site.targets if not path.startswith(f"{group}/")]
    rows = knowledge.evidence["left_out"]
    assert {row["kind"] for row in rows} == {"address"}
    assert sum(row["pages"] for row in rows) == len(others)
    first = told(knowledge)[2].split()
    assert first[:3] == ["left", "out?", str(rows[0]["pages"])]
    assert knowledge.evidence["groups"][0]["regex"] == rows[0]["regex"]
    assert knowledge.evidence["groups"][0]["is_doubtful"]
    assert f"also found on about {rows[0]['pages']} pages like" in in_one_line(knowledge)
    assert "their addresses do not" in in_one_line(knowledge)
    assert certainty(knowledge)["targets"] == "fairly sure"
    assert f"[learn] target leaves out about {len(others)} pages" in certainty(knowledge)["line"]
    assert certainty(knowledge)["line"].endswith("no further sample is needed"), "the person has decided"


@pytest.mark.dear
def test_second_versions_of_targets_are_told_apart_from_what_might_be_wanted() -> None:
    site, _ = learned(replace(SHOP, versions="directory", canonical=False))
    _, knowledge = learned(site.grammar, target=".*example/(docs/|site/pages/)?[a-z]+/[^/]+\\.html")
    rows = [row for row in knowledge.evidence["left_out"] if row["kind"] == "copy"]
    assert sum(row["pages"] for row in rows) == len(site.versions)
    assert "second addresses" in rows[0]["reason"]


def test_another_kind_of_pages_is_told_by_a_mark_that_it_lacks() -> None:
    site, knowledge = learned(replace(SHOP, siblings=1, values=1, absent=0.0))
    rows = knowledge.evidence["left_out"]
    assert all(
        row["kind"] != "address" for row in rows if row["example"].removeprefix(ORIGIN) in site.others["siblings"]
    )
    assert certainty(knowledge)["targets"] == "sure"


def test_a_target_class_without_the_fields_is_named() -> None:
    _, knowledge = learned(target=".*/news/.*")
    (row,) = knowledge.evidence["lacking"]
    assert row["pages"] == SHOP.articles
    assert row["lacking"] > row["tried"] / 2
    assert told(knowledge)[2].split()[0] == "targets?"
    assert " lack the fields, such as " in in_one_line(knowledge)
    assert certainty(knowledge)["targets"] == "unsure"


def test_samples_of_two_kinds_are_doubted() -> None:
    knowledge = with_second_sample(build_site(SHOP).others["articles"][3])
    assert "look like pages of two kinds" in knowledge.evidence["warnings"][0]
    assert "replace the other sample, else make a site file for each" in knowledge.evidence["warnings"][0]
    doubt = "the samples look like pages of two kinds, see the warnings"
    assert told(knowledge)[0].endswith("; unsure of the targets")
    assert f"unsure {doubt}" in in_one_line(knowledge)


@pytest.mark.parametrize("bare", [True, False])
def test_a_page_of_its_own_with_a_title_alone_is_doubted_beside_a_record(bare: bool) -> None:
    """A help page has nothing beside it to compare it with."""
    site = build_site(SHOP)
    first, second = choose_samples(site)
    page = "<html><body><h1>Help</h1><p>Write to us.</p></body></html>" if bare else site.pages[second]
    title = heading(site, second)["title"]
    help_page = StoredPage(f"{ORIGIN}/help/", f"{ORIGIN}/help/", page.encode(), "text/html", "utf-8", 1, 1, False)
    given = {"title": "Help" if bare else title}
    task = replace(learning_task(site, []), samples=((ORIGIN + first, site.targets[first]), (help_page.url, given)))
    knowledge = learn_site(task, [help_page, *precrawled(site, [first], 600)])
    assert any("the second has 1 of the" in one for one in knowledge.evidence["warnings"]) == bare
    assert knowledge.evidence["certainty"]["targets"] == "unsure" or not bare


def test_a_view_of_a_record_is_doubted_beside_a_record() -> None:
    site = build_site(SHOP)
    first, second = choose_samples(site)
    form = "<div class=form><h2>Write</h2><form><input name=a></form><p>Be kind.</p></div>"
    views = [
        StoredPage(url, url, (form + site.pages[path]).encode(), "text/html", "utf-8", 1, 1, False)
        for path in [second, *list(site.targets)[:12]]
        if (url := f"{ORIGIN}{path}/reviews/add/")
    ]
    given = {name: site.targets[second][name] for name in ("title", "price")}
    task = replace(learning_task(site, []), samples=((ORIGIN + first, site.targets[first]), (views[0].url, given)))
    knowledge = learn_site(task, [*views, *precrawled(site, [first], 600)])
    told = f"{views[0].url} shows the same title, price as {ORIGIN}{second}, of which it is another view"
    assert any(told in warning for warning in knowledge.evidence["warnings"])
    assert knowledge.evidence["certainty"]["targets"] == "unsure"


def test_a_sample_that_is_a_directory_is_doubted() -> None:
    site = build_site(SHOP)
    path = site.others["lists"][0]
    knowledge = with_second_sample(path)
    doubt = next(one for one in knowledge.evidence["warnings"] if "looks like a directory" in one)
    assert f"the sample {ORIGIN}{path} looks like a directory: it leads to" in doubt
    assert certainty(knowledge)["targets"] == "unsure"


def test_another_kind_among_the_targets_is_noticed() -> None:
    site, knowledge = learned(replace(SHOP, siblings=1))
    samples = choose_samples(site)
    stored = precrawled(site, samples, 600)
    items = "|".join(re.escape(ORIGIN + path) for path in (*site.targets, *site.others["siblings"]))
    careless = replace(knowledge, targets=(UrlClass(items),), page_check={})
    pages = Pages(stored, careless, Wrapper.from_json(knowledge.wrapper), ())
    pages.samples = [pages.by_url[ORIGIN + path] for path in samples]
    mixed = mixed_targets(pages)
    assert mixed is not None
    assert mixed.example.removeprefix(ORIGIN) in site.others["siblings"]
    assert mixed.share == pytest.approx(
        len(site.others["siblings"]) / (len(site.targets) + len(site.others["siblings"])), abs=0.1
    )
    told = judge(Found(targets=60, mixed=mixed))
    assert told.targets == "fairly sure"
    assert told.next_sample == mixed.example
    careful = replace(knowledge, page_check={})
    assert mixed_targets(replace(pages, knowledge=careful)) is None


@pytest.mark.parametrize(
    ("own", "samples", "is_told"),
    [("Language: German", "Language: French", False), ("Talk", "Talks", False), ("Weaving", "Pottery", True)],
)
def test_labels_with_other_values_and_of_one_and_several_part_no_kinds(own: str, samples: str, is_told: bool) -> None:
    site, knowledge = learned()
    first, second = choose_samples(site)
    german = [ORIGIN + path for path in sorted(site.targets)[::3] if path not in (first, second)]
    stored = [
        replace(page, html=page.html.replace(b"<h1>", b"<dt>%s</dt><h1>" % said.encode(), 1)) if is_target else page
        for page in precrawled(site, [first, second], 600)
        for said, is_target in [(own if page.url in german else samples, page.url.removeprefix(ORIGIN) in site.targets)]
    ]
    pages = Pages(stored, replace(knowledge, page_check={}), Wrapper.from_json(knowledge.wrapper), ())
    pages.samples = [pages.by_url[ORIGIN + path] for path in (first, second)]
    mixed = mixed_targets(pages)
    assert (mixed is not None and mixed.instead == f"dt:{samples}") == is_told


def test_a_single_page_built_otherwise_among_the_targets_is_named() -> None:
    site, knowledge = learned()
    samples = choose_samples(site)
    odd = site.others["articles"][0]
    items = "|".join(re.escape(ORIGIN + path) for path in (*site.targets, odd))
    careless = replace(knowledge, targets=(UrlClass(items),), page_check={})
    pages = Pages(precrawled(site, samples, 600), careless, Wrapper.from_json(knowledge.wrapper), ())
    assert odd_targets(pages) == [ORIGIN + odd]
    told = judge(Found(targets=60, odd=odd_targets(pages)))
    assert (told.targets, told.next_sample) == ("fairly sure", ORIGIN + odd)
    assert odd_targets(replace(pages, knowledge=replace(knowledge, page_check={}))) == []


def test_pages_with_all_fields_that_the_page_check_refuses_are_named() -> None:
    """Of the targets a third have a mark that is forbidden: a box that the samples have not."""
    site, knowledge = learned()
    samples = choose_samples(site)
    boxed = [ORIGIN + path for path in sorted(site.targets)[::3] if path not in samples]
    stored = [
        replace(page, html=page.html.replace(b"<h1>", b"<div class=box><p>Note</p></div><h1>", 1))
        if page.url in boxed
        else page
        for page in precrawled(site, samples, 600)
    ]
    strict = {"forbidden": ["p:Note"], "most_forbidden": 0.5}
    pages = Pages(stored, replace(knowledge, page_check=strict), Wrapper.from_json(knowledge.wrapper), ())
    refused = refused_targets(pages)
    assert refused is not None
    assert refused.example in boxed
    assert 0.2 < refused.share < 0.5
    told = judge(Found(targets=60, refused=refused))
    assert (told.targets, told.next_sample) == ("fairly sure", refused.example)
    assert "of the pages with such an address have all fields and are refused" in told.line
    assert refused_targets(replace(pages, knowledge=knowledge, _looks={})) is None


@pytest.mark.parametrize(("count", "is_doubted"), [(1, True), (4, False)])
def test_a_sample_with_few_fields_built_unlike_all_targets_is_doubted(count: int, is_doubted: bool) -> None:
    site, knowledge = learned()
    samples = choose_samples(site)
    own = "<table class='team'><tr><td>We are two</td></tr></table>"
    html = re.sub(r"<dl.*?</dl>|<h2>.*?</p>(?=</div>)", own, site.pages[samples[1]])
    about = StoredPage(f"{ORIGIN}/about/", f"{ORIGIN}/about/", html.encode(), "text/html", "utf-8", 1, 1, False)
    items = "|".join(map(re.escape, (about.url, *(ORIGIN + path for path in site.targets))))
    careless = replace(knowledge, targets=(UrlClass(items),), page_check={})
    pages = Pages([about, *precrawled(site, samples, 600)], careless, Wrapper.from_json(knowledge.wrapper), ())
    pages.samples = [pages.by_url[ORIGIN + samples[0]], about]
    given = [site.targets[samples[0]], {f"field{n}": "x" for n in range(count)}]
    told = [doubt.told for doubt in sample_doubts(pages, given, odd_targets(pages), "")]
    assert any(f"{about.url} look like pages of two kinds: the second has 1 of" in one for one in told) == is_doubted


def test_targets_that_no_directory_leads_to_are_told() -> None:
    assert judge(Found(targets=200, unreached=1)).targets == "sure"
    told = judge(Found(targets=200, unreached=30))
    assert told.targets == "fairly sure"
    assert "the directories lead to 170 of 200" in told.line
    assert judge(Found(targets=200, unreached=120)).targets == "unsure"


def test_fields_that_are_read_otherwise_than_the_samples_say_are_named_in_the_last_line() -> None:
    told = judge(Found(targets=200, unmet=["price", "reviews"]))
    assert told.targets == "sure"
    says = "not all values of price, reviews are read as your samples have them, see the warnings"
    assert told.line == f"sure of the targets; {says}"


def test_a_field_of_all_samples_that_few_targets_have_makes_less_sure() -> None:
    def told(share: float, unseen: int, shared: list[str]) -> Certainty:
        values = [{"url": f"{ORIGIN}/a.html", "value": "A"}, {"url": f"{ORIGIN}/b.html", "value": []}]
        fields = {"params": {"values": values, "unseen_pages": unseen, "coverage": share}}
        return judge(Found(targets=60, fields=fields, shared=shared))

    doubted = told(0.18, 60, ["params"])
    assert doubted.targets == "fairly sure"
    assert "all your samples have params, 18% of the targets do: others may be of another kind" in doubted.line
    assert doubted.next_sample == f"{ORIGIN}/b.html"
    assert told(0.4, 60, ["params"]).targets == "sure"
    assert told(0.18, 60, []).targets == "sure"
    assert told(0.18, 5, ["params"]).targets == "sure"


def test_targets_outside_of_the_directory_of_all_samples_are_named() -> None:
    site, knowledge = learned(Grammar(address="category", categories=4))
    by_directory: dict[str, list[str]] = {}
    for path in site.targets:
        by_directory.setdefault(path.rpartition("/")[0], []).append(path)
    directory, ones = max(by_directory.items(), key=lambda pair: len(pair[1]))
    stored = precrawled(site, ones[:2], 600)
    pages = Pages(stored, knowledge, Wrapper.from_json(knowledge.wrapper), ())
    pages.samples = [pages.by_url[ORIGIN + path] for path in ones[:2]]
    elsewhere = targets_elsewhere(pages)
    assert elsewhere is not None
    assert elsewhere.directory == f"{directory}/"
    assert elsewhere.example.removeprefix(ORIGIN) in set(site.targets) - set(ones)
    told = judge(Found(targets=60, elsewhere=elsewhere))
    assert told.targets == "fairly sure"
    assert f"whether pages outside of {directory}/ are targets, too" in told.line
    strict = replace(knowledge, page_check={"required": ["no>such>mark"]})
    refused = Pages(stored, strict, pages.wrapper, pages.samples)
    assert targets_elsewhere(refused) is None


def test_pages_left_out_that_have_the_lists_of_all_samples_make_less_sure() -> None:
    row = LeftOut("http://a/view-.*", 60, 4, 4, "unlike", "none of them has 'oid'", "http://a/view-x", has_lists=True)
    told = judge(Found(targets=60, left_out=[row]))
    assert told.targets == "fairly sure"
    assert "about 60 pages that were left out have the fields, too: none of them has 'oid'" in told.line
    assert told.next_sample == "http://a/view-x"
    few = replace(row, pages=3)
    assert judge(Found(targets=60, left_out=[few])).targets == "sure"
    assert judge(Found(targets=60, left_out=[replace(row, has_lists=False)])).targets == "sure"
    assert judge(Found(targets=60, left_out=[row], odd=["http://a/odd"])).because == told.because


def test_names_with_the_same_first_word_can_be_tried_apart() -> None:
    names = [f"view-{word}" for word in WORDS[:6]] + [f"howto-{word}" for word in WORDS[:2]] + WORDS[:4]
    urls = [f"http://a.example/{name}.html" for name in names]
    stored = [StoredPage(url, url, b"<p>x</p>", "text/html", "utf-8", 0, 1, True) for url in urls]
    knowledge = learned()[1]
    pages = Pages(stored, replace(knowledge, targets=()), Wrapper.from_json(knowledge.wrapper), ())
    assert [len(form) for form in pages.forms] == [12]
    views, rest = pages.by_first_word(pages.forms[0])
    assert {row.url for row in views} == {f"http://a.example/view-{word}.html" for word in WORDS[:6]}
    assert len(rest) == 6
    assert pages.by_first_word(rest) == []


def test_other_pages_have_the_fields_if_they_lack_no_more_than_most_targets_do() -> None:
    site, knowledge = learned(replace(SHOP, absent=0.5))
    samples = choose_samples(site)
    wrapper = replace(Wrapper.from_json(knowledge.wrapper), optional=())
    pages = Pages(precrawled(site, samples, 600), replace(knowledge, page_check={}), wrapper, ())
    looks = [pages.look(ORIGIN + path) for path in site.targets]
    assert sum(not look.missing for look in looks) < 0.4 * len(looks)
    assert 0.6 * len(looks) < sum(look.has_fields for look in looks)
    checked = Pages(pages.pages, replace(knowledge, page_check={"least_fields": 0}), wrapper, ())
    assert sum(look.has_fields for look in looks) < sum(checked.look(look.url).has_fields for look in looks)


def test_a_page_built_as_targets_are_may_lack_one_of_many_fields_that_each_of_them_has() -> None:
    site, knowledge = learned(replace(SHOP, absent=0.0, sections=0))
    samples = choose_samples(site)
    wrapper = replace(Wrapper.from_json(knowledge.wrapper), optional=())
    poor = [ORIGIN + path for path in sorted(site.targets)[::3]]
    label = re.compile(rb"<dt>Status</dt>\s*<dd.*?</dd>")
    stored = [
        replace(page, html=label.sub(b"", page.html)) if page.url in poor else page
        for page in precrawled(site, samples, 600)
    ]
    targets = "|".join(re.escape(ORIGIN + path) for path in site.targets if ORIGIN + path not in poor)
    filters = replace(knowledge, targets=(UrlClass(targets),), page_check={"least_fields": 0})
    pages = Pages(stored, filters, wrapper, ())
    looks = [pages.look(url) for url in poor]
    assert {len(look.missing) for look in looks} == {1}
    assert all(look.has_fields for look in looks)
    without = Pages(stored, replace(filters, page_check={}), wrapper, ())
    assert not any(without.look(url).has_fields for url in poor)


def with_samples(site: Site, *given: tuple[str, Mapping[str, str]]) -> Knowledge:
    task = replace(learning_task(site, []), samples=tuple((ORIGIN + path, fields) for path, fields in given))
    return learn_site(task, precrawled(site, [path for path, _ in given], 600))


def heading(site: Site, path: str) -> dict[str, str]:
    found = re.search(r"<h1>(.*?)</h1>", site.pages[path])
    assert found is not None
    return {"title": found[1]}


def test_samples_of_two_kinds_in_one_template_are_doubted() -> None:
    site = build_site(replace(SHOP, siblings=1))
    first, other = choose_samples(site)[0], site.others["siblings"][0]
    knowledge = with_samples(site, (first, site.targets[first]), (other, heading(site, other)))
    doubt = knowledge.evidence["warnings"][0]
    assert f"the samples {ORIGIN}{first} and {ORIGIN}{other} look like pages of two kinds" in doubt
    assert "on pages beside the first, not on those beside the second" in doubt
    assert certainty(knowledge)["targets"] == "unsure"


def test_long_and_short_pages_of_one_kind_are_not_doubted_where_several_fields_stand_alike() -> None:
    site = build_site(SHOP)
    samples = choose_samples(site)
    long = [samples[0], *list(site.targets)[::2]]
    for path in dict.fromkeys(one for one in long if one != samples[1]):
        parts = "".join(f"<div class='part-{word}'><p><i class='{word}'>x</i></p></div>" for word in WORDS)
        site.pages[path] = site.pages[path].replace("</body>", f"{parts}</body>")
    assert len(site.targets[samples[0]]) >= 3
    knowledge = with_samples(site, *((path, site.targets[path]) for path in samples))
    assert certainty(knowledge)["targets"] != "unsure", knowledge.evidence["warnings"]


def test_a_short_page_of_a_kind_is_not_doubted_where_pages_of_all_lengths_lie_between() -> None:
    site = build_site(SHOP)
    short, long = choose_samples(site)
    others = [path for path in site.targets if path not in (short, long)]
    for place, path in enumerate([*others, long]):
        lines = WORDS[: 4 * (place % 17)] if path != long else WORDS
        parts = "".join(f"<p class='part-{word}'><i class='{word}'>x</i></p>" for word in lines)
        site.pages[path] = site.pages[path].replace("</body>", f"{parts}</body>")
    knowledge = with_samples(site, *((path, {"title": site.targets[path]["title"]}) for path in (short, long)))
    assert not any("two kinds" in one for one in knowledge.evidence["warnings"])


def test_a_start_page_as_sample_is_doubted() -> None:
    site = build_site(SHOP)
    first = choose_samples(site)[0]
    knowledge = with_samples(site, (first, site.targets[first]), ("/", heading(site, "/")))
    assert f"the sample {ORIGIN}/ is the start page of its site" in " ".join(knowledge.evidence["warnings"])
    assert certainty(knowledge)["targets"] == "unsure"


@pytest.mark.parametrize("both", [True, False])
def test_a_version_to_print_as_sample_is_named_with_the_page_to_give_instead(both: bool) -> None:
    site = build_site(replace(SHOP, versions="directory"))
    one, two = choose_samples(site)
    version = {main: path for path, main in site.versions.items()}
    first = version[one] if both else one
    knowledge = with_samples(site, (first, site.targets[one]), (version[two], site.targets[two]))
    told = f"the sample {ORIGIN}{version[two]} says of itself that it is another version of {ORIGIN}{two}"
    assert told in " ".join(knowledge.evidence["warnings"])
    assert certainty(knowledge)["targets"] == "unsure"


def test_the_report_speaks_of_keywords_only_where_there_are_some() -> None:
    _, knowledge = learned()
    assert "keywords" not in in_one_line(knowledge, verbose=True)
    assert "of the pages with the keywords" in in_one_line(replace(knowledge, keywords="price"), verbose=True)

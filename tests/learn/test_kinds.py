"""Which pages are of the samples' kind: small sites written here, one for each thing that has to be told apart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

import pytest

from gwc_crawler.extract.page_check import page_agrees
from gwc_crawler.extract.wrapper import Wrapper
from gwc_crawler.items import StoredPage
from gwc_crawler.knowledge.model import Knowledge, Verdict
from gwc_crawler.learn.kinds.cuts import of_satellites, structure
from gwc_crawler.learn.kinds.feature_matrix import FeatureMatrix
from gwc_crawler.learn.kinds.near_duplicates import drop_word, find_near_duplicates, find_parts
from gwc_crawler.learn.kinds.sample_values import signs_of
from gwc_crawler.learn.kinds.splits import _sibling, _split, _unlabelled, decide
from gwc_crawler.learn.kinds.words import Word, WordKind, words_of
from gwc_crawler.learn.site import learn_site
from gwc_crawler.learn.targets.task import LearnTask
from gwc_crawler.learn.urls.url_parts import row_of
from gwc_crawler.page.parse import parse_html

SITE = "http://api.example"


@dataclass(frozen=True)
class Kind:
    """What pages of one kind have in common."""

    name: str
    sections: tuple[str, ...]

    def html(self, title: str, *, skipped: Iterable[str] = (), links: Iterable[str] = ()) -> str:
        parts = "".join(
            f"<h2 class='{name}'>{name}</h2><p class='{name}-text'>The {name} of {title} is told in these words.</p>"
            for name in self.sections
            if name not in set(skipped)
        )
        anchors = "".join(f"<li><a href='{link}'>{link}</a></li>" for link in links)
        return (
            f"<html><head><title>{title}</title></head><body class='doc {self.name}'><div id='top'>Manual</div>"
            f"<h1 class='{self.name}-title'>{title}</h1>{parts}<ul class='nav'>{anchors}</ul></body></html>"
        )


CLASS = Kind("class", ("summary", "parents", "members", "since"))
METHOD = Kind("method", ("summary", "parameters", "returns", "since"))
INDEX = Kind("index", ("contents",))


def stored(path: str, html: str, links: Iterable[str], depth: int = 1) -> StoredPage:
    urls = tuple(SITE + link for link in links)
    return StoredPage(SITE + path, SITE + path, html.encode(), "text/html", "utf-8", 0, depth, True, urls)


def fields(kind: Kind, title: str) -> dict[str, str]:
    return {"title": title} | {name: f"The {name} of {title} is told in these words." for name in kind.sections}


def learned(pages: list[StoredPage], kind: Kind, samples: dict[str, str]) -> Knowledge:
    given = tuple((SITE + path, fields(kind, title)) for path, title in samples.items())
    return learn_site(LearnTask("api", (f"{SITE}/",), samples=given), pages)


def taken(knowledge: Knowledge, paths: Iterable[str]) -> set[str]:
    return {path for path in paths if knowledge.verdict(SITE + path) is Verdict.TARGET}


def test_however_many_lists_lead_to_targets_the_page_that_leads_to_the_lists_is_a_directory() -> None:
    """Each of fifty filters has a form of its own; from the start a page without targets leads to them."""
    records = [f"/record/{n}.html" for n in range(100)]
    lists = {f"/list?key{n}x=1": records[2 * n : 2 * n + 2] for n in range(50)}
    pages = [stored("/", INDEX.html("Start", links=["/all"]), ["/all"], 0)]
    pages += [stored("/all", INDEX.html("Filters", links=lists), lists)]
    pages += [stored(path, INDEX.html(path, links=links), links) for path, links in lists.items()]
    pages += [stored(path, CLASS.html(f"Record {n}"), ()) for n, path in enumerate(records)]
    knowledge = learned(pages, CLASS, {records[3]: "Record 3", records[40]: "Record 40"})
    assert knowledge.verdict(f"{SITE}/all") is Verdict.DIRECTORY
    assert knowledge.evidence["targets_reached"]["reached"] > 70


def test_kinds_in_one_flat_directory_are_told_apart_by_the_prefix_of_their_names() -> None:
    classes = {f"/class.C{chr(97 + n % 26)}{n}.html": f"C{n}" for n in range(12)}
    methods = {f"/method.C{n % 12}.m{n}.html": f"m{n}" for n in range(150)}
    links = ["/index.html", *classes, *methods]
    pages = [stored("/index.html", INDEX.html("All", links=links), links, 0)]
    pages += [
        stored(path, CLASS.html(title, links=["/index.html"]), ["/index.html"]) for path, title in classes.items()
    ]
    pages += [
        stored(path, METHOD.html(title, links=["/index.html"]), ["/index.html"]) for path, title in methods.items()
    ]
    samples = dict(list(classes.items())[3:5])
    knowledge = learned(pages, CLASS, samples)
    assert taken(knowledge, links) == set(classes)
    assert taken(knowledge, ["/class.Later.html", "/method.Later.html"]) == {"/class.Later.html"}


@pytest.mark.parametrize(
    ("target", "other"),
    [
        pytest.param("/class{name}.html", "/struct{name}.html", id="nothing between prefix and name"),
        pytest.param("/index.php?title={name}", "/index.php?title=Talk:{name}", id="a name space in a value"),
        pytest.param("/wiki/{name}", "/wiki/Talk:{name}", id="a name space in the file name"),
    ],
)
def test_kinds_that_only_a_part_of_a_word_tells_apart(target: str, other: str) -> None:
    names = [f"{'Big' if number % 2 else 'Small'}Thing{chr(97 + number)}" for number in range(26)]
    ones, others = ({form.format(name=name): name for name in names} for form in (target, other))
    links = ["/", *ones, *others]
    pages = [stored("/", INDEX.html("All", links=links), links, 0)]
    pages += [stored(path, CLASS.html(title, links=["/"]), ["/"]) for path, title in ones.items()]
    pages += [stored(path, METHOD.html(title, links=["/"]), ["/"]) for path, title in others.items()]
    knowledge = learned(pages, CLASS, dict(list(ones.items())[3:5]))
    assert taken(knowledge, links) == set(ones)
    later = [form.format(name="Later") for form in (target, other)]
    assert taken(knowledge, later) == {later[0]}


@pytest.mark.parametrize("form", ["/{kind}.{name}.html", "/%E5%B1%9E{kind}_{name}.html"])
@pytest.mark.parametrize(
    ("kinds", "apart", "is_cut"), [("ABCDEF", True, True), ("ABCDEF", False, False), ("AB", True, False)]
)
def test_a_prefix_that_two_samples_would_hardly_share_is_their_kind_though_all_is_built_alike(
    form: str, kinds: str, apart: bool, is_cut: bool
) -> None:
    """Kinds in lists of their own; in one list they are the same to the site; samples often share that of the most."""
    counts = {kind: 20 if kind == "A" or len(kinds) > 2 else 10 for kind in kinds}
    names = {
        kind: [form.format(kind=kind, name=f"Name{chr(97 + n)}") for n in range(count)]
        for kind, count in counts.items()
    }
    lists = {f"/all-{kind}/": paths for kind, paths in names.items()}
    if not apart:
        turns = [path for some in zip(*names.values(), strict=True) for path in some]
        lists = {f"/part-{number}/": turns[number::4] for number in range(4)}
    pages = [stored("/", INDEX.html("All", links=lists), lists, 0)]
    pages += [stored(path, INDEX.html(path, links=links), links) for path, links in lists.items()]
    every = {path: path.split("Name")[1][0] for some in names.values() for path in some}
    pages += [stored(path, CLASS.html(title, links=["/"]), ["/"]) for path, title in every.items()]
    knowledge = learned(pages, CLASS, {path: every[path] for path in names["A"][3:5]})
    assert taken(knowledge, every) == set(names["A"] if is_cut else every)
    told = unquote(form).partition("{name}")[0].format(kind="A").strip("/")
    said = f"your samples are called {told}…" in knowledge.evidence["certainty"]["line"]
    assert said == (not is_cut)


def test_where_two_thirds_of_the_names_end_as_the_samples_do_the_last_line_says_so() -> None:
    paths = [f"/Name{chr(97 + n)}.{'method' if n % 3 else 'signal'}.html" for n in range(26)]
    pages = [stored("/", INDEX.html("All", links=paths), paths, 0)]
    pages += [stored(path, CLASS.html(path[5], links=["/"]), ["/"]) for path in paths]
    knowledge = learned(pages, CLASS, {path: path[5] for path in paths[1:3]})
    assert taken(knowledge, paths) == set(paths)
    line = knowledge.evidence["certainty"]["line"]
    assert line.startswith("fairly sure of the targets (your samples are called ….method, 35% of the targets are not)")
    assert "would settle whether pages not called ….method are targets, too" in line


def test_a_makers_name_before_a_hyphen_that_both_samples_have_is_no_kind() -> None:
    """A shop lists the goods of each maker apart; the last line says what was not known."""
    makers = ["brava", "okuma", "tindra", "velora"]
    paths = {maker: [f"/{maker}-{chr(97 + n)}.html" for n in range(20)] for maker in makers}
    lists = {f"/by_{maker}/": some for maker, some in paths.items()}
    every = {path: path.removesuffix(".html") for some in paths.values() for path in some}
    pages = [stored("/", INDEX.html("All", links=lists), lists, 0)]
    pages += [stored(path, INDEX.html(path, links=links), links) for path, links in lists.items()]
    pages += [stored(path, CLASS.html(title, links=["/"]), ["/"]) for path, title in every.items()]
    knowledge = learned(pages, CLASS, {path: every[path] for path in paths["brava"][:2]})
    assert taken(knowledge, every) == set(every)
    assert "your samples are called brava-…, 75% of the targets are not" in knowledge.evidence["certainty"]["line"]


def test_targets_spread_over_packages_are_found_in_packages_never_seen() -> None:
    packages = [f"/org/lib/{name}" for name in ("ode", "ode/nonstiff", "stat", "stat/rank", "linear", "util")]
    classes = {f"{package}/Class{n}{name}.html": f"Class{n}{name}" for package in packages
               for n, name in enumerate(("Alpha", "Beta", "Gamma"))}  # fmt: skip
    uses = {path.replace("/Class", "/class-use/Class"): title for path, title in classes.items()}
    summaries = {f"{package}/package-summary.html": package for package in packages}
    links = [*summaries, *classes, *uses]
    pages = [stored("/index.html", INDEX.html("All", links=links), links, 0)]
    pages += [stored(path, INDEX.html(title, links=links), links) for path, title in summaries.items()]
    pages += [stored(path, CLASS.html(title), ()) for path, title in classes.items()]
    pages += [stored(path, INDEX.html(f"Uses of {title}"), ()) for path, title in uses.items()]
    samples = {f"{packages[0]}/Class0Alpha.html": "Class0Alpha", f"{packages[3]}/Class2Gamma.html": "Class2Gamma"}
    knowledge = learned(pages, CLASS, samples)
    assert taken(knowledge, links) == set(classes)
    assert taken(knowledge, ["/org/lib/new/deep/Other.html", "/org/lib/new/deep/class-use/Other.html"]) == {
        "/org/lib/new/deep/Other.html"
    }


@pytest.mark.parametrize(("form", "is_cut"), [("/shop/{}.php?id={}", True), ("/shop/{}/{}", False)])
def test_the_script_that_answers_a_query_tells_a_kind_that_the_site_lists_apart(form: str, is_cut: bool) -> None:
    """Goods have their number, events a place instead; without a query a last name is but a name."""
    names = [("item", n) for n in range(60)] + [("event", n) for n in range(40)]
    words = [words_of(row_of(SITE + form.format(kind, 10 + n))) for kind, n in names]
    marks = [frozenset({*"abcdefgh", "dt:Number" if kind == "item" else "dt:Place"}) for kind, _ in names]
    matrix = FeatureMatrix(words, marks, [0, 1])
    cut = structure(matrix, matrix.everywhere, lambda kept, dropped: False)
    assert (cut is not None and matrix.members(cut.pages) == list(range(60))) == is_cut


@pytest.mark.parametrize(("parts", "is_cut"), [("", True), ("abcdef", False)], ids=["lists", "a topic"])
def test_lists_that_show_the_labels_of_all_records_are_no_topic_beside_them(parts: str, is_cut: bool) -> None:
    """In /c/ lists with the whole entries, and at the top pages of prose, which hide that the lists are no records."""
    paths = [f"/events/{n}" for n in range(60)] + [f"/c/list{n}" for n in range(8)] + [f"/page{n}" for n in range(9)]
    labels = {"dt:Number", "dt:Place"}
    marks = [{*"abcdefgh"} | labels] * 60 + [{"g", "h", *parts} | labels] * 8 + [{"g", "h"}] * 9
    matrix = FeatureMatrix(
        [words_of(row_of(SITE + path)) for path in paths], [frozenset(some) for some in marks], [0, 1]
    )
    cut = structure(matrix, matrix.everywhere, lambda kept, dropped: False)
    assert (cut is not None and matrix.members(cut.pages) == list(range(60))) == is_cut


@pytest.mark.parametrize("file", ["package-summary.html", "index.html", "%E7%9B%AE%E5%BD%95.html"])
def test_pages_that_lead_to_targets_are_described_as_generally_as_these(file: str) -> None:
    """Packages of all depths whose names do not come again; every third was not fetched."""
    names = [[chr(97 + n * (depth + 3) % 26) * 2 for depth in range(1 + n % 4)] for n in range(36)]
    places = [f"/api/{'/'.join(some)}{n}" for n, some in enumerate(names)]
    lists = {f"{place}/{file}": [f"{place}/Class{n}{name}.html" for name in "ABC"] for n, place in enumerate(places)}
    uses = [path.replace("/Class", "/use/Class") for links in lists.values() for path in links]
    pages = [stored("/", INDEX.html("All", links=lists), lists, 0)]
    for number, (path, links) in enumerate(lists.items()):
        if number % 3:
            pages.append(stored(path, INDEX.html(path, links=links), [*links, path.replace(file, "tree.html")]))
            pages.append(stored(path.replace(file, "tree.html"), INDEX.html("Tree"), [path]))
            pages += [stored(one, CLASS.html(one.rpartition("/")[2]), [path]) for one in links]
    pages += [stored(path, INDEX.html("Uses"), ()) for path in uses]
    samples = {one: one.rpartition("/")[2] for one in (list(lists.values())[1][0], list(lists.values())[11][1])}
    knowledge = learned(pages, CLASS, samples)
    assert {knowledge.verdict(SITE + path) for path in lists} == {Verdict.DIRECTORY}
    assert knowledge.verdict(f"{SITE}/api/new/place/far/down/below/{file}") is Verdict.DIRECTORY
    assert taken(knowledge, uses) == set()
    reached = knowledge.evidence["targets_reached"]
    assert reached["reached"] == reached["known"] > 60


def test_what_all_of_a_site_stands_below_tells_no_kinds_apart_but_what_comes_next_does() -> None:
    kinds = {"toy": CLASS, "game": METHOD}
    names = {f"/manual/en/{kind}/{number}": (kinds[kind], f"{kind}{number}") for number in range(40) for kind in kinds}
    links = ["/", *names]
    pages = [stored("/", INDEX.html("All", links=names), links, 0)]
    pages += [stored(path, kind.html(title, links=["/"]), ["/"]) for path, (kind, title) in names.items()]
    knowledge = learned(pages, CLASS, {"/manual/en/toy/3": "toy3", "/manual/en/toy/17": "toy17"})
    assert taken(knowledge, links) == {path for path in names if "/toy/" in path}
    assert taken(knowledge, ["/manual/en/toy/99", "/manual/en/game/99"]) == {"/manual/en/toy/99"}


def test_sparse_pages_with_a_section_of_their_own_are_kept() -> None:
    extended = Kind("class", (*CLASS.sections, "notes", "history"))
    links = ["/list/1.html", "/list/2.html", *(f"/class/{n}.html" for n in range(60))]
    pages = [stored("/index.html", INDEX.html("All", links=links), links, 0)]
    pages += [stored(path, INDEX.html(path, links=links), links) for path in links[:2]]
    for n, path in enumerate(links[2:]):
        sparse = ("parents", "members") if n % 6 == 0 else ("notes", "history")
        pages.append(stored(path, extended.html(f"C{n}", skipped=sparse), ()))
    knowledge = learned(pages, CLASS, {"/class/1.html": "C1", "/class/2.html": "C2"})
    assert taken(knowledge, links) == set(links[2:])
    assert knowledge.evidence["other_categories"] == []


def test_the_wrapper_is_judged_on_sparse_targets_too() -> None:
    """Without them the first cell would be the capital on every page that it was tried on."""
    names = ["capital", "population", "currency", "language", "area", "leader"]

    def facts(number: int) -> dict[str, str]:
        given = names if number % 3 else names[number % 2 : 2]
        return {"title": f"Land {number}"} | {name: f"{name.upper()} {number * 7}" for name in given}

    def html(number: int) -> str:
        rows = "".join(f"<tr><th>{k}</th><td>{v}</td></tr>" for k, v in facts(number).items() if k != "title")
        note = "<h2>History</h2><p>Long.</p>" if number % 3 else "<h2>Note</h2><div class='note'><p>A</p><ul><li>B</ul>"
        return f"<html><body><div id=a><a>x</a></div><h1>Land {number}</h1><table class=f>{rows}</table>{note}</body>"

    paths = {f"/land/{number}.html": number for number in range(60)}
    pages = [stored("/", INDEX.html("All", links=paths), paths, 0)]
    pages += [stored(path, html(number), ["/"]) for path, number in paths.items()]
    samples = tuple((SITE + path, dict(facts(number))) for path, number in paths.items() if number in (10, 20))
    knowledge = learn_site(LearnTask("api", (f"{SITE}/",), samples=samples), pages)
    assert taken(knowledge, paths) == set(paths)
    wrapper = Wrapper.from_json(knowledge.wrapper)
    for path, number in paths.items():
        found = {name: value for name, value in wrapper.extract(html(number), SITE + path).items() if value}
        assert found == facts(number)
        assert page_agrees(parse_html(html(number).encode(), "utf-8"), None, found, knowledge.page_check) is None


def test_goods_of_another_sort_that_only_lack_sections_are_no_other_kind() -> None:
    rich = {f"/shop/brand{n}": f"L{n}" for n in range(60)}
    poor = {f"/shop/brand{n}-coils": f"B{n}" for n in range(40)}
    links = ["/", *rich, *poor]
    pages = [stored("/", INDEX.html("All", links=links), links, 0)]
    pages += [stored(path, CLASS.html(title, links=["/"]), ["/"]) for path, title in rich.items()]
    pages += [
        stored(path, CLASS.html(title, skipped=CLASS.sections[2:], links=["/"]), ["/"]) for path, title in poor.items()
    ]
    knowledge = learned(pages, CLASS, dict(list(rich.items())[3:5]))
    assert taken(knowledge, links) == {*rich, *poor}


def test_posts_without_a_category_are_posts_though_they_stand_in_a_directory_of_their_own() -> None:
    posts = {f"/{('raids', 'gear', 'news', 'none')[n % 4]}/p{n}.html": f"P{n}" for n in range(80)}
    links = ["/", *posts]
    pages = [stored("/", INDEX.html("All", links=links), links, 0)]
    pages += [
        stored(path, CLASS.html(title, skipped=["since"] if "none" in path else [], links=["/"]), ["/"])
        for path, title in posts.items()
    ]
    knowledge = learned(pages, CLASS, {path: title for path, title in posts.items() if title in ("P4", "P8")})
    assert taken(knowledge, links) == set(posts)


@pytest.mark.parametrize(("copies", "are_versions"), [(2, False), (30, True)])
def test_what_few_pages_have_beside_them_is_no_second_version_by_the_end_of_its_name(
    copies: int, are_versions: bool
) -> None:
    links = [f"/land-{chr(97 + n % 26)}{n}.html" for n in range(60)]
    repeated = [link.replace(".html", "-safe.html") for link in links[10 : 10 + copies]]
    pages = [stored("/index.html", INDEX.html("All", links=[*links, *repeated]), [*links, *repeated], 0)]
    for path in [*links, *repeated]:
        title = path[1:].removesuffix(".html").removesuffix("-safe")
        pages.append(stored(path, CLASS.html(f"Land {title}" * 6), []))
    knowledge = learned(pages, CLASS, {path: f"Land {path[1:-5]}" * 6 for path in links[3:5]})
    assert taken(knowledge, [*links, *repeated]) == {*links, *(() if are_versions else repeated)}


def test_a_second_version_of_a_page_is_no_target_of_its_own() -> None:
    links = [f"/land/{name}.html" for name in "abcdefghijklmnopqrstuvwxyz"]
    copies = [link.replace("/land/", "/land/print_") for link in links[:3]]
    pages = [stored("/index.html", INDEX.html("All", links=links), links, 0)]
    for path in [*links, *copies]:
        title = path.rpartition("/")[2].removeprefix("print_")
        pages.append(stored(path, CLASS.html(f"Land {title}" * 6), [path.replace("/land/", "/land/print_")]))
    titles = {path: f"Land {path[6:]}" * 6 for path in links[3:5]}
    knowledge = learned(pages, CLASS, titles)
    assert taken(knowledge, [*links, *copies, "/land/print_z.html"]) == set(links)
    assert knowledge.evidence["second_versions"] == len(copies)
    assert [row["role"] for row in knowledge.evidence["clusters"] if "print_" in row["examples"][0]] == ["duplicate"]


def test_a_topic_of_a_forum_at_the_address_of_each_of_its_posts_and_its_pages_is_one_target() -> None:
    """`?post=7` shows the page on which the post is, `?page=1` the topic, `?page=2` goes on with it."""
    letters = [f"{one}{other}" for one in "abcdefghij" for other in "klmnop"]
    topics = {f"/forum/topic/{name}/": 3 if n % 6 else 20 for n, name in enumerate(letters)}
    pages = [stored("/forum/", INDEX.html("All", links=topics), list(topics), 0)]
    for number, (path, posts) in enumerate(topics.items()):
        for half in range(1 + (posts > 15)):
            title = f"Topic {path[13:-1]} part {half} told in many words "
            forms = [f"?post={100 * number + post}" for post in range(15 * half, min(posts, 15 * half + 15))]
            forms += [f"?page={half + 1}"] * (posts > 15)
            links = [path + form for form in (*forms[:4], *(["?page=1", "?page=2"] * (posts > 15)))]
            body = CLASS.html(title * 3, links=links).replace(f"<title>{title * 3}", f"<title>{path[13:-1]}")
            pages += [stored(path + form, body, links) for form in ([""] * (not half) + forms)]
    known = {path: f"Topic {path[13:-1]} part 0 told in many words " * 3 for path in list(topics)[1:3]}
    knowledge = learned(pages, CLASS, known)
    assert taken(knowledge, [page.url.removeprefix(SITE) for page in pages]) == set(topics)


def card(kind: str, number: int, label: str) -> str:
    """A page in the skin that all kinds of a site share: only labels tell what it is about."""
    return (
        f"<body><div id='top'>Shop</div><div class='item'><h1>Thing {kind}{number}</h1><dl><dt>{label}</dt>"
        f"<dd>{label[:1]}{number}x</dd><dt>Maker</dt><dd>House {number % 5}{kind}</dd></dl></div></body>"
    )


def skinned(kinds: dict[str, tuple[str, int]]) -> tuple[list[StoredPage], dict[str, str]]:
    """Pages at /directory/n.html, for each directory its label and how many; lists of each kind."""
    paths = {f"/{kind}/{n}.html": (kind, n, label) for kind, (label, count) in kinds.items() for n in range(count)}
    by_label = {label: [path for path in paths if paths[path][2] == label] for label, _ in kinds.values()}
    lists = list(by_label.values())
    pages = [stored("/", INDEX.html("All"), [f"/list-{n}.html" for n in range(len(lists))], 0)]
    pages += [stored(f"/list-{n}.html", INDEX.html("List", links=some), some) for n, some in enumerate(lists)]
    pages += [stored(path, card(*what), ["/"]) for path, what in paths.items()]
    pages += [stored(f"/news/{n}.html", METHOD.html(f"News {n}"), ["/"]) for n in range(40)]
    return pages, {path: label for path, (_, _, label) in paths.items()}


def taken_of(pages: list[StoredPage], paths: Iterable[str], label: str) -> set[str]:
    samples = tuple(
        (f"{SITE}/kitchen/{n}.html", {"title": f"Thing kitchen{n}", label.lower(): f"{label[:1]}{n}x"}) for n in (3, 7)
    )
    return taken(learn_site(LearnTask("shop", (f"{SITE}/",), samples=samples), pages), paths)


def test_kinds_of_one_skin_are_told_apart_by_a_field_that_one_never_has() -> None:
    pages, labels = skinned({"kitchen": ("Price", 12), "garden": ("Price", 12), "events": ("Place", 14)})
    assert taken_of(pages, labels, "Price") == {path for path, label in labels.items() if label == "Price"}


def test_a_field_that_is_missing_here_and_there_tells_no_kinds_apart() -> None:
    pages, labels = skinned({"kitchen": ("Price", 14), "garden": ("Price", 14)})
    sparse = {path for path in labels if path.endswith(("1.html", "2.html")) and path[-7] != "/"} | {"/garden/5.html"}
    pages = [
        stored(page.url.removeprefix(SITE), page.html.decode().replace("<dt>Price</dt>", "<dt>Style</dt>"), ["/"])
        if page.url.removeprefix(SITE) in sparse
        else page
        for page in pages
    ]
    assert taken_of(pages, labels, "Price") == set(labels)


def few_pages(samples: dict[str, str], others: Iterable[str], *, start: str = "/") -> list[StoredPage]:
    """A start page, other pages of no kind that it links to, and class pages that nothing links to."""
    others = list(others)
    pages = [stored(start, INDEX.html("All", links=others), others, 0)]
    pages += [stored(path, CLASS.html(title), [start]) for path, title in samples.items()]
    return pages + [stored(path, Kind(path, ()).html(path, links=[start]), [start]) for path in others]


@pytest.mark.parametrize("count", [0, 1, 2, 4, 9, 10, 14, 30])
def test_with_few_pages_only_what_the_samples_addresses_share_is_a_target(count: int) -> None:
    others = [f"/{name}" for name in ("about", "terms", "shop/help", "en/contact.html", *"abcdefghijklmnopqrstuvwxyz")]
    samples = {"/item/3": "C3", "/item/7": "C7"}
    knowledge = learned(few_pages(samples, others[:count]), CLASS, samples)
    assert taken(knowledge, ["/", *others[:count], *samples, "/item/12"]) == {*samples, "/item/12"}


def test_with_few_pages_those_without_the_fields_are_refused_though_their_addresses_are_alike() -> None:
    samples = {"/alice.html": "Alice", "/bob.html": "Bob"}
    strangers = ["/about.html", "/terms.html"]
    knowledge = learned(few_pages(samples, strangers, start="/index.html"), CLASS, samples)
    assert taken(knowledge, ["/index.html", *strangers, *samples, "/carol.html"]) == {*samples, "/carol.html"}


def test_with_few_pages_another_one_with_all_fields_widens_what_is_taken() -> None:
    samples = {"/north/3": "C3", "/north/7": "C7"}
    pages = few_pages(samples | {"/south/5": "C5"}, ["/about", "/terms"])
    knowledge = learned(pages, CLASS, samples)
    assert taken(knowledge, ["/", "/about", *samples, "/south/5", "/west/1"]) == {*samples, "/south/5", "/west/1"}


def test_with_few_pages_a_single_sample_does_not_stand_for_itself_alone() -> None:
    samples = {"/item/alice": "Alice"}
    knowledge = learned(few_pages(samples, ["/about", "/item"]), CLASS, samples)
    assert taken(knowledge, ["/", "/about", "/item", *samples, "/item/bob"]) == {*samples, "/item/bob"}


@pytest.mark.parametrize("further", ["/story_4_2.html", "/story_4/2.html", "/story_4.html?page=2", "/story_4-p2.html"])
def test_pages_on_which_another_one_goes_on_are_known_by_title_link_and_number(further: str) -> None:
    first = stored("/story_4.html", CLASS.html("The fourth"), [further])
    second = stored(further, CLASS.html("The fourth"), [])
    namesake = stored("/story_5_2.html", CLASS.html("The fourth"), [])
    found = find_parts([first, second, namesake, *filler()], str)
    assert found == ({SITE + further} if "-p" not in further else set())


@pytest.mark.parametrize(
    ("title", "is_part"),
    [
        ("The fourth - Page 2 - Board", True),
        ("The fourth - 第2页 - Board", True),
        ("Page 2 of 3 | The fourth - Board", True),
        ("The fourth 2 - Board", False),
        ("The fourth - Page by page - Board", False),
    ],
)
def test_the_title_of_a_further_page_may_say_its_number(title: str, is_part: bool) -> None:
    first, further = "/thread-1030-1-1.html", "/thread-1030-2-1.html"
    pages = [stored(first, CLASS.html("The fourth - Board"), [further]), stored(further, CLASS.html(title), [])]
    found = find_parts([*pages, *filler()], str)
    assert found == ({SITE + further} if is_part else set())


@pytest.mark.parametrize(
    ("first", "further", "is_part"),
    [
        ("/thread-1030-1-1.html", "/thread-1030-2-1.html", True),
        ("/thread-1030-1-1.html", "/thread-1030-12-1.html", True),
        ("/thread-7-1-1.html", "/thread-1030-2-1.html", False),
        ("/1-3/thread-4.html", "/2-3/thread-4.html", False),
    ],
)
def test_a_further_page_may_have_its_number_where_the_first_has_a_one(first: str, further: str, is_part: bool) -> None:
    pages = [stored(first, CLASS.html("The fourth"), [further]), stored(further, CLASS.html("The fourth"), [])]
    assert find_parts([*pages, *filler()], str) == ({SITE + further} if is_part else set())


def test_a_second_address_of_a_page_links_to_the_same_pages() -> None:
    links = ["/forum-1.html", "/space-7.html"]
    first, second, other = (
        stored(path, CLASS.html("The fourth"), links if same else [])
        for path, same in (("/t-9-1-1.html", True), ("/t-9-1-2.html", True), ("/t-9-1-3.html", False))
    )
    assert find_parts([first, second, *filler()], str) == {second.url}
    assert find_parts([first, other, *filler()], str) == set()


@pytest.mark.parametrize(
    ("address", "comments", "is_duplicate"),
    [
        ("/print/a-cake/", 2, True),
        ("/other-cake/", 2, False),
        ("/print/a-cake/", 40, False),
    ],
    ids=["of the same name", "of another name", "hardly a part of it"],
)
def test_a_print_version_without_the_comments_is_a_second_version(
    address: str, comments: int, is_duplicate: bool
) -> None:
    text = [f"{chr(97 + n)} of the cake, which takes {n + 3} eggs and more of butter." for n in range(4)]
    said = [f"{chr(97 + n % 26)}{n} says that it was as good as his mother's own cake." for n in range(comments)]
    texts = {f"{SITE}/a-cake/": frozenset([*text, *said]), SITE + address: frozenset(text)}
    pages = [stored(url.removeprefix(SITE), "", []) for url in texts]
    found = find_near_duplicates(pages, str, lambda page: (-len(page.url),), lambda page: texts[page.url])
    assert found == ({SITE + address: f"{SITE}/a-cake/"} if is_duplicate else {})


@pytest.mark.parametrize("held", [True, False], ids=["all of it", "something of its own"])
def test_a_page_below_another_one_that_shows_a_part_of_it_is_a_second_version(held: bool) -> None:
    text = [f"{chr(97 + n)} of the cake, which takes {n + 3} eggs and more of butter." for n in range(4)]
    said = [f"{chr(97 + n % 26)}{n} says that it was as good as his mother's own cake." for n in range(40)]
    own = [] if held else ["A cake is to be eaten while it is hot, and never with a fork, whatever is said."]
    texts = {f"{SITE}/a-cake/": frozenset([*text, *said]), f"{SITE}/a-cake/reviews/add/": frozenset([*text, *own])}
    pages = [stored(url.removeprefix(SITE), "", []) for url in texts]
    found = find_near_duplicates(pages, str, lambda page: (-len(page.url),), lambda page: texts[page.url])
    assert found == ({f"{SITE}/a-cake/reviews/add/": f"{SITE}/a-cake/"} if held else {})


def duplicates_by(records: dict[str, dict[str, Any]]) -> dict[str, str]:
    """The second versions among pages without texts, by the record that each URL shows."""
    pages = [stored(url.removeprefix(SITE), "", []) for url in records]
    return find_near_duplicates(
        pages, str, lambda page: (-len(page.url),), lambda page: frozenset(), lambda page: records[page.url]
    )


@pytest.mark.parametrize(
    ("below", "again", "is_duplicate"),
    [
        ({"name": "Cake", "price": "7", "maker": "Lee"}, "Cake", True),
        ({"name": "Cake", "price": "8", "maker": "Lee"}, "Cake", False),
        ({"name": "Cake", "price": "7"}, "Cake", False),
        ({"name": "Cake", "price": "7", "maker": "Lee"}, "", False),
        ({"name": "Cake", "price": "7", "maker": "Lee", "sizes": ["L"]}, "Cake", False),
    ],
    ids=["the same record", "another price", "a part of it", "a constant one", "another list"],
)
def test_a_page_below_another_one_that_shows_its_whole_record_is_a_second_version(
    below: dict[str, Any], again: str, is_duplicate: bool
) -> None:
    paths = [f"/item/{n}/{end}" for n in range(6) for end in ("", "reviews/add/")]
    records = {
        f"{SITE}{path}": (below if "add" in path else {"name": "Cake", "price": "7", "maker": "Lee", "sizes": ["S"]})
        | ({"name": f"{again} {path[6]}", "maker": f"{path[6]} & Co."} if again else {})
        for path in paths
    }
    if "maker" not in below:
        for url in filter(lambda one: "add" in one, records):
            records[url] = {name: value for name, value in records[url].items() if name != "maker"}
    assert duplicates_by(records) == (
        {f"{SITE}/item/{n}/reviews/add/": f"{SITE}/item/{n}/" for n in range(6)} if is_duplicate else {}
    )


@pytest.mark.parametrize(
    ("query", "also", "is_duplicate"),
    [("?id={}", 1, True), ("?id={}", 2, False), ("", 1, False)],
    ids=["another sum", "several others", "no query"],
)
def test_a_page_below_another_one_with_the_query_of_its_record_may_differ_in_a_sum(
    query: str, also: int, is_duplicate: bool
) -> None:
    paths = [f"/commit/{end}{query.format(n)}" if query else f"/c/{n}/{end}" for n in range(6) for end in ("", "docs/")]
    records = {
        SITE + path: {"commit": f"c{n}", "author": "Lee", "date": "May", "tree": f"t{n}", "sum": "5", "size": "7"}
        | dict(list({"sum": "1", "size": "2"}.items())[: also if "docs" in path else 0])
        for n in range(6)
        for path in paths[2 * n : 2 * n + 2]
    }
    expected = {SITE + paths[2 * n + 1]: SITE + paths[2 * n] for n in range(6)}
    assert duplicates_by(records) == (expected if is_duplicate else {})


def test_pairs_of_a_query_may_be_parted_by_semicolons() -> None:
    commits = [f"/?p=a.git;a=commit;h={n}f{n}" for n in range(20)]
    others = [f"/?p=a.git;a={kind};h={n}f{n}" for n in range(20) for kind in ("tree", "diff")]
    known = [stored("/", INDEX.html("All", links=[*commits, *others]), [*commits, *others], 0)]
    known += [stored(path, CLASS.html(path), ["/"]) for path in commits]
    known += [stored(path, INDEX.html(path, links=commits), commits) for path in others]
    knowledge = learned(known, CLASS, {path: path for path in (commits[3], commits[12])})
    further = ["/?p=a.git;a=commit;h=7e", "/?p=a.git;a=tree;h=7e", "/?p=a.git;a=commitdiff;h=7e", "/?p=a.git;a=log"]
    assert taken(knowledge, [*commits, *others, *further]) == {*commits, further[0]}


def told_by(*pairs: tuple[str, str], lone: Iterable[str] = ()) -> tuple[Word, bool] | None:
    """The word by which pages are told from those they repeat, given as pairs of paths; *lone* ones repeat none."""
    paths = [*(f"/item/{chr(97 + n)}{n}-thing" for n in range(30)), *lone, *(path for pair in pairs for path in pair)]
    urls = [SITE + path for path in paths]
    matrix = FeatureMatrix([words_of(row_of(url)) for url in urls], [frozenset({"mark"}) for _ in urls], range(2))
    mains = {urls.index(SITE + version): urls.index(SITE + main) for version, main in pairs}

    def is_version(word: Word, place: int) -> bool:
        return urls[place].replace(word.value, "", 1) == urls[mains[place]]

    def is_comparable(word: Word, place: int) -> bool:
        return any(urls[place].startswith(f"{url}/") for url in urls)

    return drop_word(matrix, matrix.everywhere, mains, is_version, 0.6, 0, is_comparable)


def test_a_thing_described_like_another_one_is_no_version_of_it() -> None:
    assert told_by(("/item/gpg-agent", "/item/gnupg-all")) is None
    assert told_by(("/item/php-sqlite3", "/item/php-curl")) is None
    assert told_by(("/item?id=109", "/item?id=7"), ("/item?id=116", "/item?id=9")) is None
    found = told_by(("/item/print_cake", "/item/cake"))
    assert found is not None
    assert (found[0].value, found[1]) == ("print_", True)


def test_views_below_pages_are_told_by_their_depth_where_some_of_the_pages_were_not_fetched() -> None:
    known = [(f"/item/m{n}-main/add", f"/item/m{n}-main") for n in range(6)]
    found = told_by(*known, lone=[f"/item/x{n}-other/add" for n in range(8)])
    assert found is not None
    assert (found[0].kind, found[1]) == (WordKind.DEPTH, False)


BOX = "<table class='file'><tr><td>Number</td></tr></table>"


def test_a_title_that_many_pages_have_makes_no_parts() -> None:
    links = [f"/things/{number}" for number in range(40)]
    pages = [
        stored("/things/", INDEX.html("Our shop"), links),
        *(stored(link, CLASS.html("Our shop"), []) for link in links),
    ]
    assert find_parts(pages, str) == set()


def filler() -> list[StoredPage]:
    return [stored(f"/other_{number}.html", CLASS.html(f"Other {number}"), []) for number in range(30)]


@pytest.mark.parametrize(
    ("prefixes", "pages_each", "are_names"),
    [(30, 4, True), (30, 12, False), (6, 4, False)],
    ids=["names", "API", "few"],
)
def test_a_prefix_that_is_one_of_many_is_a_word_of_names(prefixes: int, pages_each: int, are_names: bool) -> None:
    paths = [f"/wiki/{'abcdefghij'[n % 10]}{'xyz'[n // 10]}_{k}q" for n in range(prefixes) for k in range(pages_each)]
    matrix = FeatureMatrix([words_of(row_of(SITE + path)) for path in paths], [frozenset()] * len(paths), [0, 1])
    shared = next(word for word in matrix.shared_words if word.value == "ax_")
    assert matrix.is_one_of_many(shared, matrix.everywhere) == are_names


@pytest.mark.parametrize(("shared", "is_cut"), [("abcdefgh", False), ("abcd", True)], ids=["as like", "less like"])
def test_a_directory_is_a_topic_where_another_one_is_as_like_the_samples(shared: str, is_cut: bool) -> None:
    """Both samples stand in the larger of two categories; other kinds have directories of their own."""
    paths = [f"/docs/{'tools' if n < 30 else 'toys'}/{n}x" for n in range(40)]
    paths += [f"/docs/{'abc'[n % 3]}news/{n}x" for n in range(30)]
    marks = [frozenset("abcdefgh" if n < 30 else shared if n < 40 else "xyz") for n in range(70)]
    matrix = FeatureMatrix([words_of(row_of(SITE + path)) for path in paths], marks, [0, 1])
    cut = _split(matrix, matrix.everywhere)
    words = [] if cut is None else [word.value for word, is_refused in cut.words if not is_refused]
    assert ("tools" in words) == is_cut


@pytest.mark.parametrize(("shared", "is_cut"), [("abcdefgh", False), ("abcd", True)], ids=["as like", "less like"])
def test_a_number_says_no_kind_where_it_stands_below_more_directories_as_well(shared: str, is_cut: bool) -> None:
    paths = [f"/org/{'abc'[n % 3]}x/{n}" for n in range(30)] + [f"/org/tool/box/{n}" for n in range(10)]
    paths += [f"/org/{'abc'[n % 3]}x/event/{n}" for n in range(30)]
    marks = [frozenset("abcdefgh" if n < 30 else shared if n < 40 else "xyz") for n in range(70)]
    matrix = FeatureMatrix([words_of(row_of(SITE + path)) for path in paths], marks, [0, 1])
    cut = _split(matrix, matrix.everywhere)
    kinds = [] if cut is None else [word.kind for word, is_refused in cut.words if not is_refused]
    assert (WordKind.NUMBER in kinds) == is_cut


@pytest.mark.parametrize(("others", "is_cut"), [(3, False), (8, True)], ids=["some strangers", "mostly strangers"])
def test_some_pages_of_another_kind_hide_no_directory_that_is_as_like_the_samples(others: int, is_cut: bool) -> None:
    paths = [f"/org/{'abc'[n % 3]}x/{n}" for n in range(30)] + [f"/org/tool/box/{n}" for n in range(10)]
    paths += [f"/org/{'abc'[n % 3]}x/{'event'[n % 5]}{n}/{n}" for n in range(30)]
    marks = [frozenset("abcdefgh" if n < 40 - others else "ab" if n < 40 else "xyz") for n in range(70)]
    matrix = FeatureMatrix([words_of(row_of(SITE + path)) for path in paths], marks, [0, 1])
    cut = _split(matrix, matrix.everywhere)
    kinds = [] if cut is None else [word.kind for word, is_refused in cut.words if not is_refused]
    assert (WordKind.NUMBER in kinds) == is_cut


@pytest.mark.parametrize(("shared", "is_cut"), [("", True), ("abcd", False)], ids=["nothing alike", "rather like"])
def test_an_ending_tells_a_kind_without_a_wrapper_where_its_pages_have_nothing_of_the_samples(
    shared: str, is_cut: bool
) -> None:
    """`classBoxA-members` lists what `classBoxA` tells of; sources and directories are the greater part of the site."""
    names = [f"{'abcdefghij'[n % 10]}{'xyzuvw'[n // 10]}Box" for n in range(60)]
    paths = [f"/classes/class{name}.html" for name in names] + [f"/classes/class{name}-members.html" for name in names]
    paths += [f"/classes/{name}_8h_source.html" for name in names] + [f"/classes/dir_{name}.html" for name in names]
    marks = [frozenset("abcdefgh")] * 60 + [frozenset({*shared, "table"})] * 60 + [frozenset({"pre", "table"})] * 120
    matrix = FeatureMatrix([words_of(row_of(SITE + path)) for path in paths], marks, [0, 1])
    cut = _split(matrix, matrix.everywhere)
    refused = [] if cut is None else [word.value for word, is_refused in cut.words if is_refused]
    assert ("-members" in refused) == is_cut
    assert not is_cut or (cut is not None and matrix.members(cut.pages) == list(range(60)))


def test_a_prefix_of_several_words_is_refused_only_once_fields_are_known() -> None:
    """It may take the place of a shorter one that says more: `core-` of notes on the core and on its licences."""
    names = [f"{'abcdefghij'[n % 10]}{'xyzuvw'[n // 10]}Box" for n in range(60)]
    paths = [f"/m/{name}.html" for name in names] + [f"/m/core-licence-{name}.html" for name in names]
    paths += [f"/m/core-{name}.html" for name in names[:40]]
    marks = [frozenset("abcdefgh")] * 60 + [frozenset({"pre"})] * 60 + [frozenset("abcdefgh")] * 40
    matrix = FeatureMatrix([words_of(row_of(SITE + path)) for path in paths], marks, [0, 1])
    assert _split(matrix, matrix.everywhere) is None


@pytest.mark.parametrize(
    ("shared", "finds", "is_cut"),
    [(0, False, True), (4, False, False), (0, True, False), (0, None, False)],
    ids=["nothing of the samples", "a part of the samples", "the fields are found there", "no wrapper yet"],
)
def test_a_suffix_is_refused_where_its_pages_have_nothing_of_the_samples(
    shared: int, finds: bool | None, is_cut: bool
) -> None:
    """`/vector-members.html` beside `/vector.html`: one mark of their own is enough."""
    paths = [f"/core/class{n}x.html" for n in range(40)] + [f"/core/class{n}x-members.html" for n in range(12)]
    paths += [f"/guide/{chr(97 + n)}.html" for n in range(9)]
    labels = [f"th:{letter}" for letter in "abcdefghij"]
    marks = [frozenset(labels)] * 40 + [frozenset([*labels[:shared], "p:All members"])] * 12 + [frozenset()] * 9
    matrix = FeatureMatrix([words_of(row_of(SITE + path)) for path in paths], marks, [0, 1])
    veto = None if finds is None else lambda kept, dropped: finds
    cut = _sibling(matrix, matrix.everywhere, lambda kept, dropped: False, veto)
    assert (cut is not None) == is_cut
    assert cut is None or matrix.members(matrix.everywhere & ~cut.pages) == list(range(40, 52))


@pytest.mark.parametrize(("ending", "is_cut"), [("-members", True), ("-2", False)])
def test_the_number_that_a_shop_puts_behind_a_name_it_has_already_makes_no_other_kind(
    ending: str, is_cut: bool
) -> None:
    paths = [f"/core/class{n}x" for n in range(40)] + [f"/core/class{n}x{ending}" for n in range(12)]
    labels = [f"th:{letter}" for letter in "abcdefghij"]
    marks = [frozenset(labels)] * 40 + [frozenset([*labels[:3], "p:Sold out"])] * 12
    matrix = FeatureMatrix([words_of(row_of(SITE + path)) for path in paths], marks, [0, 1])
    assert (of_satellites(matrix, matrix.everywhere) is not None) == is_cut


@pytest.mark.parametrize(("own", "is_cut"), [("p:Reviews of it", True), ("", False)])
def test_pages_below_a_name_that_recurs_have_something_of_their_own_or_are_targets(own: str, is_cut: bool) -> None:
    """`/linux/fs/trait.MetadataExt.html` is a sparse trait; `/jar-7/reviews/` is another kind."""
    paths = [f"/std/m{n % 8}x/trait.n{n}x.html" for n in range(40)]
    paths += [f"/std/o{n % 4}x/fs/trait.n{n}x.html" for n in range(12)]
    labels = [f"th:{letter}" for letter in "abcdefghij"]
    marks = [frozenset(labels)] * 40 + [frozenset([*labels[:3], *filter(None, [own])])] * 12
    matrix = FeatureMatrix([words_of(row_of(SITE + path)) for path in paths], marks, [0, 9])
    cut = _split(matrix, matrix.everywhere)
    assert (cut is not None) == is_cut


@pytest.mark.parametrize(("own", "is_cut"), [("span:Error", False), ("p:All of the errors", True)])
def test_a_name_below_many_directories_is_no_kind_for_being_shown_as_a_title(own: str, is_cut: bool) -> None:
    paths = [f"/core{n % 8}/class{n}x.html" for n in range(60)] + [f"/core{n}/Error.html" for n in range(8)]
    marks = [frozenset(f"th:{letter}" for letter in "abcdefghij")] * 40 + [frozenset({"th:a"})] * 20
    marks += [frozenset({"th:a", own})] * 8
    matrix = FeatureMatrix([words_of(row_of(SITE + path)) for path in paths], marks, [0, 1])
    cut = _sibling(matrix, matrix.everywhere, lambda kept, dropped: False, lambda kept, dropped: False)
    assert (cut is not None) == is_cut


@pytest.mark.parametrize("is_alike", [True, False], ids=["a start as all pages are", "a list"])
def test_pages_in_other_directories_that_are_built_alike_are_targets(is_alike: bool) -> None:
    start = "/index.html"
    names = ["prop", *(f"kind{chr(97 + n)}" for n in range(10))]
    letters = {name: "abcdefghijklmnopqrst" if name == "prop" else "acfhkmpr" for name in names}
    of_kinds = [[f"/{name}/Name{letter}.html" for letter in letters[name]] for name in names]
    paths = sorted((path for some in of_kinds for path in some), key=lambda path: path[-6])
    pages = [stored(start, (CLASS if is_alike else INDEX).html("Manual", links=paths), paths, 0)]
    titles = {path: f"Thing {n * 37}" for n, path in enumerate(paths)}
    pages += [stored(path, CLASS.html(title, links=[start]), [start]) for path, title in titles.items()]
    samples = {path: titles[path] for path in of_kinds[0][3:5]}
    assert taken(learned(pages, CLASS, samples), paths) == set(paths)


@pytest.mark.parametrize(("lone", "is_refused"), [(True, False), (False, True)])
def test_pages_of_a_topic_that_lack_the_one_field_that_tells_are_no_other_kind(lone: bool, is_refused: bool) -> None:
    """Rust's intrinsics have no version yet, and another box: of five fields the four others stand everywhere."""
    paths = [f"/std/{'intrinsics' if n % 3 == 2 else 'fs' if n % 3 else 'io'}/fn.n{n}x.html" for n in range(60)]
    own, shared = {"div.unstable>span>b", "p:Nightly", "p:Unsafe"}, {"p:Since", "span.since>a>b", "p:Stable"}
    words = [words_of(row_of(SITE + path)) for path in paths]
    marks = [frozenset(own if n % 3 == 2 else shared if n % 2 == 0 else ()) for n in range(60)]
    matrix = FeatureMatrix(words, marks, [0, 4])
    rule, _ = decide(matrix, lambda kept, dropped: False, lambda kept, dropped: False, lone=lone)
    assert any(word.value == "intrinsics" for word in rule.refused) == is_refused


def class_matrix(inner: str, spaces: bool = False) -> tuple[FeatureMatrix, int]:
    """Classes in namespaces, and their methods, which have a dot more; some classes have inner ones."""
    names = [f"S{n % 5}.{'abcdefghij'[n % 10]}{'xyz'[n // 10]}Set" for n in range(30)]
    methods = [f"{name}.{verb}It" for name in names for verb in ("read", "write")]
    paths = [*names, *methods, *(f"{name}.Entry" for name in names[:9])]
    of_class, of_method = {"h2:Members", "h2:Parents", "h2:Since", "p:about"}, {"h2:Returns", "h2:Throws", ">div.use"}
    of_inner = {"full": of_class, "sparse": {"p:about"}, "none": of_method}[inner]
    marks = [of_class] * 30 + [of_method] * 60 + [of_inner] * 9
    paths += [f"S{n}" for n in range(5)] if spaces else []
    marks += [{"h2:Classes", "h2:Tree", "h2:All"}] * 5 if spaces else []
    words = [words_of(row_of(f"{SITE}/api/{path}.html")) for path in paths]
    return FeatureMatrix(words, [frozenset(some) for some in marks], [0, 5]), (1 << 30) - 1


@pytest.mark.parametrize(("inner", "is_cut"), [("none", True), ("full", False), ("sparse", False)])
def test_methods_are_told_by_the_dots_of_their_names_unless_classes_have_as_many(inner: str, is_cut: bool) -> None:
    matrix, classes = class_matrix(inner)
    cut = _split(matrix, matrix.everywhere, lambda kept, dropped: False)
    assert (cut is not None and cut.pages == classes) == is_cut
    assert is_cut or cut is None or not any(word.kind is WordKind.DOTS for word, _ in cut.words)


def test_a_namespace_with_a_page_of_its_own_is_no_kind() -> None:
    """Both samples are of one namespace."""
    matrix, classes = class_matrix("none", spaces=True)
    space = Word(WordKind.START, "S0.")
    assert space in matrix.shared_words and matrix.is_space(space, classes)
    assert structure(matrix, classes, lambda kept, dropped: False) is None
    assert not class_matrix("none")[0].is_space(space, classes)


def test_what_stands_before_another_sign_than_a_dot_is_no_namespace() -> None:
    names = ("news", "item", "job", "event", "case")
    paths = [*names, *(f"{name}_{n}x" for name in names for n in range(9))]
    matrix = FeatureMatrix(
        [words_of(row_of(f"{SITE}/{path}.html")) for path in paths], [frozenset()] * len(paths), [6, 7]
    )
    assert not matrix.is_space(Word(WordKind.START, "news_"), matrix.everywhere)


@pytest.mark.parametrize(("lacking_elsewhere", "is_cut"), [(12, False), (0, True)])
def test_a_topic_whose_pages_lack_a_field_is_no_other_kind_where_others_lack_it_too(
    lacking_elsewhere: int, is_cut: bool
) -> None:
    paths = [f"/std/macro.M{n}.html" for n in range(40)] + [f"/std/prelude/macro.P{n}.html" for n in range(8)]
    marks = [{"since:"} if n < 40 - lacking_elsewhere else {"Attribute"} if n >= 40 else set() for n in range(48)]
    matrix = FeatureMatrix(
        [words_of(row_of(SITE + path)) for path in paths], [frozenset(some) for some in marks], [0, 1]
    )
    cut = _unlabelled(matrix, matrix.everywhere, [matrix.shared_marks["since:"]], lambda kept, dropped: False)
    assert (cut is not None) == is_cut


def test_a_kind_is_refused_by_its_directory_where_a_shorter_rule_would_leave_out_what_is_listed_with_targets() -> None:
    items = [f"/docs/kettle-{n}x/" for n in range(40)]
    paths = [*items, *(f"/docs/guides/{n}x/" for n in range(12)), *(f"/docs/offer{n}y/{n}x/" for n in range(3))]
    marks = [{"th:Size"} if n < 40 else {"th:Author"} if n < 52 else {"p:Offer"} for n in range(55)]
    words = [words_of(row_of(SITE + path)) for path in paths]
    matrix = FeatureMatrix(words, [frozenset(some) for some in marks], [0, 1])
    offers = 7 << 52
    sign = matrix.shared_marks["th:Size"]
    cut = _unlabelled(matrix, matrix.everywhere, [sign], lambda kept, dropped: bool(dropped & offers))
    assert cut is not None
    assert [(word.value, is_refused) for word, is_refused in cut.words] == [("guides", True)]


@pytest.mark.parametrize(("page", "is_cut"), [("Functions", False), ("Overview", True)], ids=["parts", "kind"])
def test_parts_of_a_page_that_lack_a_field_are_no_kind(page: str, is_cut: bool) -> None:
    """Nested classes (`Functions.Call` beside `Functions`), all of them deprecated, have no version."""
    names = [*(f"{chr(97 + n % 26)}Class{n // 26}" for n in range(79)), page, *(f"Functions.{n}x" for n in range(10))]
    marks = [{"dt:Since"}] * 80 + [{"div>span:Deprecated"}] * 10
    words = [words_of(row_of(f"{SITE}/org/{name}.html")) for name in names]
    matrix = FeatureMatrix(words, [frozenset(some) for some in marks], [0, 1])
    cut = _unlabelled(matrix, matrix.everywhere, [matrix.shared_marks["dt:Since"]], lambda kept, dropped: False)
    assert (cut is not None) == is_cut


@pytest.mark.parametrize("have_own", [True, False])
def test_strangers_that_stand_everywhere_do_not_hide_a_kind_with_a_directory_of_its_own(have_own: bool) -> None:
    """Without marks of their own they may be targets that lack the field: then it tells no kinds apart."""
    paths = [f"/shop/{'abc'[n % 3]}/{n}.html" for n in range(45)] + [f"/shop/persons/{n}.html" for n in range(10)]
    stranger = {"section>p"} if have_own else set[str]()
    marks = [{"th:Colour"} if n < 30 else stranger if n < 45 else {"th:Author"} for n in range(55)]
    words = [words_of(row_of(SITE + path)) for path in paths]
    matrix = FeatureMatrix(words, [frozenset(some) for some in marks], [0, 1])
    cut = _unlabelled(matrix, matrix.everywhere, [matrix.shared_marks["th:Colour"]], lambda kept, dropped: False)
    assert (cut is not None) == have_own
    assert cut is None or matrix.members(matrix.everywhere & ~cut.pages) == list(range(45, 55))


def test_plain_pages_beside_the_targets_do_not_hide_that_another_kind_lacks_their_label() -> None:
    paths = [f"/pages/{chr(97 + n)}thing" for n in range(20)] + [f"/pages/album/album{n}" for n in range(40)]
    paths += [f"/pages/{chr(97 + n)}plain" for n in range(9)]
    marks = [{"dt:Status", "h1"}] * 20 + [{"dt:Colour", "h1"}] * 40 + [set()] * 9
    matrix = FeatureMatrix(
        [words_of(row_of(SITE + path)) for path in paths], [frozenset(some) for some in marks], [0, 1]
    )
    cut = _unlabelled(matrix, matrix.everywhere, [matrix.shared_marks["dt:Status"]], lambda kept, dropped: False)
    assert cut is not None
    assert matrix.members(cut.pages) == [*range(20), *range(60, 69)]


@pytest.mark.parametrize(("is_label", "is_cut"), [(True, True), (False, False)])
def test_what_all_pages_of_a_topic_lack_has_to_be_a_label_to_make_another_kind(is_label: bool, is_cut: bool) -> None:
    paths = [f"/std/fn.{chr(97 + n)}{n}.html" for n in range(40)] + [f"/std/core/fn.p{n}.html" for n in range(24)]
    marks = [{"since"} if n < 32 else {"unstable"} if n >= 40 else set() for n in range(64)]
    matrix = FeatureMatrix(
        [words_of(row_of(SITE + path)) for path in paths], [frozenset(some) for some in marks], [0, 1]
    )
    sign = matrix.shared_marks["since"]
    cut = _unlabelled(matrix, matrix.everywhere, [sign], lambda *_: False, [] if is_label else [sign])
    assert (cut is not None) == is_cut


@pytest.mark.parametrize(("own", "is_cut"), [(1, False), (3, True)], ids=["a mark of their own", "several"])
def test_what_pages_of_one_name_in_many_directories_lack_makes_no_kind(own: int, is_cut: bool) -> None:
    """`create` is a method of many classes: it returns nothing, and throws nothing."""
    paths = [f"/core{n % 8}/{chr(97 + n % 26)}thing{n}.html" for n in range(60)]
    paths += [f"/core{n}/create.html" for n in range(8)]
    marks = [frozenset(f"th:{letter}" for letter in "abcdefghij")] * 50 + [frozenset({"th:a", "th:d"})] * 10
    marks += [frozenset({"th:a", "th:e", *(f"p:Note {n}" for n in range(own))})] * 8
    matrix = FeatureMatrix([words_of(row_of(SITE + path)) for path in paths], marks, [0, 1])
    cut = _sibling(matrix, matrix.everywhere, lambda kept, dropped: False, lambda kept, dropped: False)
    assert (cut is not None) == is_cut
    never = _unlabelled(matrix, matrix.everywhere, [matrix.shared_marks["th:f"]], lambda kept, dropped: False)
    assert never is None


@pytest.mark.parametrize(("tag", "labels"), [("dl", {"module"}), ("code", set[str]()), ("pre", set[str]())])
def test_a_word_of_code_is_no_label(tag: str, labels: set[str]) -> None:
    html = f"<html><body><{tag}><span>fn</span> new <span>use</span> <i>std::fs</i></{tag}></body></html>"
    found = signs_of([(stored("/a", html, []), {"module": "std::fs"})])
    assert {sign.field for sign in found if sign.is_label} == labels

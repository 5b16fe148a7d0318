"""What the GWC paper says and no other test shows by itself."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gwc_crawler.extract.css import path_to
from gwc_crawler.extract.record import extract_target
from gwc_crawler.items import StoredPage
from gwc_crawler.learn.site import learn_site
from gwc_crawler.learn.targets.task import LearnTask
from gwc_crawler.learn.urls.clustering import similarity
from gwc_crawler.learn.urls.regex import url_regex
from gwc_crawler.learn.wrapper.learning import learn_wrapper
from gwc_crawler.learn.wrapper.paper import common_template
from gwc_crawler.learn.wrapper.samples import Sample, SamplePages
from gwc_crawler.modes import LearnMode
from gwc_crawler.page.parse import parse_html
from gwc_crawler.page.reader import PageReader
from tests.conftest import Project
from tests.site_server import SiteServer

SEGMENTS = st.text("abc123-", min_size=1, max_size=6)
PATHS = st.integers(1, 6).flatmap(lambda m: st.tuples(*[st.lists(SEGMENTS, min_size=m, max_size=m)] * 2))


@given(PATHS)
@example((["aa", "bb"], ["cc", "dd"]))
@example((["aa", "bb"], ["aa", "bb"]))
def test_similarity_lies_between_a_quarter_and_a_half_of_m_times_m_plus_1(paths: tuple[list[str], list[str]]) -> None:
    m = len(paths[0])
    found = similarity(*(f"http://a.example/{'/'.join(path)}" for path in paths))
    assert m * (m + 1) / 4 - 1e-9 <= found <= m * (m + 1) / 2 + 1e-9
    assert (abs(found - m * (m + 1) / 2) < 1e-9) == (paths[0] == paths[1])


def test_an_earlier_segment_weighs_more() -> None:
    lost = [
        3 * 4 / 2 - similarity("http://a.example/a/b/c", f"http://a.example/{path}")
        for path in ("x/b/c", "a/x/c", "a/b/x")
    ]
    assert lost == pytest.approx([1.5, 1.0, 0.5])


@pytest.mark.parametrize(
    ("paths", "published"),
    [
        (["/shop/1", "/shop/22"], r"/shop/[0-9]+(.[a-zA-Z]+)?/?"),
        (
            ["/search/category/8/10/g110", "/search/category/9/20/r7"],
            r"/search/category/[0-9]+/[0-9]+/\w+(.[a-zA-Z]+)?/?",
        ),
        (["/chengdu/food", "/beijing/food"], r"/[a-zA-Z]+/food(.[a-zA-Z]+)?/?"),
    ],
)
def test_the_published_patterns_come_out_with_their_dots_escaped(paths: list[str], published: str) -> None:
    found = url_regex("http://www.dianping.com" + path for path in paths)
    assert found.replace(r"\.", ".") == "http://www.dianping.com" + published
    assert found.count(r"\.") == 3


def test_the_template_is_two_queues_breadth_first() -> None:
    html = "<html><body><div><p>a</p></div><h1>b</h1>{}</body></html>"
    samples = [
        Sample("http://a.example/1", html.format("<i>c</i>"), {}),
        Sample("http://a.example/2", html.format(""), {}),
    ]
    template = common_template(*SamplePages().views(samples))
    assert [node.tag for node in template.inner] == ["html", "body", "div"]
    assert [node.tag for node in template.leaves] == ["h1", "p"]


@pytest.mark.parametrize(
    ("attributes", "step"),
    [
        ("title=c class=b id=a", 'p[id="a"]'),
        ("title=c class=b id=z", 'p[class="b"]'),
        ("title=c class=z id=z", 'p[title="c"]'),
        ("title=z class=z id=z", "p:nth-of-type(2)"),
    ],
)
def test_an_id_tells_apart_before_a_class_a_class_before_others_and_they_before_the_position(
    attributes: str, step: str
) -> None:
    tree = parse_html(f"<body><p id=z class=z title=z>one</p><p {attributes}>two</p>")
    assert path_to(tree.findall(".//p")[1]) == f"html > body > {step}"


@pytest.mark.parametrize(("keywords", "precision"), [("food", 1.0), ("", 0.5)])
def test_precision_drops_where_categories_share_a_url_form_that_no_keywords_part(
    keywords: str, precision: float
) -> None:
    places = {f"http://a.example/shop/{number}": ("food", "hotel")[number % 2] for number in range(20)}
    html = "<html><body><h1>{}</h1><p>a {}</p></body></html>"
    pages = {url: html.format(f"Place {url[-2:]}", kind) for url, kind in places.items()}
    pages = {"http://a.example/": "".join(f"<a href='{url}'>x</a>" for url in pages)} | pages
    samples = tuple((url, {"name": f"Place {url[-2:]}"}) for url in list(places)[10:14:2])
    task = LearnTask("a", ("http://a.example/",), keywords, samples, mode=LearnMode.PAPER)
    stored = [StoredPage(url, url, text.encode(), "text/html", "utf-8", 1, 1, False, ()) for url, text in pages.items()]
    knowledge = learn_site(task, [replace(stored[0], links=tuple(places), depth=0), *stored[1:]])
    reader = PageReader(knowledge)
    records = {
        url: extract_target(reader.read(url, text.encode(), "text/html"), knowledge) for url, text in pages.items()
    }
    taken = [places[url] for url, record in records.items() if record is not None and not record.rejected]
    assert taken.count("food") == 10
    assert taken.count("food") / len(taken) == precision


def test_the_pre_crawl_goes_breadth_first(project: Project, site: SiteServer) -> None:
    near = {f"/near/{number}": [f"/far{number}/of/another-form.html"] for number in range(12)}
    site.links = {"/": list(near), **near, **{link: [] for links in near.values() for link in links}}
    project.write_graph_site(site.url, more='[learn]\nmode = "paper"\npages = 20\n')
    project.scrapy("learn", "graph", settings={"CONCURRENT_REQUESTS": 1})
    fetched = project.rows("SELECT url FROM pages ORDER BY fetched_at, rowid", database="samples.db")
    assert [url.removeprefix(site.url) for (url,) in fetched] == list(site.links)[:20]


def test_an_attribute_is_said_by_its_name() -> None:
    html = "<html><body><img src='/{0}.jpg'></body></html>"
    samples = [
        Sample(f"http://a.example/{number}", html.format(number), {"cover": f"http://a.example/{number}.jpg"})
        for number in (1, 2)
    ]
    assert learn_wrapper(samples, mode="paper").paper_form == {"cover#src": "html > body > img"}

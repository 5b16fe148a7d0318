"""Pictures whose address is elsewhere until a script puts it into `src`: the one that a reader sees is read."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urljoin

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gwc_crawler import Sample, Wrapper, learn_wrapper
from gwc_crawler.errors import LearnError
from gwc_crawler.extract.fields import addresses_in
from gwc_crawler.extract.locator import Locator, read_nodes
from gwc_crawler.extract.page_view import PageView, make_absolute
from gwc_crawler.items import Family

HOST = "https://x.example"
EAGER = '<img src="{}">'
DATA = "data:image/gif;base64,R0lGODlhAQABAAAAACw="
LATE = {
    "data-src": '<img src="/blank.gif" data-src="{}">',
    "data-original": '<img class="lazy" src="/img/grey.gif" data-original="{}">',
    "data-lazy-src": f'<img src="{DATA}" data-lazy-src="{{}}">',
    "data-lazy": '<img data-lazy="{}">',
    "data-echo": '<img src="img/loading.svg" data-echo="{}" alt="">',
    "data-url": '<img src="/spacer.png" data-url="{}">',
    "data-image": '<img src="/i/1x1.png" data-image="{}">',
    "data-img": '<img src="/i/placeholder-300x200.jpg?v=2" data-img="{}">',
    "data-lazyload": '<img src="/ajax-loader.gif" data-lazyload="{}">',
    "data-actualsrc": '<img src="//:0" data-actualsrc="{}">',
    "data-cfsrc": '<img data-cfsrc="{}" style="display:none">',
    "data-ks-lazyload": '<img src="/s.gif" data-ks-lazyload="{}">',
    "lazysrc": '<img src="/pixel.gif" lazysrc="{}">',
    "original": '<img src="/t/blank.png" original="{}">',
    "_src": '<img src="" _src="{}">',
    "real_src": '<img src="#" real_src="{}">',
    "ng-src": '<img ng-src="{}">',
    "file": '<img src="/static/blank.gif" zoomfile="{0}" file="{0}">',
    "no placeholder": '<img data-src="{}" class="lozad">',
    "about:blank": '<img src="about:blank" data-src="{}">',
    "a page of its own in data-url": '<img src="/blank.gif" data-url="/show/1" data-src="{}">',
    "a fallback beside": '<img src="/blank.gif" data-fallback-src="/no.png" data-src="{}">',
    "a template beside": '<img src="/blank.gif" data-src="/{{width}}.jpg" data-srcset="{0} 9w">',
    "a flag": '<img src="/blank.gif" data-lazy="true" data-src="{}">',
    "srcset": '<img srcset="{}">',
    "srcset by width": '<img srcset="/s.jpg 300w, {} 900w" sizes="50vw">',
    "srcset by density": '<img srcset="/s.jpg, {} 2x">',
    "srcset beside a placeholder": f'<img src="{DATA}" srcset="/s.jpg 300w,\n {{}} 900w">',
    "data-srcset": '<img src="/blank.gif" data-srcset="/s.jpg 1x, {} 2x">',
    "data-lazy-srcset": f'<img srcset="{DATA} 1w" data-lazy-srcset="{{}} 1w">',
    "source": '<picture><source srcset="{}" type="image/webp"><img></picture>',
    "source beside a placeholder": '<picture><source srcset="{}"><img src="/blank.gif"></picture>',
    "a small screen's source": '<picture><source media="(max-width:9px)" srcset=s><source srcset="{}"><img></picture>',
    "source that comes late": f'<picture><source srcset="{DATA}" data-srcset="{{}}"><img src="{DATA}"></picture>',
    "noscript": '<img src="/blank.gif" class="lazy"><noscript><img src="{}"></noscript>',
    "noscript behind nothing": '<img class="lazy">\n<noscript> <img alt="" src="{}"> </noscript>',
    "noscript beside": '<img src="/blank.gif" data-src="{0}"><noscript><img src="{0}"></noscript>',
    "noscript behind a picture": '<picture><img src="/blank.gif"></picture><noscript><img src="{}"></noscript>',
    "noscript behind a link": '<a href="/x"><img src="/blank.gif"></a><noscript><a><img src="{}"></a></noscript>',
    "noscript with sizes": '<img src="/blank.gif"><noscript><img srcset="/s.jpg 1w, {} 2w"></noscript>',
    "amp-img": '<amp-img src="{}" width="3" height="2"><noscript><img src="{}"></noscript></amp-img>',
    "amp-img with sizes": '<amp-img srcset="{} 2x"></amp-img>',
}
OTHERS = {
    "poster": ('<video poster="{}"></video>', '<video data-poster="{}"></video>'),
    "background": ('<p style="background-image:url({})"></p>', '<p data-bg="{}"></p>'),
    "background url()": ("<p style=\"background-image: url('{}')\"></p>", '<p class="lazy" data-bg="url({})"></p>'),
    "background-image": ('<p style="background-image:url({})"></p>', '<p data-background-image="{}"></p>'),
    "frame": ('<iframe src="{}"></iframe>', '<iframe src="about:blank" data-src="{}"></iframe>'),
}


def page(body: str, name: str) -> str:
    head = f'<img src="/logo.png"><h1>Thing {name}</h1>'
    return f'<html><body>{head}<div class="show">{body}</div><p>More of it</p><img src="/foot.png"></body></html>'


def file(name: str) -> str:
    return f"/image/{name}.jpg"


def written(form: str, name: str) -> str:
    return form.replace("{}", file(name)).replace("{0}", file(name)).replace("{{", "{").replace("}}", "}")


def gallery(forms: Sequence[str], name: str) -> str:
    items = "".join(f"<li>{written(form, f'{name}-{n}')}</li>" for n, form in enumerate(forms))
    return page(f'<ul class="gallery">{items}</ul>', name)


def learned(bodies: Sequence[str], values: Sequence[str | list[str]], more: Sequence[str] = ()) -> Wrapper:
    samples = [
        Sample(f"{HOST}/p/{n}", body, {"cover": value})
        for n, (body, value) in enumerate(zip(bodies, values, strict=True))
    ]
    wrapper = learn_wrapper(samples, [(f"{HOST}/p/m{n}", body) for n, body in enumerate(more)])
    return Wrapper.from_json(wrapper.to_json())


def read(wrapper: Wrapper, body: str) -> object:
    return wrapper.extract(body, f"{HOST}/p/x")["cover"]


PAIRS = {**{name: (EAGER, form) for name, form in LATE.items()}, **OTHERS}


@pytest.mark.parametrize("name", PAIRS)
def test_late_and_eager_pages_are_read_alike(name: str) -> None:
    eager, late = PAIRS[name]
    for first, second in ((eager, late), (late, eager), (late, late)):
        wrapper = learned(
            [page(written(first, "a"), "a"), page(written(second, "b"), "b")], [HOST + file("a"), HOST + file("b")]
        )
        for form in (eager, late) if eager in (first, second) else (late,):
            assert read(wrapper, page(written(form, "c"), "c")) == HOST + file("c"), (first, second, form)


@pytest.mark.parametrize("name", [name for name, form in LATE.items() if form.startswith("<img")])
def test_late_pages_are_read_by_what_was_learned_of_eager_ones(name: str) -> None:
    more = [page(written(form, one), one) for form, one in ((EAGER, "d"), (LATE[name], "e"), (LATE[name], "f"))]
    wrapper = learned([page(written(EAGER, one), one) for one in "ab"], [HOST + file(one) for one in "ab"], more)
    assert read(wrapper, page(written(LATE[name], "c"), "c")) == HOST + file("c")
    assert read(wrapper, page(written(EAGER, "c"), "c")) == HOST + file("c")


AROUND = {
    "alone": EAGER,
    "picture": '<picture><source srcset="/webp{}" type="image/webp"><img src="{}"></picture>',
    "amp-img": '<amp-img src="{}"><noscript><img src="{}"></noscript></amp-img>',
}


@pytest.mark.parametrize("other", AROUND)
@pytest.mark.parametrize("sampled", AROUND)
def test_what_stands_around_a_picture_changes_nothing(sampled: str, other: str) -> None:
    first, second = AROUND[sampled], AROUND[other]
    wrapper = learned([page(written(first, one), one) for one in "ab"], [HOST + file(one) for one in "ab"])
    assert read(wrapper, page(written(second, "c"), "c")) == HOST + file("c")
    assert read(wrapper, page("", "c")) is None


def test_a_gallery_read_by_its_steps_has_its_pictures_in_whatever_stands_around_them() -> None:
    view = PageView.parse(gallery(list(AROUND.values()), "c"), f"{HOST}/p/x")
    files = [f"{HOST}{file(f'c-{n}')}" for n in range(3)]
    assert Locator(Family.PATH, "//ul/li/img", "@src").every(view) == files
    assert Locator(Family.PATH, "//ul/li/picture/img", "@src").every(view) == files
    assert Locator(Family.PATH, "//ul/li[2]/img[1]", "@src").first(view) == files[1]


@pytest.mark.parametrize("name", LATE)
def test_galleries_mix_eager_and_late(name: str) -> None:
    late = LATE[name]
    counts = ((EAGER, late, late), (EAGER, late, late, late))
    wrapper = learned(
        [gallery(forms, one) for forms, one in zip(counts, "ab", strict=True)],
        [[f"{HOST}{file(f'{one}-{n}')}" for n in range(len(forms))] for forms, one in zip(counts, "ab", strict=True)],
    )
    for forms in ((EAGER,), (EAGER, late), (late, late), (EAGER, EAGER, late)):
        wanted = [f"{HOST}{file(f'c-{n}')}" for n in range(len(forms))]
        assert read(wrapper, gallery(forms, "c")) == wanted, forms


UNKNOWN = '<img src="/img/our-logo.png" data-src="{}">'


def test_what_pictures_of_a_gallery_have_in_common_is_a_placeholder() -> None:
    forms = [(EAGER,) * 3, (EAGER,) * 2]
    wrapper = learned(
        [gallery(some, one) for some, one in zip(forms, "ab", strict=True)],
        [[f"{HOST}{file(f'{one}-{n}')}" for n in range(len(some))] for some, one in zip(forms, "ab", strict=True)],
    )
    assert read(wrapper, gallery([EAGER, UNKNOWN, UNKNOWN], "c")) == [f"{HOST}{file(f'c-{n}')}" for n in range(3)]


@pytest.mark.parametrize(("first", "second"), [(EAGER, UNKNOWN), (UNKNOWN, EAGER), (UNKNOWN, UNKNOWN), (EAGER, EAGER)])
def test_a_placeholder_that_no_name_tells_is_none_of_the_pictures(first: str, second: str) -> None:
    more = [page(written(form, one), one) for form, one in ((EAGER, "d"), (UNKNOWN, "e"), (UNKNOWN, "f"), (EAGER, "g"))]
    wrapper = learned(
        [page(written(first, "a"), "a"), page(written(second, "b"), "b")], [HOST + file("a"), HOST + file("b")], more
    )
    assert [read(wrapper, page(written(form, "c"), "c")) for form in (EAGER, UNKNOWN)] == [HOST + file("c")] * 2


KEPT = {
    "src": ('<img src="{}" data-zoom="/big{}">', "{}"),
    "zoom": ('<img src="/s{}" data-zoom-image="{}">', "{}"),
    "src of a small one": ('<img src="{}" data-src="/big{}">', "{}"),
    "the large one behind a small one": ('<img src="/s{}" data-src="{}">', "{}"),
    "original": ('<img src="/s{}" data-original="{}">', "{}"),
    "src among sizes": ('<img src="{}" srcset="{} 1x, /big{} 2x">', "{}"),
    "the largest": ('<img src="/s{}" srcset="/s{} 1x, {} 2x">', "{}"),
    "a link around": ('<a href="{}"><img src="/s{}"></a>', "{}"),
    "a source": ('<picture><source srcset="{}"><img src="/s{}"></picture>', "{}"),
    "the picture in a picture": ('<picture><source srcset="/webp{}"><img src="{}"></picture>', "{}"),
    "a copy": ('<img src="/s{}"><noscript><img src="{}"></noscript>', "{}"),
    "a colour": ('<img src="/white{}" data-zoom="/big{}">', "/white{}"),
}


@pytest.mark.parametrize("name", KEPT)
def test_the_attribute_that_a_sample_names_is_read(name: str) -> None:
    form, value = KEPT[name]
    wrapper = learned([page(written(form, one), one) for one in "ab"], [HOST + written(value, one) for one in "ab"])
    assert read(wrapper, page(written(form, "c"), "c")) == HOST + written(value, "c")


def test_a_placeholder_without_a_picture_stays_what_the_page_has() -> None:
    wrapper = learned([page(written(EAGER, one), one) for one in "ab"], [HOST + file(one) for one in "ab"])
    assert read(wrapper, page('<img src="/blank.gif" alt="c.jpg">', "c")) == HOST + "/blank.gif"


def test_pictures_of_records_mix_eager_and_late() -> None:
    def shop(name: str, forms: Sequence[str]) -> str:
        rows = (
            f"<div class=card><b>Item {name}{n}</b>{written(form, f'{name}-{n}')}<i>{n + 1} pieces</i></div>"
            for n, form in enumerate(forms)
        )
        return page("".join(rows), name)

    late = LATE["data-src"]
    noscript = LATE["noscript"]
    forms = {"a": (EAGER, late, late), "b": (EAGER, noscript), "c": (EAGER, late, noscript, EAGER)}
    rows = {
        name: [
            {"title": f"Item {name}{n}", "picture": f"{HOST}{file(f'{name}-{n}')}", "count": f"{n + 1} pieces"}
            for n in range(len(some))
        ]
        for name, some in forms.items()
    }
    samples = [Sample(f"{HOST}/p/{one}", shop(one, forms[one]), {"rows": rows[one]}) for one in "ab"]
    assert learn_wrapper(samples).extract(shop("c", forms["c"]), f"{HOST}/p/c")["rows"] == rows["c"]


COPIED = {
    "up": ('<img src="../image/{}.jpg">', "../image/{}.jpg"),
    "down": ('<img src="image/{}.jpg">', "image/{}.jpg"),
    "here": ('<img src="./image/{}.jpg">', "./image/{}.jpg"),
    "a name alone": ('<img src="{}.jpg">', "{}.jpg"),
    "from the root": ('<img src="/image/{}.jpg">', "/image/{}.jpg"),
    "from the root, of a relative one": ('<img src="../image/{}.jpg">', "/image/{}.jpg"),
    "another host": ('<img src="//cdn.example/{}.jpg">', "//cdn.example/{}.jpg"),
    "late": ('<img src="/blank.gif" data-src="../image/{}.jpg">', "../image/{}.jpg"),
    "a set": ('<img srcset="../image/s.jpg 1x, ../image/{}.jpg 2x">', "../image/{}.jpg"),
    "a copy": ('<img src="/blank.gif"><noscript><img src="../image/{}.jpg"></noscript>', "../image/{}.jpg"),
    "a background": ("<p style=\"background:url('../image/{}.jpg')\"></p>", "../image/{}.jpg"),
    "a poster": ('<video poster="image/{}.jpg"></video>', "image/{}.jpg"),
    "a document": ('<a href="docs/{}.pdf">Manual</a>', "docs/{}.pdf"),
    "entities": ('<img src="/image?id={}&amp;w=2">', "/image?id={}&amp;w=2"),
    "without its entities": ('<img src="/image?id={}&amp;w=2">', "/image?id={}&w=2"),
    "escapes": ('<img src="/b%C3%BCcher/{}.jpg">', "/b\u00fccher/{}.jpg"),
    "without its escapes": ('<img src="/b\u00fccher/{}.jpg">', "/b%C3%BCcher/{}.jpg"),
    "a blank": ('<img src="../image/no {}.jpg">', "../image/no {}.jpg"),
    "an escaped blank": ('<img src="../image/no%20{}.jpg">', "../image/no {}.jpg"),
    "a fragment": ('<img src="../image/{}.jpg">', "../image/{}.jpg#top"),
    "the page's fragment": ('<img src="../image/{}.jpg#top">', "../image/{}.jpg"),
    "a query": ('<img src="../image/{}.jpg">', "../image/{}.jpg?v=7"),
    "another query": ('<img src="../image/{}.jpg?v=8">', "../image/{}.jpg?v=7"),
    "the page's query": ('<img src="../image/{}.jpg?v=8">', "../image/{}.jpg"),
    "a whole one with another query": ('<img src="../image/{}.jpg?v=8">', f"{HOST}/image/{{}}.jpg?v=7"),
    "the other scheme": ('<img src="/image/{}.jpg">', "http://x.example/image/{}.jpg"),
    "capitals": ('<img src="/image/{}.JPG">', "/image/{}.JPG"),
    "a base": ('<base href="/deep/er/"><img src="../{}.jpg">', "../{}.jpg"),
}


@pytest.mark.parametrize("name", COPIED)
def test_an_address_is_found_as_it_was_copied(name: str) -> None:
    form, value = COPIED[name]

    def body(one: str) -> str:
        return page(form.replace("{}", one), one)

    wrapper = learned([body(one) for one in ("ann", "bob")], [value.replace("{}", one) for one in ("ann", "bob")])
    found = read(wrapper, body("cyd"))
    view = PageView.parse(body("cyd"), f"{HOST}/p/x")
    shown = [view.absolute(said) for node in view.tree.iter("*") for _, said in addresses_in(node, view)]
    assert isinstance(found, str)
    assert found.startswith("http")
    assert "cyd" in found
    assert found in shown
    assert wrapper.warnings == ()
    listed = learned([body(one) for one in ("ann", "bob")], [[value.replace("{}", one)] for one in ("ann", "bob")])
    assert read(listed, body("cyd")) == [found]


TEXTS = {
    "a text with a stroke": ('<a href="GNU/{}">GNU/{}</a>', "GNU/{}"),
    "a name of a file": ('<b>{}.jpg</b><img src="{}.jpg">', "{}.jpg"),
    "a title": ('<a href="x/{}" title="x/{}">go</a>', "x/{}"),
    "a share": ("<b>4/5</b><i>{}</i>", "4/5"),
    "data": ('<meta property="og:image" content="/image/{}.jpg"><img src="/image/{}.jpg">', "/image/{}.jpg"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_what_stands_there_as_a_text_is_no_address(name: str) -> None:
    form, value = TEXTS[name]
    wrapper = learned(
        [page(form.replace("{}", one), one) for one in ("ann", "bob")],
        [value.replace("{}", one) for one in ("ann", "bob")],
    )
    assert read(wrapper, page(form.replace("{}", "cyd"), "cyd")) == value.replace("{}", "cyd")


def test_another_picture_is_not_taken_for_the_one_that_was_copied() -> None:
    with pytest.raises(LearnError, match="is nowhere on"):
        learned([page('<img src="/image.php?id=3">', "a")], ["/image.php?id=4"])


@given(
    st.sampled_from(
        ["https://x.example/p/1?a=b", "HTTP://X.example:8080", "https://u:p@x.example/", "", "p/q", "ftp://x/y"]
    ),
    st.text(alphabet="/.a%2~-?#;: ", max_size=12).map(lambda text: f"/{text}"),
)
def test_an_address_is_joined_as_by_the_standard_library(base: str, address: str) -> None:
    assert make_absolute(base, address) == urljoin(base, address.strip())


@given(st.lists(st.sampled_from([EAGER, *LATE.values()]), min_size=1, max_size=6))
@settings(max_examples=100, deadline=None)
def test_each_picture_of_a_page_is_read_once_whatever_the_others_are(forms: list[str]) -> None:
    view = PageView.parse(gallery(forms, "c"), f"{HOST}/p/x")
    nodes = view.tree.xpath("//li//img | //li//amp-img")
    assert read_nodes(nodes, "@src", (), view) == [f"{HOST}{file(f'c-{n}')}" for n in range(len(forms))]

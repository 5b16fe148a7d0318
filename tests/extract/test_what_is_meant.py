"""Of readings that all samples allow the one that is meant: blanks as typed, what is shown, words that stand alone."""

from __future__ import annotations

import pytest

from gwc_crawler.extract import Finder, PageView
from gwc_crawler.items import Family
from gwc_crawler.learn.texts import LearnPage, Shared
from gwc_crawler.learn.wrapper.ranking import under_its_name
from gwc_crawler.page import parse_html
from tests.extract.pages import word
from tests.extract.test_new_markup import learn


def facts(n: int, rows: list[tuple[str, str]]) -> str:
    cells = "".join(f"<tr><td>{name}</td><td>{value}</td></tr>" for name, value in rows)
    return f"<html><body><h1>{word(n)}</h1><h2>Facts</h2><table>{cells}</table><h2>More</h2><p>Bye</p></body></html>"


def test_blanks_between_cells_are_as_the_samples_have_them() -> None:
    one, two, new = [("Weight", "3"), ("Age", "7")], [("Height", "12")], [("Width", "4"), ("Age", "9")]
    for blank in ("", " "):
        typed = [" ".join(f"{name}{blank}{value}" for name, value in rows) for rows in (one, two, new)]
        pages = (facts(1, one).replace("</tr>", "</tr>\n"), {"facts": typed[0]}), (facts(2, two), {"facts": typed[1]})
        assert learn(*pages).extract(facts(3, new).replace("</tr>", "</tr>\n"))["facts"] == typed[2]


def declared(n: int, words: str, note: str = "") -> str:
    mark = f"<a href='/note'>{note}</a>\n" if note else ""
    around = f"<a href='/{n + 7}' title='{'enum' if n % 3 else 'class'} in org.example'>{word(n + 7)}</a>"
    shown = f"<h1 class='name' title='Class {word(n)}'>Class {word(n)}{'&lt;T>' if n % 2 else ''}</h1>"
    return f"<html><body>{around}{shown}<pre class='code'>{mark}{words} <b>{word(n)}</b></pre></body></html>"


def test_a_word_that_stands_alone_elsewhere_is_what_longer_values_mean() -> None:
    kinds = ("public class", "public interface", "public static interface", "public abstract class")
    more = [declared(n, kinds[n % 4], "@Old" if n % 5 == 0 else "") for n in range(10, 30)]
    samples = (declared(2, kinds[0]), {"kind": "class"}), (declared(4, kinds[0]), {"kind": "class"})
    wrapper = learn(*samples, more=more)
    new = [declared(31, kinds[2]), declared(32, kinds[1], "@Old"), declared(33, "class")]
    assert [wrapper.extract(page)["kind"] for page in new] == ["interface", "interface", "class"]


def item(n: int, *, shelf: str = "std", since: str = "", states: str = "", text: str = "", name: str = "") -> str:
    """A page of a manual: a shelf in two places, a version at times, data of another spelling, panels."""
    name = name or f"The {word(n)} thing"
    data = f'<script type="application/ld+json">{{"@type": "Product", "name": "{name.replace("–", "-")}"}}</script>'
    about = f'<div class="panel about entry"><p>{text}</p></div>' if text else ""
    return (
        f"<html><head><title>{word(n)} in {shelf} - Rust</title>{data}</head><body><i id='vars' data-crate='std'></i>"
        f"<h1 class='name'>{name}</h1><a href='up'>In {shelf}</a><span class='since'>{since}</span>"
        f"<div class='item {states}'><div class='tabs'>{about}<div class='panel reviews entry'>"
        f"<p>No reviews of {word(n)}</p></div></div></div></body></html>"
    )


def makers(n: int, *, hidden: bool = False) -> str:
    """A page with a table, whose only column on some pages has another one before it."""
    before, called = ("<td>protected</td>", "last") if hidden else ("", "only")
    row = f'<tr>{before}<td class="{called}"><code>%s</code><p>Makes %s.</p></td></tr>'
    rows = "".join(row % (one, one) for one in made(n))
    head = f"<tr>{'<th>Modifier</th>' if hidden else ''}<th>Maker and Text</th></tr>"
    return f"<html><body><h1>{word(n)}</h1><h2>Makers</h2><table>{head}{rows}</table><p>Bye</p></body></html>"


def made(n: int) -> tuple[str, str]:
    return f"{word(n).title()}()", f"{word(n).title()}(int n)"


def test_a_place_that_varies_is_meant_where_the_samples_say_the_same_by_chance() -> None:
    more = [item(n, shelf="std::" + word(n % 3) if n % 2 else "std") for n in range(10, 20)]
    samples = [(item(n), {"module": "std"}) for n in (2, 4)]
    assert learn(*samples, more=more).extract(item(5, shelf="std::sea"))["module"] == "std::sea"


def test_a_list_beside_the_text_that_begins_the_same_everywhere_is_not_meant() -> None:
    def post(n: int) -> str:
        topic = ("tech", "life", "tech", "work")[n % 4]
        filed = f"<div class='of'><a class='category' href='/c'>{topic}</a></div>" if n % 7 else ""
        aside = "<ul><li class='one'><a class='link'>tech</a></li><li class='one'>life</li></ul>"
        return f"<html><body><h1>{word(n)}</h1>{filed}<p>Text {word(n)}</p>{aside}</body></html>"

    samples = [(post(n), {"category": "tech"}) for n in (2, 4)]
    wrapper = learn(*samples, more=[post(n) for n in range(10, 30)])
    assert [wrapper.extract(post(n))["category"] for n in (31, 32, 33, 35)] == ["work", "tech", "life", None]


def test_a_version_behind_a_label_that_no_sample_has_is_anothers() -> None:
    notes = ("1.4.0", "const: 1.5.0", "1.0.0 (const: unstable)")
    more = [item(n, since=notes[n % 3]) for n in range(10, 22)]
    wrapper = learn(*((item(n, since=f"1.{n}.0"), {"since": f"1.{n}.0"}) for n in (2, 14)), more=more)
    assert [wrapper.extract(item(5, since=one))["since"] for one in notes] == ["1.4.0", None, "1.0.0"]


def test_a_title_is_read_as_the_page_shows_it_also_where_no_page_seen_writes_it_otherwise() -> None:
    more = [item(n) for n in range(10, 20)]
    samples = [(item(n), {"title": f"The {word(n)} thing"}) for n in (2, 4)]
    assert learn(*samples, more=more).extract(item(5, name="Mat – Small"))["title"] == "Mat – Small"


def test_a_panel_called_as_another_one_of_the_samples_is_not_what_is_missing() -> None:
    states = ("item-new made instock", "item-new made soldout", "item-old made soldout")
    more = [item(n, states=states[0], text=f"About {word(n)}.") for n in range(10, 22)]
    more += [item(n, states=states[1]) for n in range(22, 25)]
    samples = [(item(n, states=states[0], text=f"About {word(n)}."), {"text": f"About {word(n)}."}) for n in (2, 4)]
    assert learn(*samples, more=more).extract(item(5, states=states[2]))["text"] is None


def test_rows_stand_under_their_header_whatever_columns_are_beside_it() -> None:
    more = [makers(n, hidden=n in (12, 15)) for n in range(10, 20)]
    samples = [(makers(n), {"makers": [{"name": one, "text": f"Makes {one}."} for one in made(n)]}) for n in (2, 4)]
    found = learn(*samples, more=more).extract(makers(5, hidden=True))["makers"]
    assert [one["name"] for one in found] == [*made(5)]


def test_names_that_end_in_a_digit_are_no_numbers() -> None:
    def sorts(*names: str) -> str:
        rows = "".join(f"<h3><code>{name}</code></h3><p>The sort {name}.</p>" for name in names)
        return f"<html><body><h1>{names[0]}</h1><h2>Sorts</h2>{rows}<h2>More</h2><p>Bye</p></body></html>"

    named = [("V4", "V6"), ("B2", "B3", "B7")]
    samples = [(sorts(*one), {"sorts": [{"name": name, "text": f"The sort {name}."} for name in one]}) for one in named]
    wrapper = learn(*samples, more=[sorts("PermissionWasDenied", f"Ok{n}") for n in range(6)])
    found = wrapper.extract(sorts("ConnectionRefusedByOther", "V9"))["sorts"]
    assert [one.get("name") for one in found] == ["ConnectionRefusedByOther", "V9"]


def test_an_attribute_that_says_the_value_leads_to_no_other_value() -> None:
    def stable(n: int, version: str) -> str:
        title = f" title='Stable since {version}'" if version else ""
        told = f"<b class='since'{title}>{version or 'const: 1.4.0'}</b>"
        return f"<html><body><h1>{word(n)}</h1><p>{told} and <i>{word(n + 5)}</i></p></body></html>"

    wrapper = learn((stable(1, "1.0.0"), {"since": "1.0.0"}), (stable(2, ""), {"since": ""}))
    assert wrapper.extract(stable(40, "1.40.0"))["since"] == "1.40.0"
    assert not wrapper.extract(stable(41, ""))["since"]


def test_words_behind_a_version_are_a_remark_where_a_page_without_one_has_words_alone() -> None:
    def marked(n: int, text: str) -> str:
        return f"<html><body><h1>{word(n)}</h1><b class='since'>{text}</b><p>{word(n + 3)} does.</p></body></html>"

    notes = ("", " (const: unstable)", " (const: 1.4.0)")
    more = [marked(n, f"1.{n}.0{notes[n % 3]}" if n % 4 else "const: unstable") for n in range(10, 28)]
    wrapper = learn((marked(1, "1.7.0"), {"since": "1.7.0"}), (marked(2, "const: unstable"), {"since": ""}), more=more)
    assert wrapper.extract(marked(40, "1.2.0 (const: 1.4.0)"))["since"] == "1.2.0"
    assert wrapper.extract(marked(41, "const: 1.4.0"))["since"] is None


def test_a_letter_amid_a_text_is_no_badge_though_it_stands_at_its_beginning_too() -> None:
    def sign(n: int, text: str) -> str:
        return f"<html><body><h1>{word(n)}</h1><h2>Meaning</h2><p>{text}</p><h2>{word(n + 3)}</h2></body></html>"

    texts = ("<i>n</i>? matches any <i>n</i> of {}", "<i>n</i>+ takes an <i>n</i> in {}", "{} matches all words")
    more = [sign(n, texts[n % 3].format(word(n + 5))) for n in range(10, 28)]
    samples = [(sign(n, f"{word(n)} splits a text"), {"text": f"{word(n)} splits a text"}) for n in (1, 2)]
    assert learn(*samples, more=more).extract(sign(40, texts[0].format("words")))["text"] == "n? matches any n of words"


def test_pages_of_one_day_have_its_date_in_common_and_it_leads_to_no_value() -> None:
    def poem(n: int, day: int, kind: str) -> str:
        other = f"<div><a>{word(n + 8)}</a></div>" if n % 4 == 3 else ""
        about = f"<p><time>11月 {day}, 2019</time><span><a>{kind}</a></span></p>"
        return f"<html><body><h1>{word(n)}</h1>{other}{about}<p>{word(n + 3)} says.</p></body></html>"

    more = [poem(n, 10 + n % 9, ("唐诗", "宋词")[n % 2]) for n in range(10, 30)]
    wrapper = learn((poem(1, 16, "宋词"), {"age": "宋"}), (poem(2, 18, "唐诗"), {"age": "唐"}), more=more)
    pages = poem(40, 18, "宋词"), poem(41, 16, "唐诗"), poem(43, 1, "宋词")
    assert [wrapper.extract(page)["age"] for page in pages] == ["宋", "唐", "宋"]


@pytest.mark.parametrize(
    ("text", "is_label"),
    [("Posted by", True), ("Since 2019", True), ("November 18, 2019", False), ("2019年11月18日", False)],
)
def test_a_date_is_no_label(text: str, is_label: bool) -> None:
    indexes = [
        LearnPage.of(PageView(parse_html(f"<p><i>{text}</i> <b>{word(n)}</b></p>"), "http://b.example/")).index
        for n in range(3)
    ]
    assert Shared(indexes, []).is_label(indexes[0].chunks[0]) == is_label


def fact(label: str, value: str) -> PageView:
    told = f"<p><b>{label}</b><i>{value}</i></p>" if label else "<p>Nothing</p>"
    return PageView(parse_html(f"<html><body><h1>Goods</h1>{told}</body></html>"), "http://shop.example/")


@pytest.mark.parametrize(
    ("label", "is_read"), [("Bottle  Size", True), ("sizes", True), ("Size of box", False), ("Colour", False)]
)
def test_where_the_samples_label_is_missing_one_with_the_fields_name_says_the_same(label: str, is_read: bool) -> None:
    known = Finder(Family.LABEL, '//b[text()[normalize-space()="Box"]]/following-sibling::i')
    samples, further = [fact("Box", "10 mL"), fact("", "")], [fact("Box", "5 mL"), fact("", ""), fact(label, "7 mL")]
    found = under_its_name("sizes", [known], Finder.first, samples, further)
    assert [one.first(fact(label, "9 mL")) for one in found] == ["9 mL"] * is_read
    contradicting = [*further, PageView(parse_html(f"<b>Box</b><i>3</i><p><b>{label}</b><i>4</i></p>"), "http://x/")]
    assert under_its_name("sizes", [known], Finder.first, samples, contradicting) == []


def test_a_label_is_sought_though_it_is_indented_and_the_second_way_is_the_one_that_reads() -> None:
    first = Finder(Family.LABEL, '//b[text()[normalize-space()="Crate"]]/following-sibling::i')
    second = Finder(Family.LABEL, '//b[text()[normalize-space()="Box"]]/following-sibling::i', cost=2.0)
    samples, further = [fact("Box", "10 mL")], [fact("Box", "5 mL"), fact(f"{' ' * 80}Size", "7 mL")]
    found = under_its_name("sizes", [first, second], Finder.first, samples, further)
    assert [one.first(further[1]) for one in found] == ["7 mL"]


def test_of_hundreds_of_texts_that_end_in_a_fields_name_a_few_are_tried() -> None:
    known = Finder(Family.LABEL, '//b[text()[normalize-space()="Box"]]/following-sibling::i')
    titles = "".join(f"<p>{word(n)} size</p>" for n in range(300))
    silent = PageView(parse_html(f"<body>{titles}</body>"), "http://shop.example/")
    read: list[str] = []

    def note(finder: Finder, page: PageView) -> str | None:
        read.append(finder.path)
        return finder.first(page)

    assert under_its_name("sizes", [known], note, [fact("Box", "10 mL")], [silent]) == []
    assert len(set(read)) < 20

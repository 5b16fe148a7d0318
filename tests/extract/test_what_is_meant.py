"""Of readings that all samples allow the one that is meant: blanks as typed, what is shown, words that stand alone."""

from __future__ import annotations

import pytest

from gwc_crawler.learn.texts.context import LearnPage
from gwc_crawler.learn.texts.shared import Shared
from gwc_crawler.page.parse import parse_html
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


def test_a_title_is_read_as_the_page_shows_it_also_where_no_page_seen_writes_it_otherwise() -> None:
    more = [item(n) for n in range(10, 20)]
    samples = [(item(n), {"title": f"The {word(n)} thing"}) for n in (2, 4)]
    assert learn(*samples, more=more).extract(item(5, name="Mat – Small"))["title"] == "Mat – Small"


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
        LearnPage(parse_html(f"<p><i>{text}</i> <b>{word(n)}</b></p>"), "http://b.example/").index for n in range(3)
    ]
    assert Shared(indexes, []).is_label(indexes[0].chunks[0]) == is_label

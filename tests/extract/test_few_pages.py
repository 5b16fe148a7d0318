"""Sites with hardly a further page: what a field's rule relies on must be right beforehand."""

from __future__ import annotations

import pytest

from gwc_crawler.extract.page_view import PageView
from gwc_crawler.learn.texts.shared import reads_made
from gwc_crawler.learn.wrapper.learning import learn_wrapper
from gwc_crawler.learn.wrapper.locators.fits import fit_ending
from gwc_crawler.learn.wrapper.samples import Sample, most_telling_first
from tests.extract.pages import learned

ROWS = {
    "table": "<table>{}</table>",
    "dl": "<dl>{}</dl>",
    "ul": "<ul>{}</ul>",
    "div": "<section>{}</section>",
}
ROW = {
    "table": "<tr><th>{}</th><td>{}</td></tr>",
    "dl": "<dt>{}</dt><dd>{}</dd>",
    "ul": "<li><b>{}</b> {}</li>",
    "div": "<div class='row'><span class='l'>{}</span><span class='v'>{}</span></div>",
}


def book(form: str, title: str, **rows: str) -> str:
    inside = "".join(ROW[form].format(name, value) for name, value in rows.items())
    return f"<html><body><h1>{title}</h1>{ROWS[form].format(inside)}<p>end</p></body></html>"


@pytest.mark.parametrize("form", ROWS)
def test_an_optional_field_that_one_sample_has_is_read_by_its_own_label_only(form: str) -> None:
    one = book(form, "Thor", Publisher="Marvel", Weight="1.2 kg", Language="English")
    two = book(form, "Dune", Publisher="Ace", Language="German")
    wrapper = learn_wrapper(
        [
            Sample("http://a.example/1", one, {"title": "Thor", "weight": "1.2 kg"}),
            Sample("http://a.example/2", two, {"title": "Dune"}),
        ]
    )
    assert wrapper.extract(book(form, "It", Weight="3.4 kg", Publisher="Viking"))["weight"] == "3.4 kg"
    assert wrapper.extract(book(form, "Emma", Publisher="Ward", Pages="300", Language="French"))["weight"] is None


def recipe(name: str, *steps: str, shown: str = "", data: bool = True, headline: str = "") -> str:
    texts = ", ".join(f'{{"@type": "HowToStep", "text": "{step}"}}' for step in steps)
    script = f'{{"@type": "Recipe", "name": "{name}", "recipeInstructions": [{texts}]}}'
    head = f'<script type="application/ld+json">{script}</script>' if data else ""
    rows = shown or "".join(f"<li>{step}</li>" for step in steps)
    return (
        f"<html><head>{head}</head><body><h1 class='t'>{headline or name}</h1>"
        f"<div class='css-1b07bg1'><ol class='steps'>{rows}</ol></div></body></html>"
    )


def test_what_the_page_is_about_is_believed_where_layout_and_data_disagree() -> None:
    samples = [
        Sample(f"http://a.example/{n}", recipe(name, "Cut.", "Cook."), {"title": name})
        for n, name in enumerate(("Onion soup", "Leek pie"))
    ]
    more = [("http://a.example/3", recipe("Fish cake", "Cut.", headline="Fish cake, quickly made"))]
    assert learn_wrapper(samples, more).extract(recipe("Rice", "Boil.", headline="My rice"))["title"] == "Rice"


def test_an_ending_that_some_titles_have_is_cut_off() -> None:
    def page(title: str) -> str:
        return f"<html><body><h1 class='t'>{title}</h1><p>text</p></body></html>"

    samples = [
        Sample("http://a.example/1", page("Leek pie"), {"title": "Leek pie"}),
        Sample("http://a.example/2", page("Onion soup – Recipe"), {"title": "Onion soup"}),
    ]
    wrapper = learn_wrapper(samples)
    assert wrapper.extract(page("Fish cake – recipe"))["title"] == "Fish cake"
    assert wrapper.extract(page("Rice"))["title"] == "Rice"
    assert type(wrapper).from_json(wrapper.to_json()).extract(page("Fish cake – Recipe"))["title"] == "Fish cake"


@pytest.mark.parametrize(
    ("pairs", "ending"),
    [
        ([("Thor | Shop", "Thor"), ("Dune", "Dune")], " | shop"),
        ([("Thor | Shop", "Thor"), ("Dune | Books", "Dune")], None),
        ([("Thor Hardcover", "Thor"), ("Dune", "Dune")], None),
        ([("A Thor | Shop", "Thor"), ("Dune", "Dune")], None),
    ],
)
def test_only_one_ending_set_apart_counts(pairs: list[tuple[str, str]], ending: str | None) -> None:
    cut = fit_ending(pairs)
    assert (cut.after if cut else None) == ending


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("css-1b07bg1", True),
        ("dcr-n4qeq9", True),
        ("et3p2gv0", True),
        ("recipe-title", False),
        ("col-md-8", False),
        ("heading2", False),
        ("h1", False),
    ],
)
def test_class_names_that_a_build_tool_made(name: str, made: bool) -> None:
    assert reads_made(name) == made


def mail(sender: str, **more: str) -> str:
    lines = "".join(
        f"<li><em>{name}</em>: <a href='mailto:{address}'>{address}</a></li>"
        for name, address in {"From": sender, "To": "list@a.example", **more}.items()
    )
    return f"<html><body><h1>Hello</h1><ul>{lines}</ul><p>end</p></body></html>"


def test_signs_between_a_rare_label_and_its_value_do_not_part_the_two() -> None:
    samples = [
        Sample("http://a.example/1", mail("ann@a.example", Cc="team@a.example"), {"cc": "team@a.example"}),
        Sample("http://a.example/2", mail("bob@a.example"), {}),
    ]
    more = [("http://a.example/3", mail("ann@a.example")), ("http://a.example/4", mail("bob@a.example"))]
    wrapper = learn_wrapper(samples, more)
    assert wrapper.extract(mail("eva@a.example", Cc="all@a.example"))["cc"] == "all@a.example"
    assert wrapper.extract(mail("ann@a.example", Bcc="all@a.example"))["cc"] is None


def methods_of(n: int, count: int) -> tuple[str, list[dict[str, str]]]:
    """Methods of its own, which stand in a box with a name, and those of others, built alike."""
    rows = [{"name": f"m{n}x{m}", "text": f"Does {n * 7 + m} things."} for m in range(count)]
    own, others = (
        "".join(
            f"<div class='method'><h4><b>{row['name']}</b></h4><div class='doc'><p>{row['text']}</p></div></div>"
            for row in some
        )
        for some in (rows, [{"name": f"o{n}x{m}", "text": f"Other {n + m}."} for m in range(2 + n % 2)])
    )
    section = f"<div id='own'><h3>&lt;T{n}&gt;</h3><div class='box'>{own}</div></div>" if rows else ""
    more = f"<div id='others'><h3>&lt;T{n}&gt;</h3><div class='box'>{others}</div></div>"
    return f"<html><body><h1>Thing {n}</h1>{section}{more}</body></html>", rows


def test_a_section_that_every_third_page_has_is_known_though_the_first_pages_lack_it() -> None:
    """What one sample alone has is told from what pages share by few pages: those are chosen that have it."""
    first, rows = methods_of(1, 2)
    more = [methods_of(n, 2 if n >= 18 else 0)[0] for n in range(10, 26)]
    wrapper = learn_wrapper(
        [
            Sample("http://a.example/1", first, {"name": "Thing 1", "methods": rows}),
            Sample("http://a.example/2", methods_of(2, 0)[0], {"name": "Thing 2"}),
        ],
        [(f"http://a.example/{n}", page) for n, page in enumerate(more, 10)],
    )
    for n, count in ((30, 3), (31, 0), (32, 1)):
        page, wanted = methods_of(n, count)
        assert (wrapper.extract(page)["methods"] or []) == wanted


def test_the_pages_that_have_most_of_the_samples_names_come_first_and_once() -> None:
    plain, box, both = (
        PageView.parse(f"<div class='{names}'>x</div>", f"http://a.example/{names}")
        for names in ("a", "b other", "b c")
    )
    sample = PageView.parse("<div class='a b' id='c'><p class='c'>x</p></div>", "http://a.example/")
    assert most_telling_first([plain, box, both], [sample], 2) == [both, plain, box]
    assert most_telling_first([plain, box, both], [sample], 9) == [both, plain, box]
    assert most_telling_first([], [sample], 6) == []


def test_what_a_build_tool_begins_its_names_with_names_nothing() -> None:
    def page(title: str, shown: str = "", name: str = "n4qeq9") -> str:
        made = "".join(f"<p class='dcr-{one}'>words</p>" for one in ("1b07bg1", "9x2y8z", "k3m4n5", "7q1w2e"))
        data = f'<script type="application/ld+json">{{"@type": "Recipe", "name": "{title}"}}</script>'
        return f"<html><body>{data}{made}<main><h2 class='dcr-{name}'>{shown or title}</h2>{made}</main></body></html>"

    samples = [(page(title), {"title": title}) for title in ("Plum cake", "Leek soup")]
    wrapper = learned(samples, [page("Bean stew with oil", "Bean stew")])
    assert wrapper.extract(page("Corn bread with oil", "Corn bread", "8a7b6c"))["title"] == "Corn bread with oil"

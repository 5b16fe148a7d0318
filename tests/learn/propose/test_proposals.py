"""What is proposed for hand-made pages: whole values under good names, learnable, as a site file that holds them."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from gwc_crawler.errors import LearnError, SiteError
from gwc_crawler.learn.propose.fields import learnable, propose_fields
from gwc_crawler.learn.propose.page_reading import ReadPage
from gwc_crawler.learn.propose.site import Proposal, propose_from, propose_site
from gwc_crawler.learn.propose.toml_form import site_text
from gwc_crawler.sites.site_files import load_site
from tests.learn.propose.pages import MENU, NAMES, ORIGIN, Pages, dish, dishes, page


@pytest.fixture(scope="module")
def proposal() -> Proposal:
    """What is proposed for the dishes, from their front page."""
    return asyncio.run(propose_site(f"{ORIGIN}/", dishes()))


def values(proposal: Proposal) -> dict[str, Any]:
    """Field → its value on the first sample."""
    return {one.name: one.values[0] for one in proposal.fields}


def test_from_the_front_page_two_items_are_found(proposal: Proposal) -> None:
    assert [one.url.startswith(f"{ORIGIN}/dish/") for one in proposal.pages[:2]] == [True, True]
    assert proposal.entry == f"{ORIGIN}/"


def test_behind_lists_of_which_only_the_title_differs_the_items_are_found() -> None:
    site = dishes()
    kitchens = [f"/kitchen/{name}.html" for name in ("north", "south", "east", "west", "coast", "hills")]
    links = "".join(f'<li class="card"><a href="{path}">Kitchen of the {path[9:-5]}</a></li>' for path in kitchens)
    listed = site.bodies[f"{ORIGIN}/"]
    site.bodies[f"{ORIGIN}/"] = f"<title>Kitchens</title><body>{MENU}<h1>All kitchens</h1><ul>{links}</ul></body>"
    for path in kitchens:
        site.bodies[f"{ORIGIN}{path}"] = listed.replace("All dishes", f"Kitchen of the {path[9:-5]}")
    proposed = asyncio.run(propose_site(f"{ORIGIN}/", site))
    assert [one.url.startswith(f"{ORIGIN}/dish/") for one in proposed.pages[:2]] == [True, True]


def test_fields_have_the_names_and_whole_values_a_reader_sees(proposal: Proposal) -> None:
    number = int(proposal.pages[0].url[len(f"{ORIGIN}/dish/")])
    found = values(proposal)
    assert found["title"] == NAMES[number]
    assert found["price"] == f"${number + 7}.50"
    assert found["image"] == f"{ORIGIN}/img/{number}.jpg"
    assert found["cuisine"] == f"Sichuan style {number}"
    assert found["weight"] == f"{300 + number} g"
    assert found["tags"] == [f"tag {number}{one}" for one in range(2 + number % 2)]
    assert found["body"].startswith(f"The story of {NAMES[number]}")


def test_one_record_brings_the_others_like_it(proposal: Proposal) -> None:
    reviews = next(one for one in proposal.fields if one.name == "reviews")
    for at, value in zip(proposal.pages, reviews.values, strict=False):
        number = int(at.url[len(f"{ORIGIN}/dish/")])
        assert value == [
            {
                "author": f"guest {number}-{one}",
                "date": f"2024-0{one + 1}-1{number}",
                "text": f"Dish number {number}, eaten for the {one + 1}th time.",
            }
            for one in range(number % 3 + 1)
        ]


def test_the_text_is_a_site_file_that_says_the_same(proposal: Proposal, tmp_path: Path) -> None:
    path = tmp_path / "dishes.toml"
    path.write_text(site_text(proposal, "dishes"), encoding="utf-8")
    site = load_site(path)
    assert site.warnings == ()
    assert [sample.url for sample in site.samples] == [one.url for one in proposal.pages[:2]]
    for number, sample in enumerate(site.samples):
        assert sample.fields == {one.name: value for one in proposal.fields if (value := one.values[number])}


def test_an_item_finds_its_twins_through_the_front_page() -> None:
    site = dishes()
    proposed = asyncio.run(propose_site(f"{ORIGIN}/dish/3.html", site))
    assert proposed.pages[0].url == f"{ORIGIN}/dish/3.html"
    assert proposed.pages[1].url != proposed.pages[0].url
    assert len(site.asked) <= 14


def test_a_second_page_that_is_named_is_taken() -> None:
    second = f"{ORIGIN}/dish/5.html"
    proposed = asyncio.run(propose_site(f"{ORIGIN}/dish/0.html", dishes(), second))
    assert proposed.pages[1].url == second
    with pytest.raises(LearnError, match="is the same page as"):
        asyncio.run(propose_site(second, dishes(), f"{second}#cook"))


def test_without_a_page_of_the_kind_it_says_what_helps() -> None:
    lonely = Pages({f"{ORIGIN}/": "<title>x</title><p>Nothing here.</p>"})
    with pytest.raises(LearnError, match="--second URL"):
        asyncio.run(propose_site(f"{ORIGIN}/", lonely))
    with pytest.raises(SiteError, match="404"):
        asyncio.run(propose_site(f"{ORIGIN}/gone.html", lonely))


def test_what_stands_on_all_pages_is_no_field(proposal: Proposal) -> None:
    assert not any("All rights reserved" in str(one.values) for one in proposal.fields)
    assert not any("About us" in str(one.values) for one in proposal.fields)


def test_what_one_page_lacks_is_optional() -> None:
    pages = [page(0, reviews=0), page(1, reviews=3)]
    found = {one.name: one for one in learnable(propose_fields(pages), pages)}
    assert found["reviews"].values[0] is None
    assert isinstance(found["reviews"].values[1], list)
    assert found["reviews"].problem == ""


def test_what_cannot_be_learned_is_told_and_left_out() -> None:
    pages = [page(0), page(1)]
    found = propose_fields(pages)
    price = next(one for one in found if one.name == "price")
    price.values = ["$1,000,000", "$8.50"]
    learned = learnable(found, pages)
    assert [one.name for one in learned if one.problem] == ["price"]
    proposed = propose_from(pages, pages[0])
    proposed.left_out = [price]
    assert "# price: " in site_text(proposed, "x")


def test_structured_data_names_fields_and_the_page_gives_their_values() -> None:
    def article(number: int) -> ReadPage:
        author = f'{{"name": "Ann {number}"}}'
        told = f'{{"@type": "NewsArticle", "headline": "Headline {number} of the day", "author": {author}}}'
        text = f"""<html><head><title>Headline {number} of the day - Paper</title>
<script type="application/ld+json">{told}</script><meta property="og:image" content="http://n.example/i{number}.png"></head><body>
<h1>Headline {number} of the day</h1><span class="x1">Ann {number}</span> <time>May {number}, 2024</time>
<div>{f"<p>Sentence {number} of a long story that goes on. It has no end, says {number}.</p>" * 3}</div></body>"""
        return ReadPage(f"http://n.example/a/{number}", text.encode())

    found = {one.name: one.values for one in propose_fields([article(3), article(4)])}
    assert found["title"] == ["Headline 3 of the day", "Headline 4 of the day"]
    assert found["author"] == ["Ann 3", "Ann 4"]
    assert found["date"] == ["May 3, 2024", "May 4, 2024"]
    assert found["image"] == ["http://n.example/i3.png", "http://n.example/i4.png"]


def test_chinese_labels_name_fields(tmp_path: Path) -> None:
    pages = [ReadPage(f"{ORIGIN}/{n}", dish(n, label="菜系").encode()) for n in (0, 1)]
    proposed = propose_from(pages, pages[0])
    assert values(proposed)["菜系"] == "Sichuan style 0"
    (tmp_path / "dishes.toml").write_text(site_text(proposed, "dishes"), encoding="utf-8")
    assert load_site(tmp_path / "dishes.toml").samples[0].fields["菜系"] == "Sichuan style 0"


def test_hostile_pages_are_proposed_from_in_bounds() -> None:
    deep = ("<div class='a'>" * 3000 + "x").encode()
    wide = ("<ul>" + "<li class='row'>y</li>" * 5000 + "</ul>").encode()
    for body in (deep, wide, b"", b"\xff\xfe\x00", b"<h1>" + b"z" * 200_000):
        pages = [ReadPage("http://h.example/1", body), ReadPage("http://h.example/2", body + b"<p>2</p>")]
        assert propose_fields(pages) is not None


def entry(number: int, head: str, below: str, name: str = "") -> ReadPage:
    """A page with what stands in its head, and below its title."""
    title = name or f"{('Lantern', 'Harvest')[number]} evening"
    html = (
        f"<html><head><title>{title} | Notes</title>{head}</head><body><h1>{title}</h1>{below}"
        f"<div class='text'><p>{'Something that only entry ' + str(number) + ' says. ' * 6}</p></div></body></html>"
    )
    return ReadPage(f"{ORIGIN}/entry/{number}", html.encode())


def told(*pages: ReadPage) -> dict[str, list[Any]]:
    return {one.name: one.values for one in learnable(propose_fields(pages), pages) if not one.problem}


def test_the_author_is_found_behind_a_date_and_behind_a_remark_under_the_title() -> None:
    people = ("Ann Lee", "Bo Chen")
    dated = [entry(n, "", f"<div class='author'>November {n + 2}, 2025 by {who}</div>") for n, who in enumerate(people)]
    assert told(*dated)["author"] == list(people)
    names = ("春晓", "登高")
    poems = [entry(n, "", f"<p>{names[n]}</p><p>[唐] {who}</p>", names[n]) for n, who in enumerate(("孟浩然", "杜甫"))]
    assert told(*poems)["author"] == ["孟浩然", "杜甫"]


def test_what_only_machines_read_is_a_field_where_nothing_else_has_its_name() -> None:
    data = (
        '<script type="application/ld+json">{{"@context": "https://schema.org", "@type": "Article", "author": '
        '{{"@type": "Person", "name": "Cy Young"}}, "datePublished": "2024-05-0{0}"}}</script>'
    )
    assert told(*(entry(n, data.format(n + 1), "") for n in range(2)))["author"] == ["Cy Young", "Cy Young"]
    shown = told(*(entry(n, data.format(n + 1), f"<time>May {n + 1}, 2024</time>") for n in range(2)))
    assert shown["date"] == ["May 1, 2024", "May 2, 2024"]


def test_the_total_of_a_basket_in_the_menu_is_no_price() -> None:
    cart = "<div class='site-menu-cart__toggle'><a href='#'><span class='amount'>$0.00</span></a></div>"
    pages = [entry(n, "", f"{cart}<p class='price'>{price}</p>") for n, price in enumerate(("ask us", "$8.00"))]
    assert "$0.00" not in told(*pages).get("price", [])


def test_keywords_are_words_and_no_addresses() -> None:
    foot = "<p>Mill Lane, Bristol</p><p>Mill Lane 12</p><p>shop@dishes.example</p><p>dishes.example/shop</p>"
    pages = [ReadPage(page(n).url, dish(n).replace(MENU, f"{foot}{MENU}").encode()) for n in range(4)]
    assert propose_from(pages, ReadPage(f"{ORIGIN}/", b"<p>Dishes</p>")).keywords == "by && Cuisine"


def test_an_api_begins_at_the_address_given_and_not_at_the_front_page_of_its_host() -> None:
    site = dishes()
    listed = [{"url": f"/api/dish/{n}"} for n in range(len(NAMES))]
    for n, name in enumerate(NAMES):
        told = {"name": name, "heat": f"{n} of 9", "cook": f"Cook {n}"}
        site.bodies[f"{ORIGIN}/api/dish/{n}"] = json.dumps(told)
    site.bodies[f"{ORIGIN}/api/"] = json.dumps({"dishes": listed})
    proposed = asyncio.run(propose_site(f"{ORIGIN}/api/", site))
    assert proposed.entry == f"{ORIGIN}/api/"
    assert all(one.url.startswith(f"{ORIGIN}/api/dish/") for one in proposed.pages)
    assert "# the heading: name\n" in site_text(proposed, "dishes")


def test_the_members_of_an_object_that_an_answer_wraps_are_fields_and_no_text() -> None:
    site = dishes()
    for n, name in enumerate(NAMES):
        texts = {"story": f"{name}, as {n} cooks made it in Bristol.", "advice": f"Serves {n}, with rice. " * 3}
        told = {"data": {"item": {"name": name, "heat": f"{n} of 9", **texts}}, "ok": True}
        site.bodies[f"{ORIGIN}/api/dish/{n}"] = json.dumps(told)
    site.bodies[f"{ORIGIN}/api/"] = json.dumps([{"url": f"/api/dish/{n}"} for n in range(len(NAMES))])
    fields = {field.name for field in asyncio.run(propose_site(f"{ORIGIN}/api/", site)).fields}
    assert {"heat", "story", "advice"} <= fields
    assert "body" not in fields

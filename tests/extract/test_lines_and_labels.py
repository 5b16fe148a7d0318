"""Labels in lines and within elements, where sections end, and what is cut off."""

from __future__ import annotations

from typing import Any

from tests.extract.pages import learned, sentence, word
from tests.extract.test_told_by_itself import SEVERAL, page

Samples = list[tuple[str, dict[str, Any]]]


# Lines behind labels


# Sections


def teacher(n: int, *, courses: int = 1, study: bool = True, inner: str = "span strong") -> str:
    def head(text: str) -> str:
        tags = inner.split()
        return f"<p>{''.join(f'<{tag}>' for tag in tags)}{text}{''.join(f'</{tag}>' for tag in reversed(tags))}</p>"

    def body(texts: list[str]) -> str:
        return "".join(f"<p class=MsoNormal>{text}</p>" for text in texts)

    prizes = f"<p><strong>Prizes</strong></p>{body([sentence(n, 'Prize')])}" if n % 2 else ""
    first = f"{head('Studies')}{body([sentence(n + 3, 'Study')])}" if study else ""
    last = f"{head('Courses')}{body([f'{word(n + 5 + k)} {k}' for k in range(courses)])}"
    return page(
        word(n), f"<div id=content>{first}{prizes}{last}{head('Papers')}{body([sentence(n + 7, 'Paper')])}</div>"
    )


def test_a_section_is_found_by_its_heading_whatever_stands_around_the_words_and_ends_at_the_next_bold_line() -> None:
    ways = ("span strong", "strong span", "strong")
    samples: Samples = [
        (
            teacher(n, courses=2, inner=ways[n]),
            {"studies": sentence(n + 3, "Study"), "courses": [f"{word(n + 5 + k)} {k}" for k in range(2)]},
        )
        for n in (0, 2)
    ]
    more = [teacher(n, courses=n % 5 % 3 + 1, study=n % 5 > 0, inner=ways[n % 5 % 3]) for n in SEVERAL]
    wrapper = learned(samples, more)
    for n in (51, 52, 53):
        found = wrapper.extract(teacher(n, courses=3, inner=ways[n % 5 % 3]))
        assert found["studies"] == sentence(n + 3, "Study")
        assert found["courses"] == [f"{word(n + 5 + k)} {k}" for k in range(3)]


def test_a_label_may_stand_in_a_link_within_its_cell() -> None:
    def one(n: int, *, linked: bool = False) -> str:
        label = "<a name=notes>Notes</a>" if linked else "Notes"
        rows = [("Name", word(n + 1)), *([("Made", word(n + 2))] if n % 3 else []), (label, sentence(n))]
        rows += [("Author", word(n + 9))] if n % 5 else []
        return page(word(n), f"<table>{''.join(f'<tr><th>{name}<td>{value}' for name, value in rows)}</table>")

    samples: Samples = [(one(n), {"notes": sentence(n)}) for n in (1, 2)]
    wrapper = learned(samples, [one(n, linked=n % 4 == 0) for n in SEVERAL])
    assert wrapper.extract(one(60, linked=True))["notes"] == sentence(60)


def test_a_label_that_another_field_lists_leads_to_the_field_it_is_called_as() -> None:
    def tag(n: int) -> str:
        return word(30 + n % 6)

    def one(n: int, *, price: bool = True, tags: int = 2) -> str:
        rows = [("Size", word(n)), *([("Price", word(n + 1))] if price else []), ("Made", word(n + 2))]
        links = ", ".join(f"<a href=/t/{k}>{tag(n + k)}</a>" for k in range(tags))
        rows += [("Tags", links)] if tags else []
        rows += [("Colour", f"<a href=/c/>{word(n + 3)}</a>")]
        cells = "".join(f"<tr><td>{name}</td><td>{value}</td></tr>" for name, value in rows)
        return page(word(n), f"<div class=facts><table>{cells}</table></div>")

    def told(n: int, tags: int) -> dict[str, Any]:
        facts = [{"name": name, "value": word(n + k)} for k, name in enumerate(("Size", "Price", "Made"))]
        linked = ", ".join(tag(n + k) for k in range(tags))
        facts += [{"name": "Tags", "value": linked}, {"name": "Colour", "value": word(n + 3)}]
        return {"facts": facts, "tags": [tag(n + k) for k in range(tags)]}

    samples: Samples = [(one(n, tags=n), told(n, n)) for n in (1, 2)]
    wrapper = learned(samples, [one(n, price=n % 5 % 3 > 0, tags=n % 4) for n in SEVERAL])
    assert wrapper.extract(one(52, price=False, tags=3))["tags"] == [tag(52 + k) for k in range(3)]
    assert not wrapper.extract(one(53, tags=0)).get("tags")


def test_categories_are_read_as_the_category_is() -> None:
    def one(n: int, count: int) -> str:
        label = "Event Category:" if count == 1 else "Event Categories:"
        links = ", ".join(f"<a href=/c/{k}>{word(n + 30 + k)}</a>" for k in range(count))
        return page(
            word(n),
            f"<p><a href=/>All</a></p><dl><dt>When:<dd>{word(n + 2)}<dt>{label}<dd>{links}"
            f"<dt>Where:<dd>{word(n + 3)}</dl>",
        )

    samples: Samples = [(one(n, 1), {"categories": [word(n + 30)]}) for n in (1, 2)]
    wrapper = learned(samples, [one(n, n % 5 % 3 + 1) for n in SEVERAL])
    assert wrapper.extract(one(51, 3))["categories"] == [word(81 + k) for k in range(3)]


# Cuts


def test_a_sign_that_ends_what_stands_before_is_no_part_of_a_cut() -> None:
    def one(n: int, sign: str) -> str:
        return page(
            f"{word(n)}{sign}", f"<h2>Name</h2>{sign}{word(n)}{sign} -- {sentence(n)}<h2>More</h2><p>{word(n)}</p>"
        )

    samples: Samples = [(one(n, "%"), {"name": f"{word(n)}%", "purpose": sentence(n)}) for n in (1, 2)]
    wrapper = learned(samples, [one(n, "%" if n % 2 else "") for n in SEVERAL])
    assert wrapper.extract(one(52, ""))["purpose"] == sentence(52)


def test_a_long_text_ends_where_its_block_does_if_the_next_label_is_missing() -> None:
    kinds = ("{0}！", "“{0}”", "3) {0}", "{0} He answered: no.", "{0} ({1}%)", "- {0} (1999)")

    def text(n: int) -> str:
        return kinds[n % 6].format(f"{sentence(n)} {sentence(n + 3, 'Note')}", n)

    def one(n: int, *, papers: bool) -> str:
        more = f"<p>Papers: </p><p>{sentence(n + 9, 'Paper')}</p>" if papers else ""
        return page(word(n), f"<div class=about><p>{text(n)}</p>{more}</div>")

    samples: Samples = [(one(n, papers=True), {"about": text(n)}) for n in (1, 2)]
    wrapper = learned(samples, [one(n, papers=n % 2 > 0) for n in SEVERAL])
    assert wrapper.extract(one(52, papers=False))["about"] == text(52)
    assert wrapper.extract(one(51, papers=True))["about"] == text(51)


def test_a_name_ends_with_its_text_not_where_all_ranks_have_a_sign_in_common() -> None:
    names, ranks = "赵钱孙李周吴郑王冯陈", ("主任医师", "主治医师", "副主任医师")

    def name(n: int) -> str:
        return names[n % 10] + names[n // 10 % 10]

    def one(n: int, rank: str) -> str:
        return page("", f"<div class=txt><h2>{name(n)}<span>{rank}</span></h2><p>{word(n)}</p></div>")

    samples: Samples = [(one(n, ranks[k]), {"name": name(n)}) for k, n in enumerate((12, 34))]
    wrapper = learned(samples, [one(n, ranks[n % 5 % 3]) for n in SEVERAL])
    assert wrapper.extract(one(78, ranks[2]))["name"] == name(78)

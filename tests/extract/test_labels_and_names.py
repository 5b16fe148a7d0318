"""Labels that another field lists, labels of another language, and words among numbers that are values."""

from __future__ import annotations

import pytest

from tests.extract.pages import learned, word


def goods(rows: dict[str, str]) -> str:
    shown = "".join(f"<tr><td class=f1>[{name}]</td><td>{value}</td></tr>" for name, value in rows.items())
    return f"<html><body><h1>Goods</h1><table><tr><th colspan=2>Form</th></tr>{shown}</table></body></html>"


def test_the_name_of_a_tables_row_leads_to_its_value_though_another_field_lists_the_names() -> None:
    def fields(rows: dict[str, str]) -> dict[str, object]:
        listed = [{"name": f"[{name}]", "value": value} for name, value in rows.items()]
        return {"size": rows["size"], "attributes": listed}

    samples = [{"size": f"{n}×7×9 mm", "weight": f"{400 + n} g", "origin": word(n)} for n in (3, 4)]
    more = [{"size": f"{n}×7×9 mm", "weight": f"{400 + n} g"} for n in range(10, 20)]
    more += [{"weight": f"{400 + n} g", "origin": word(n)} for n in range(20, 30)]
    wrapper = learned([(goods(rows), fields(rows)) for rows in samples], list(map(goods, more)))
    assert wrapper.extract(goods({"weight": "431 g", "power": "20 W"}))["size"] is None
    assert wrapper.extract(goods({"origin": "here", "size": "2×2×2 mm"}))["size"] == "2×2×2 mm"


def job(experience: str) -> str:
    return f"<html><body><h1>Job</h1><p><span class=experience>{experience}</span><b>full time</b></p></body></html>"


@pytest.mark.parametrize(
    ("spans", "is_value"),
    [
        (["1-3 年", "3-5 年", "5-10 年"], True),
        (["08:30-17:30", "09:00-18:00", "08:00-16:30"], True),
        ([f"{n}00 元" for n in range(1, 15)], False),
    ],
    ids=["a choice among few", "times", "a price"],
)
def test_a_word_beside_a_few_spans_again_and_again_is_a_choice(spans: list[str], is_value: bool) -> None:
    samples = [(job(span), {"experience": span}) for span in spans[:2]]
    wrapper = learned(samples, [job(spans[n % len(spans)] if n % 4 else "经验不限") for n in range(20)])
    assert wrapper.extract(job("经验不限"))["experience"] == ("经验不限" if is_value else None)


def test_a_name_with_a_masked_number_is_no_number() -> None:
    samples = [(job(name), {"user": name}) for name in ("u***40", "u***46")]
    wrapper = learned(samples, [job(f"u***{n}" if n % 4 else "Anonymous") for n in range(20, 40)])
    assert wrapper.extract(job("Anonymous"))["user"] == "Anonymous"


def test_a_field_of_one_sample_is_what_stands_behind_its_label_in_whatever_row() -> None:
    """Addresses that count rows agree with each other where the row is another one."""

    def page(n: int, *heat: str) -> str:
        rows = [("Time", f"{n} min"), ("Level", word(n)), ("For", f"{n % 6 + 1} people")][: 2 + n % 4 % 2]
        rows += [("Heat", f"{one} kcal") for one in heat]
        cells = enumerate(f"<th>{name}</th><td class=col1>{text}</td>" for name, text in rows)
        shown = (f"<tr class=row{k}>{both}</tr>" for k, both in cells)
        return f"<html><body><h1>{word(n)}</h1><table class=inline>{''.join(shown)}</table></body></html>"

    samples = [(page(1, "300"), {"heat": "300 kcal", "people": "2 people"}), (page(3), {"people": "4 people"})]
    wrapper = learned(samples, [page(n, *([f"{n}00"] if n % 3 else [])) for n in range(10, 40)])
    for n in (4, 5, 6, 7):
        assert wrapper.extract(page(n, "120"))["heat"] == "120 kcal"
        assert wrapper.extract(page(n))["heat"] is None


KITCHENS = ("Sichuan", "Canton", "Hunan", "Shandong", "home")


@pytest.mark.parametrize("form", ["menu", "footer"])
def test_a_value_that_both_samples_share_is_read_behind_its_label_not_from_what_all_pages_have(form: str) -> None:
    """Menus show it in so many elements that the record's place comes after hundreds of addresses."""

    def page(n: int, kitchen: str) -> str:
        items = enumerate(f"<div class=i><a href=/x>{one}</a></div>" for one in KITCHENS)
        links = "".join(f"<li class='l{k}'>{one}</li>" for k, one in items)
        boxes = "<div class='a b c'><div class='d e f'><div class='g h i'><div class='j k l'>"
        inner = f"{boxes}<ul class='m n'>{links}</ul></div></div></div></div>"
        menu = "".join(f"<nav class='n{k}'>{inner}</nav>" for k in range(3)) if form == "menu" else ""
        row = f"<tr><th>Kitchen</th><td>{kitchen}</td></tr>"
        if form == "footer":  # an older template writes the row otherwise
            row = row if n % 2 else f"<tr><td><b>Kitchen:</b></td></tr><tr><td>{kitchen}</td></tr>"
            row = row.replace("Kitchen<", "Kitchen:<")
        foot = f"<p>Owner: {KITCHENS[0]}</p>" if form == "footer" else ""
        return f"<html><body>{menu}<h1>{word(n)}</h1><table>{row}</table>{foot}</body></html>"

    samples = [(page(n, KITCHENS[0]), {"kitchen": KITCHENS[0]}) for n in (1, 2)]
    wrapper = learned(samples, [page(n, KITCHENS[n % 5]) for n in range(10, 40)])
    assert [wrapper.extract(page(n, one))["kitchen"] for n, one in enumerate(KITCHENS)] == list(KITCHENS)


def document(n: int, agency: str, number: str) -> str:
    """In one of two templates, with a title that begins with the agency on every other page."""
    rows = [("Agency:", agency), ("Number:", number), ("Date:", f"2024-1-{n % 28 + 1}")]
    table = "".join(f"<tr><td>{label}</td><td>{text}</td></tr>" for label, text in rows)
    items = "".join(f"<li><b>{label}</b>{text}</li>" for label, text in rows)
    title = f"{agency} on issuing {word(n)}" if n % 4 < 2 else f"{agency} on work with {word(n)}"
    shown = f"<table>{table}</table>" if n % 2 else f"<ul>{items}</ul>"
    return f"<html><head><meta name=title content='{title}'></head><body>{shown}<p>{title}</p></body></html>"


def test_in_two_templates_values_stand_next_to_their_labels() -> None:
    agencies = [f"{word(n)} Office" for n in range(9)]
    fields = [{"agency": agencies[n], "number": f"no. {word(n + 3)}"} for n in (4, 5)]
    samples = [(document(n, one["agency"], one["number"]), one) for n, one in zip((4, 5), fields, strict=True)]
    more = [document(n, agencies[n % 9], f"no. {word(n)}" if n % 3 else "") for n in range(10, 40)]
    wrapper = learned(samples, more)
    for n in (6, 7):
        found = wrapper.extract(document(n, agencies[1], ""))
        assert (found["agency"], found["number"]) == (agencies[1], None)

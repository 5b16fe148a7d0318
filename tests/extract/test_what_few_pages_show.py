"""What neither sample shows, and few further pages do: several items, unlinked ones, labels met twice, sections."""

from __future__ import annotations

import pytest

from tests.extract.pages import ONE, OTHER, learned

NAMES = ("Thor", "Odin", "Loki", "Freya", "Hel", "Tyr", "Ran", "Sif")


def shown(name: str, label: str, said: str, besides: str = "") -> str:
    """A page with what stands behind a label, "" for nothing."""
    told = f"<dl><dt>{label}</dt><dd>{said}</dd></dl>" if said else ""
    return f"<html><body><h1>{name}</h1><div class=about>{told}<p>{OTHER}</p></div>{besides}<i>end</i></body></html>"


def since(name: str, said: str, *later: str) -> str:
    """A page that says since when a thing is there, and under its parts since when these are."""
    own = f"<dl><dt><b>Since:</b></dt><dd>{said}</dd></dl>" if said else ""
    parts = "".join(f"<h3>part</h3><dl><dt><b>Since:</b></dt><dd>{one}</dd></dl>" for one in later)
    return (
        f"<html><body><h1>{name}</h1><div class=summary><p>{ONE}</p>{own}</div><div class=parts>{parts}</div>"
        "</body></html>"
    )


def test_a_label_that_one_page_of_many_has_twice_leads_to_the_value_in_its_box_alone() -> None:
    samples = [
        (since("Thor", "3.1"), {"name": "Thor", "since": "3.1"}),
        (since("Odin", "2.0"), {"name": "Odin", "since": "2.0"}),
    ]
    more = [since(f"{name} {n}", f"{n}.{n}") for n in range(1, 3) for name in NAMES]
    wrapper = learned(samples, [*more, since("Hermod", "1.2", "1.4")])
    assert not wrapper.extract(since("Baldr", "", "2.5"))["since"]
    assert wrapper.extract(since("Baldr", "2.4", "2.5"))["since"] == "2.4"


def built(name: str, *rows: tuple[str, str]) -> str:
    told = "".join(f"<tr><td><code>{sign}</code>{said}</td></tr>" for sign, said in rows)
    return f"<html><body><h1>{name}</h1><table><tr><th>Constructor</th></tr>{told}</table></body></html>"


@pytest.mark.parametrize("seen", [0, 2])
def test_what_a_few_rows_have_twice_is_read_whole_though_no_page_seen_has_any_such(seen: int) -> None:
    block = "<div class=block>{}</div>".format
    samples = [
        (
            built(name, (f"{name}()", block(text))),
            {"name": name, "constructors": [{"signature": f"{name}()", "desc": text}]},
        )
        for name, text in (("Thor", ONE), ("Odin", OTHER))
    ]
    plain = [built(name, *((f"{name}({n})", block(f"{ONE} {n}")) for n in range(4))) for name in NAMES[2:]]
    twice = [built(f"{name}2", (f"{name}2()", block("Deprecated.") + block(OTHER))) for name in NAMES[2 : 2 + seen]]
    found = learned(samples, [*plain, *twice]).extract(built("Hel", ("Hel()", block("Deprecated.") + block(ONE))))
    assert found["constructors"] == [{"signature": "Hel()", "desc": f"Deprecated. {ONE}"}]


def code_of(name: str, shown: str, keywords: str | None = None) -> str:
    """A page that says its name in the heading and, at times shorter, in its first line of code and in its head."""
    meta = f'<meta name=keywords content="{keywords}">' if keywords is not None else ""
    return (
        f"<html><head>{meta}</head><body><div class=bar>x</div><h1>{name}</h1>"
        f"<p><span class=code><b>procedure</b> {shown}<i>(</i></span></p><p>{OTHER}</p></body></html>"
    )


def test_data_that_say_something_else_than_the_heading_are_no_title() -> None:
    """The album is the song's name on both samples."""
    samples = [(code_of(name, "x", name), {"album": name}) for name in ("Sleep", "Wake")]
    more = [code_of(name, "x", None if n % 4 == 0 else f"Album {n}") for n, name in enumerate(NAMES)]
    assert learned(samples, more).extract(code_of("Hel", "x", "Album 9"))["album"] == "Album 9"

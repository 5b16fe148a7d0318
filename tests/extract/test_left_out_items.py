"""A list of which a person gave some items only; and texts among a list's items that are none."""

from __future__ import annotations

from tests.extract.pages import learned, word


def tagged(n: int, *, first: str = "") -> str:
    shown = "".join(f"<li>{tag}</li>" for tag in [*filter(None, [first]), *tags(n)])
    return f"<html><body><h1>{word(n)} jar</h1><ul class='tags'>{shown}</ul><p>{word(n + 9)}</p></body></html>"


def tags(n: int) -> list[str]:
    """Two to four tags, "new" on every third page among them."""
    return [word(n), word(n + 1), *(["new"] if n % 3 == 0 else []), *([word(n + 2)] if n % 2 else [])]


def test_an_item_that_a_sample_leaves_out_is_read_where_others_have_it_and_is_told() -> None:
    given = [one for one in tags(33) if one != "new"]
    samples = [(tagged(33), {"tags": given}), (tagged(35), {"tags": tags(35)})]
    wrapper = learned(samples, [tagged(n) for n in range(40, 60)])  # type: ignore[arg-type]
    assert [wrapper.extract(tagged(n))["tags"] for n in (60, 61, 63)] == [tags(60), tags(61), tags(63)]
    assert any("'tags'" in told and "new" in told and "http://a.test/0" in told for told in wrapper.warnings)


def test_what_leads_every_list_and_was_never_given_is_no_item() -> None:
    samples = [(tagged(n, first="Choose a tag"), {"tags": tags(n)}) for n in (33, 35)]
    wrapper = learned(samples, [tagged(n, first="Choose a tag") for n in range(40, 60)])  # type: ignore[arg-type]
    assert [wrapper.extract(tagged(n, first="Choose a tag"))["tags"] for n in (60, 63)] == [tags(60), tags(63)]


def test_lists_of_two_layouts_are_read_each_in_its_own_and_with_nothing_of_the_menu() -> None:
    def shown(n: int) -> str:
        items = "".join(f"<li>{tag}</li>" for tag in listed(n))
        menu, name = f"<ul><li>{word(n * 7)}</li></ul>", f"<h1>{word(n)} jar</h1>"
        above = f"<ul class='tags'>{items}</ul>{name}"
        below = f"{name}<p>{word(n + 9)}</p><div><div><ul class='marks'>{items}</ul></div></div>"
        return f"<html><body>{menu}{above if n % 2 else below}</body></html>"

    def listed(n: int) -> list[str]:
        return [word(n + step) for step in range(8)]

    samples = [(shown(n), {"tags": listed(n)}) for n in (33, 34)]
    wrapper = learned(samples, [shown(n) for n in range(40, 60)])  # type: ignore[arg-type]
    assert [wrapper.extract(shown(n))["tags"] for n in (60, 61)] == [listed(60), listed(61)]

"""What a field's name says of where its value stands and how much of it is meant; and where rows begin and end."""

from __future__ import annotations

import pytest

from tests.extract.pages import ONE, OTHER, learned


def members(heading: str, rows: list[tuple[str, str, str]], *, inherited: bool = False, of: str = "pub_of_base") -> str:
    """Records of two table rows, as Doxygen writes them: what tells them apart is a class with a number."""
    also = f" inherit {of}" if inherited else ""
    shown = [
        f'<tr class="memitem:a{at}71{also}"><td align=right>{kind}&#160;</td><td><a class=el>{name}</a> ()</td></tr>'
        + (f'<tr class="memdesc:a{at}71{also}"><td>&#160;</td><td class=said>{text}</td></tr>' if text else "")
        + f'<tr class="separator:a{at}71{also}"><td colspan=2>&#160;</td></tr>'
        for at, (kind, name, text) in enumerate(rows, 10)
    ]
    return f"<table class=decls><tr class=head><td colspan=2><h2>{heading}</h2></td></tr>{''.join(shown)}</table>"


INHERITED = [("int", "rows", ""), ("int", "cols", "Says how many."), ("void", "swap", ""), ("Base", "derived", "")]


def class_page(name: str, rows: list[tuple[str, str, str]], of: str = "pub_of_base") -> str:
    types = members("Public Types", [("typedef", "Scalar", "What it holds."), ("enum", "Order", "")])
    own = members("Public Member Functions", rows).removesuffix("</table>")
    more = members("", INHERITED, inherited=True, of=of).partition("</h2></td></tr>")[2]
    return f"<body><h1>{name}</h1>{types}{own}{more}<p>end</p></body>"


def test_records_of_several_rows_under_a_heading_are_read_without_those_of_another_class() -> None:
    first = [("int", "size", "Says how large it is."), ("void", "clear", ""), ("LLT &", "solve", "Solves with LLT.")]
    second = [("bool", "info", "Says whether LDLT did well."), ("int", "rank", ""), ("", "LDLT", "Makes one.")]
    parts = ("type", "name", "text")

    def records(rows: list[tuple[str, str, str]]) -> list[dict[str, str]]:
        return [{part: text for part, text in zip(parts, row, strict=True) if text} for row in rows]

    samples = [(class_page(name, rows), {"methods": records(rows)}) for name, rows in (("A", first), ("B", second))]
    third = [("double", "norm", ""), ("void", "fit", "Fits it."), ("int", "last", "")]
    wrapper = learned(samples, [class_page("C", third), class_page("D", first[::-1])])
    assert wrapper.extract(class_page("E", third))["methods"] == records(third)
    assert wrapper.extract(class_page("F", third, of="pub_of_another"))["methods"] == records(third)


def described(rows: list[tuple[str, str]]) -> str:
    shown = (f"<tr><td class=name>{name}</td><td class=said>{text}</td></tr>" for name, text in rows)
    return f"<body><h1>x</h1><table>{''.join(shown)}</table><p>end</p></body>"


def test_the_words_of_a_link_with_which_a_sentence_begins_are_kept() -> None:
    rows = [[("size", "See below"), ("key", "The key")], [("first", "The type"), ("last", "See below")]]
    samples = [(described(some), {"members": [{"name": name, "text": text} for name, text in some]}) for some in rows]
    link = "<a href=/functors>Function object</a>"
    more = [described([(f"m{n}", f"{link} that compares two keys"), ("key", "The key")]) for n in range(4)]
    found = learned(samples, more).extract(more[0])["members"]
    assert found[0]["text"] == "Function object that compares two keys"


def entries(*rows: tuple[str, ...]) -> str:
    shown = (f"<tr>{''.join(f'<td class=e>{one} <i>{one[:1]}</i></td>' for one in row)}</tr>" for row in rows)
    return f"<body><h1>x</h1><table>{''.join(shown)}</table><p>end</p></body>"


def test_what_stands_beside_a_record_is_no_part_of_it() -> None:
    given: list[list[tuple[str, ...]]] = [[("Alpha",), ("Beta",)], [("Gamma",), ("Delta",), ("Omega",)]]
    samples = [
        (entries(*some), {"entries": [{"all": f"{row[0]} {row[0][0]}", "sign": row[0][0]} for row in some]})
        for some in given
    ]
    two: list[tuple[str, ...]] = [("Iota", "Kappa"), ("Zeta",)]
    found = learned(samples, [entries(*two), entries(("Eta",)), entries(*two[:1])]).extract(entries(*two))["entries"]
    assert [row["all"] for row in found] == ["Iota I", "Kappa K", "Zeta Z"]


def variants(*rows: tuple[str, ...]) -> str:
    shown = (f"<h3>{row[0]}</h3><div>{''.join(f'<p>{text}</p>' for text in row[1:])}</div>" for row in rows)
    return f"<body><h1>x</h1><h2>Variants</h2>{''.join(shown)}</body>"


def test_further_paragraphs_in_a_box_are_not_read_with_the_first() -> None:
    given: list[list[tuple[str, ...]]] = [
        [("One", "First."), ("Two", "Second.")],
        [("Six", "Sixth."), ("Ten", "Tenth.")],
    ]
    samples = [(variants(*some), {"variants": [{"name": name, "desc": text} for name, text in some]}) for some in given]
    more = [variants(("Nil", "None.", "It is empty."), ("Max", "Most.")), variants(("Low", "Least.", "It is low."))]
    assert learned(samples, more).extract(more[0])["variants"][0] == {"name": "Nil", "desc": "None."}


def class_since(name: str, own: str, of_methods: str) -> str:
    def told(version: str) -> str:
        return f"<dl><dt><b>Since:</b></dt><dd>{version}</dd></dl>" if version else ""

    about, method = (f"<div class={kind}><h2>{kind}</h2><p>{name}</p>" for kind in ("about", "method"))
    return f"<body><h1>{name}</h1>{about}{told(own)}</div>{method}{told(of_methods)}</div></body>"


def test_a_label_in_its_box_is_not_looked_for_outside_of_it() -> None:
    samples = [(class_since("A", "3.0", "3.4"), {"since": "3.0"}), (class_since("B", "2.0", ""), {"since": "2.0"})]
    more = [class_since(f"C{n}", f"2.{n}", "1.1" if n % 2 else "") for n in range(8)]
    wrapper = learned(samples, [*more, class_since("D", "", "1.4"), class_since("E", "", "1.5")])
    assert wrapper.extract(class_since("G", "", "3.3"))["since"] is None
    assert wrapper.extract(class_since("H", "3.2", "3.3"))["since"] == "3.2"


def post(name: str, *paragraphs: str) -> str:
    shown = "".join(f"<p>{text}</p>" for text in paragraphs)
    said = " ".join(paragraphs)[:150]
    head = f'<head><meta name="description" content="{said}"></head>'
    return f"<html>{head}<body><h1>{name}</h1><div class=body>{shown}</div><i>end</i></body></html>"


@pytest.mark.parametrize(("field", "paragraphs"), [("lead", 1), ("post_summary", 1), ("摘要", 1), ("text", 2)])
def test_of_a_summary_or_a_lead_the_first_paragraph_is_meant(field: str, paragraphs: int) -> None:
    samples = [(post("Thor", ONE), {field: ONE}), (post("Odin", OTHER), {field: OTHER})]
    more = [post("Loki", OTHER, ONE), post("Hel", ONE, OTHER, ONE), post("Tyr", ONE), post("Ran", OTHER, ONE)]
    wrapper = learned(samples, more)
    assert wrapper.extract(post("Frey", ONE, OTHER))[field] == " ".join([ONE, OTHER][:paragraphs])


def test_a_page_without_a_paragraph_has_no_summary() -> None:
    samples = [(post("Thor", ONE), {"summary": ONE}), (post("Odin", OTHER), {"summary": OTHER})]
    wrapper = learned(samples, [post("Loki", OTHER, ONE), post("Hel", ONE, OTHER, ONE), post("Tyr", ONE)])
    bare = "<html><body><h1>Ran</h1><div class=body><ul><li>One of many.</ul></div><i>end</i></body></html>"
    assert wrapper.extract(bare)["summary"] is None

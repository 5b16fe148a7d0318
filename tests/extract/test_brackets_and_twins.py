"""Lists whose items have brackets, values that begin with signs, and fields that have the values of another one."""

from __future__ import annotations

import pytest

from gwc_crawler.extract.fields import split_outside
from tests.extract.pages import learned, word


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Map<K,V>,Set", ["Map<K,V>", "Set"]),
        ("f(a, b[1,2]),g", ["f(a, b[1,2])", "g"]),
        ("桂(广西,云南),兰", ["桂(广西,云南)", "兰"]),
        (">= 3,<= 5", [">= 3", "<= 5"]),
        ("numpy<2,scipy>1.0,rich", ["numpy<2", "scipy>1.0", "rich"]),
        ("<4,>=3.8", ["<4", ">=3.8"]),
        ("a <- b,c -> d", ["a <- b", "c -> d"]),
        ("Fn<&'a T, U>,Vec<u8>", ["Fn<&'a T, U>", "Vec<u8>"]),
        ("a (b,c", ["a (b", "c"]),
        ("a) b,c (d", ["a) b", "c (d"]),
        ("", [""]),
    ],
)
def test_a_text_is_split_outside_its_brackets(text: str, parts: list[str]) -> None:
    assert split_outside(text, ",") == parts


def test_a_text_of_brackets_is_split_in_one_pass() -> None:
    assert len(split_outside("(" * 100_000 + "]" * 100_000 + ",", ",")) == 2


def of_java(name: str, label: str, text: str) -> str:
    return f"<body><h1>{name}</h1><dl><dt>{label}</dt><dd>{text}</dd></dl><p>end</p></body>"


def test_what_stands_in_brackets_is_one_item() -> None:
    label = "All Implemented Interfaces:"
    samples = [
        (of_java("Reader", label, "Closeable, AutoCloseable"), {"interfaces": ["Closeable", "AutoCloseable"]}),
        (of_java("Random", label, "Serializable, Copyable"), {"interfaces": ["Serializable", "Copyable"]}),
    ]
    wrapper = learned(samples, [of_java(word(n), label, "Closeable, Cloneable") for n in range(6)])
    found = wrapper.extract(of_java("HashMap", label, "Serializable, Map&lt;K, V&gt;"))
    assert found == {"interfaces": ["Serializable", "Map<K, V>"]}


def test_a_label_that_ends_in_a_fields_name_leads_to_no_sentence_where_others_are_names() -> None:
    label, other = "All Implemented Interfaces:", "Functional Interface:"
    remark = "This is a functional interface and can therefore be used as the target for a lambda expression."
    fields = {"interfaces": ["Closeable", "Cloneable"]}
    samples = [(of_java(name, label, "Closeable, Cloneable"), fields) for name in ("A", "B")]
    more = [of_java(word(n), label, "Closeable, Cloneable") for n in range(6)]
    wrapper = learned(samples, [*more, of_java("Callable", other, remark)])
    assert wrapper.extract(of_java("Runnable", other, remark)) == {"interfaces": []}


def package(name: str, *needs: tuple[str, str]) -> str:
    rows = "".join(f"<li><dl><dt><span>dep:</span> <a>{one}</a> {version}</dt></dl></li>" for one, version in needs)
    return f"<body><h1>{name}</h1><ul class=needs>{rows}</ul></body>"


def test_signs_alone_are_no_label() -> None:
    """Most versions begin with "(>=", some with "(=" and "(<<"."""
    first = [("libc", "(>= 2.34)"), ("lib-gl", ""), ("mango", "(>= 4~beta)")]
    other = [("libx", "(>= 7.1)"), ("png", "(>= 3.0)")]

    def fields(rows: list[tuple[str, str]]) -> dict[str, object]:
        return {"needs": [{"name": one} | ({"version": version} if version else {}) for one, version in rows]}

    more = [package(word(n), ("libc", f"(>= 2.{n})"), ("gcc", ""), (word(n), f"(= 1.{n})")) for n in range(10)]
    wrapper = learned([(package("A", *first), fields(first)), (package("B", *other), fields(other))], more)
    rows = [("libc", "(= 2.1)"), ("gcc", ""), ("qt", "(<< 6)")]
    assert wrapper.extract(package("C", *rows)) == fields(rows)


def test_what_is_called_as_the_field_is_but_gives_a_text_cut_off_is_not_taken_for_it() -> None:
    def shown(title: str) -> str:
        short = f"{title[:20]}…" if len(title) > 20 else title
        return f"<body><h1 class=heading>{title}</h1><b class=model-name>{short}</b></body>"

    samples = [(shown(title), {"title": title, "model": title}) for title in ("Sasapo One", "Tesazo Two")]
    wrapper = learned(samples, [shown(" ".join(word(n + k) for k in range(2 + n % 3))) for n in range(12)])
    long = "Sasapo Tesazo Visaku Zosaru"
    assert wrapper.extract(shown(long)) == {"title": long, "model": long}


def plant(name: str, use: str, *varieties: str) -> str:
    head = "<tr><th>Name</th><th>Latin</th><th>Note</th></tr>"
    rows = "".join(f"<tr><td>{one}</td><td>var. {one}</td><td></td></tr>" for one in varieties)
    table = f"<h2><span>Varieties</span></h2><table>{head}{rows}</table>" if varieties else ""
    text = f"<h2><span>Use</span></h2><p>{use}</p>" if use else ""
    return f"<body><h1>{name}</h1><h2><span>Form</span></h2><p>{name[::-1]}.</p>{table}{text}<p>end</p></body>"


def test_what_follows_a_table_is_rather_under_its_heading_than_behind_the_header_row() -> None:
    samples = [
        (plant("Rosa", "For tea.", "alba", "rubra"), {"use": "For tea."}),
        (plant("Malus", ""), {}),
    ]
    more = [plant(word(n), f"For {word(n)}s.", *(["alba"] if n % 2 else [])) for n in range(4)]
    more += [plant(word(n), "") for n in range(4, 20)]
    wrapper = learned(samples, more)
    assert wrapper.extract(plant("Tea", "To eat."))["use"] == "To eat."

"""A knowledge file loads whole and serves, or is refused with file and key: known damages, and random ones."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from gwc_crawler.demo.mall import Mall
from gwc_crawler.demo.mall_server import KEYWORDS, choose_samples
from gwc_crawler.errors import KnowledgeError
from gwc_crawler.extract.record import extract_record
from gwc_crawler.extract.wrapper import Wrapper
from gwc_crawler.knowledge.checked_json import check
from gwc_crawler.knowledge.form import READ, attribute, xpath
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.learn.site import learn_site
from gwc_crawler.learn.targets.task import LearnTask
from gwc_crawler.operate.drift import expected_coverage
from gwc_crawler.page.reader import PageReader
from tests.learn.mall_crawl import ORIGIN, precrawl_mall


@cache
def learned(mode: str) -> tuple[str, tuple[tuple[str, bytes], ...]]:
    """The knowledge file of the demo mall, as it is written, and some pages to try it on."""
    mall = Mall(2, 30)
    samples: Any = tuple(
        (ORIGIN + path, {name: value for name, value in mall.records[path].items() if value is not None})
        for path in choose_samples(mall)
    )
    pages = precrawl_mall(mall, KEYWORDS, pages=60)
    task = LearnTask("mall", (f"{ORIGIN}/",), KEYWORDS, samples, mode=mode, max_weight=3)
    knowledge = asdict(learn_site(task, pages))
    knowledge["types"] = {"price": "price", "reviews.date": "date"}
    knowledge["paging"] = {
        "reviews": {"regex": ORIGIN + r"/p/[0-9]+/c-[0-9]+", "cut": "/c-([0-9]+)", "parent_number": 0}
    }
    knowledge["ignored_segments"] = {"/s-[0-9a-f]+": ""}
    knowledge["ignored_query_keys"] = ["sid", "http://a/p/[0-9]+?from"]
    return (
        json.dumps(knowledge, ensure_ascii=False, indent=2),
        tuple((ORIGIN + path, page.body) for path in list(mall.records)[:2] if (page := mall.page(path))),
    )


def loaded(body: bytes | str) -> Knowledge:
    return Knowledge.from_bytes(body.encode() if isinstance(body, str) else body, "data/shop/knowledge.json")


def put_to_use(knowledge: Knowledge, pages: tuple[tuple[str, bytes], ...]) -> None:
    """All that a crawl does by it."""
    reader = PageReader(knowledge)
    expected_coverage(knowledge)
    knowledge.record_shape(["title", "reviews"])
    for url, body in pages:
        page = reader.read(url, body, "text/html")
        knowledge.continuation(f"{url}/c-2")
        if knowledge.wrapper:  # a site without fields has none
            extract_record(page, knowledge)


@pytest.mark.dear
def test_what_learning_writes_loads_and_serves() -> None:
    for mode in ("best", "paper"):
        text, pages = learned(mode)
        knowledge = loaded(text)
        assert json.loads(json.dumps(asdict(knowledge))) == json.loads(text)
        assert Wrapper.from_json(knowledge.wrapper).fields
        put_to_use(knowledge, pages)


def replaced(old: str, new: str) -> Callable[[str], str]:
    def damage(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return damage


def changed(*path: Any, to: Any) -> Callable[[str], str]:
    def damage(text: str) -> str:
        data = json.loads(text)
        inner = data
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = to
        return json.dumps(data, indent=2)

    return damage


DAMAGES: dict[str, tuple[Callable[[str], str | bytes], str]] = {
    "empty": (lambda _: "", r":1: is empty"),
    "white space": (lambda _: "\n \n", r":3: is empty"),
    "binary": (lambda text: text.encode()[:200] + b"\xff\xfe\x00", r":\d+: byte 0xff is not UTF-8"),
    "truncated": (lambda text: text[: len(text) // 2], r":\d+: is no JSON"),
    "a list": (lambda _: "[]", r": Expected `object`, got `array`"),
    "a text": (lambda _: '"x"', r": Expected `object`, got `str`"),
    "100,000 brackets": (lambda _: "[" * 100_000, r": more than 60"),
    "100,000 objects": (lambda _: '{"a":' * 100_000, r": more than 60"),
    "brackets in the evidence": (
        changed("evidence", "deep", to=json.loads("[" * 100 + "]" * 100)),
        r": evidence\.deep.*: more than 60",
    ),
    "900 brackets that close": (
        replaced('"max_weight": 3', f'"max_weight": {"[" * 900}{"]" * 900}'),
        r": max_weight\[0\]\[0\]\[0\]: more than 60",
    ),
    "NaN": (replaced('"max_weight": 3', '"max_weight": NaN'), r": max_weight: is no number"),
    "Infinity": (replaced('"max_weight": 3', '"max_weight": -Infinity'), r": max_weight: is no number"),
    "1e999": (replaced('"max_weight": 3', '"max_weight": 1e999'), r": max_weight: is no number"),
    "5,000 digits": (replaced('"max_weight": 3', f'"max_weight": {"9" * 5000}'), r": max_weight: is no number"),
    "a huge number": (changed("max_weight", to=10**30), r": max_weight: Expected `int` <= 1073741824"),
    "half a character": (replaced('"learned_at": ""', '"learned_at": "\\ud800"'), r": learned_at: .*half a char"),
    "a key twice": (replaced('"site": "mall"', '"site": "mall",\n"mode": "best"'), r": mode: stands there twice"),
    "a key twice, inside": (
        replaced('"kind": "best"', '"kind": "best",\n"kind": "best"'),
        r": wrapper\.fields\.\w+\.kind: stands there twice",
    ),
    "an unknown key": (
        replaced('"mode"', '"mood"'),
        r": Object contains unknown field `mood` \(did you mean 'mode'\?\)",
    ),
    "no version": (
        replaced('"version": 1\n}', '"learned": 1\n}'),
        ": Object contains unknown field `learned` \\(did you mean 'learned_at'",
    ),
    "an older version": (changed("version", to=0), r": version: Expected `int` >= 1"),
    "a newer version": (changed("version", to=2), r": version: 2 is newer than this program.*update"),
    "true for a number": (changed("max_weight", to=True), r": max_weight: Expected `int`, got `bool`"),
    "null for a list": (changed("targets", to=None), r": targets: Expected `array`, got `null`"),
    "a text for a class": (changed("targets", to=["x"]), r": targets\[0\]: Expected `object`, got `str`"),
    "no regex": (
        changed("targets", 0, "regex", to="("),
        r": targets\[0\]\.regex: '\(' is no regular expression",
    ),
    "a regex that repeats too often": (
        changed("targets", 0, "regex", to="a{99999999999999999999}"),
        r": targets\[0\]\.regex: .* is no regular expression",
    ),
    "a regex of 100,000 brackets": (
        changed("targets", 0, "regex", to="(" * 100_000),
        r": targets\[0\]\.regex: .* is no regular expression",
    ),
    "a regex without end": (
        changed("targets", 0, "regex", to="http://(?:[a-z]+)+/"),
        r": targets\[0\]\.regex: .*repeats a repetition, '\(\?:\[a-z\]\+\)\+'",
    ),
    "filters that do not go together": (
        changed("targets", to=[{"regex": "(?P<a>x)"}, {"regex": "(?P<a>y)"}]),
        r": targets: the regular expressions do not go together",
    ),
    "a regex that Python warns of": (
        changed("targets", 0, "regex", to="[[a]"),
        r": targets\[0\]\.regex: .*nested set",
    ),
    "a share of nothing": (
        changed("page_check", to={"most_forbidden": 0}),
        r"page_check\.most_forbidden: Expected `float` > 0",
    ),
    "flags inside": (changed("targets", 0, "regex", to="(?i)x"), r"targets\[0\]\.regex: .*no regular expression"),
    "a page number without group": (changed("paging", "reviews", "cut", to="/c"), r"paging\.reviews\.cut: .* 0 groups"),
    "no XPath": (
        changed("wrapper", "fields", "title", "finders", 0, to={"family": "id", "path": "//["}),
        r": wrapper\.fields\.title\.finders\[0\]\.path: '//\[' is no XPath",
    ),
    **{
        f"the path {xpath}": (
            changed("wrapper", "fields", "title", "finders", 0, to={"family": "id", "path": xpath}),
            r": wrapper\.fields\.title\.finders\[0\]\.path: .* " + says,
        )
        for xpath, says in {
            "//dt[foo(.)]": r"calls the unknown function 'foo' \(did you mean 'floor'\?\)",
            "//dt[normalise-space (.)='a']": r"function 'normalise-space' \(did you mean 'normalize-space'\?\)",
            "//dt/following-sibling::txt()": "is no XPath",
            "//dt[re:test(., 'x')]": r"calls the unknown function 're:test' \(known functions: boolean, ",
            "//dt[$x]/a | $y": r"has the variable \$x, which nothing gives a value",
            "//o:p": "has the unknown namespace prefix 'o'",
            "count(//dt)": "gives a number, has to select elements, texts or attributes",
            "string(//h1)": "gives a text, has to select",
            "1+1": "gives a number, has to select",
            "not(//h1)": "gives true or false, has to select",
        }.items()
    },
    **{
        f"to read {read}": (
            changed("wrapper", "fields", "title", "finders", 0, to={"family": "id", "path": "//a", "read": read}),
            r": wrapper\.fields\.title\.finders\[0\]\.read: '.*': " + says,
        )
        for read, says in {
            "after:lik": r"'lik' is neither 'like' nor an element of HTML \(did you mean 'li(?:ke|nk)'\?\)",
            "each after:h2,tabel": r"'tabel' is neither .*did you mean 'table'",
            "after:H2": r"'H2' is neither .*did you mean 'h2'",
            "after:h2,": r"'' is neither .*such as 'h2'",
        }.items()
    },
    **{
        f"records with another field in {key}": (
            changed("wrapper", "fields", "reviews", "ways", 0, key, to=["text", "autor"]),
            rf": .*reviews\.ways\[0\]\.{key}\[1\]: 'autor' is no field .*did you mean 'author'",
        )
        for key in ("must", "always")
    },
    "an unknown family": (
        changed("wrapper", "fields", "title", "finders", 0, to={"family": "ids", "path": "//a"}),
        r".*family: Expected `str` matching regex '.*\(\?:id\|class\|.*\|structured\)\\\\Z'; ",
    ),
    "an unknown shape": (
        changed("wrapper", "fields", "title", "shape", to="texts"),
        r".*shape: Expected `str` matching regex '.*\(\?:text\|list\)\\\\Z'; ",
    ),
    "an unknown mode": (
        changed("mode", to="good"),
        r".*mode: Expected `str` matching regex '.*\(\?:best\|paper\)\\\\Z'; ",
    ),
    "no way of reading": (
        changed("wrapper", "fields", "title", "finders", 0, to={"family": "id", "path": "//a", "read": ""}),
        r"finders\[0\]\.read: Expected `str` matching regex",
    ),
    "no locator": (
        changed("wrapper", "fields", "title", "finders", to=[]),
        r"finders: Expected `array` of length >= 1",
    ),
    "an unknown rule": (
        changed("wrapper", "fields", "title", "kind", to="magic"),
        r"title\.kind: Expected `str` matching regex '.*\(\?:best\|records\|paper\|selected\)",
    ),
    "no rule": (
        changed("wrapper", "fields", "title", to=None),
        r"wrapper\.fields\.title: Expected `object`, got `null`",
    ),
    "an unknown type": (changed("types", "price", to="money"), r": types\.price: 'money' has an unknown type 'money'"),
    "a key where no regex matches": (
        changed("ignored_query_keys", to=["(?ref"]),
        r"ignored_query_keys\[0\]: .*no regular",
    ),
    "a session that is no regex": (changed("ignored_segments", to={"(": ""}), r"ignored_segments\.\(: .*no regular"),
    "keywords": (changed("keywords", to="a &&"), r": keywords: "),
    "a coverage in words": (
        changed("evidence", "fields", "title", "coverage", to="all"),
        r"title\.coverage: Expected `float \| null`, got `str`",
    ),
}


@pytest.mark.parametrize("description", DAMAGES)
def test_a_damage_is_named_with_file_and_key(description: str) -> None:
    damage, expected = DAMAGES[description]
    with pytest.raises(KnowledgeError) as refused:
        loaded(damage(learned("best")[0]))
    assert re.match(r"data/shop/knowledge\.json(?:: .*)?" + expected, str(refused.value))
    assert "\n" not in str(refused.value)


def test_the_path_leads_through_keys_that_a_person_chose() -> None:
    text = changed("wrapper", "fields", "title", "finders", 0, to={"family": "id", "path": 7})(learned("best")[0])
    with pytest.raises(
        KnowledgeError, match=r"json: wrapper\.fields\.title\.finders\[0\]\.path: Expected `str`, got `int`; "
    ):
        loaded(text)


def test_a_byte_order_mark_is_an_editors_and_no_damage() -> None:
    text, _ = learned("best")
    assert loaded(b"\xef\xbb\xbf" + text.encode()) == loaded(text)


def test_a_directory_and_what_may_not_be_read_are_named(tmp_path: Path) -> None:
    (tmp_path / "knowledge.json").mkdir()
    with pytest.raises(KnowledgeError, match=r"knowledge\.json: can't be read \(Is a directory\); move it away"):
        Knowledge.load(tmp_path / "knowledge.json")
    with pytest.raises(KnowledgeError, match=r"wrapper\.json:1: is no JSON"):
        (tmp_path / "wrapper.json").write_text("{")
        Wrapper.load(tmp_path / "wrapper.json")


@pytest.mark.dear
@pytest.mark.parametrize(
    ("mode", "times"),
    [
        ("best", 200),
        ("paper", 100),
        pytest.param("best", 10_000, marks=pytest.mark.slow),
        pytest.param("paper", 10_000, marks=pytest.mark.slow),
    ],
)
def test_any_damage_is_refused_in_one_line_or_does_no_harm(mode: str, times: int) -> None:
    text, pages = learned(mode)
    random = Random(times)
    refused = 0
    for _ in range(times):
        body = damaged(text, random)
        try:
            knowledge = loaded(body)
        except KnowledgeError as error:
            refused += 1
            assert re.match(r"data/shop/knowledge\.json:(\d+:)? ", str(error)), error
            continue
        put_to_use(knowledge, pages[:1])
    assert times / 4 < refused < times


def damaged(text: str, random: Random) -> bytes:
    """Something is gone, twice, cut off, of another type, or another letter."""
    way = random.randrange(10)
    if way == 0:
        return text.encode()[: random.randrange(len(text))]
    if way == 1:
        place = random.randrange(len(text))
        return (text[:place] + random.choice('{}[]",:0ax\\\n\x00é') + text[place + random.randrange(2) :]).encode()
    if way == 2:
        lines = text.splitlines()
        place = random.randrange(len(lines))
        lines[place : place + random.randrange(2)] = [lines[place]] * random.randrange(3)
        return "\n".join(lines).encode()
    if way == 3:
        body = bytearray(text.encode())
        body[random.randrange(len(body))] = random.randrange(256)
        return bytes(body)
    data = json.loads(text)
    for _ in range(random.choice((1, 1, 1, 2, 5))):
        damage_value(data, random)
    return json.dumps(data, ensure_ascii=False, indent=1).encode()


VALUES: tuple[Any, ...] = (None, True, 0, -1, 1.5, 10**40, "", "x", "[", "(a", "//", "@", [], ["x"], [[]], {}, {"x": 1})


def damage_value(data: Any, random: Random) -> None:
    holders = list(walk(data))
    holder, key = random.choice(holders)
    way = random.randrange(4)
    if way == 0:
        del holder[key]
    elif way == 1 and isinstance(holder, list):
        holder.insert(key, copy.deepcopy(holder[key]))
    elif way == 2:
        other, name = random.choice(holders)
        holder[key] = copy.deepcopy(other[name])
    else:
        holder[key] = copy.deepcopy(random.choice(VALUES))


def walk(value: Any) -> list[tuple[Any, Any]]:
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [found for key in keys for found in [(value, key), *walk(value[key])]]


@pytest.mark.parametrize(
    "value",
    [
        """//p[.="foo(x)" or (a) and(b)]/following-sibling::text()[normalize-space()][1]""",
        "(//dt[position() > 1 and contains(concat(' ',@class,' '),' a ')] | id('x')/a)/@href",
        "./preceding::h2[1]/node()[not(self::comment()) and count (a) mod (2) = 1]",
        ".",
        "/..",
    ],
)
def test_what_selects_nodes_is_a_path(value: str) -> None:
    xpath(value)


@pytest.mark.parametrize("value", ["after:like", "after:-", "each after:h2,main,svg,my-box", "after:o:p", "@after:x"])
def test_a_section_ends_at_any_element_or_at_none(value: str) -> None:
    check(value, READ)


@pytest.mark.parametrize("name", ["", "{", "{x}", "\0", "\ud800"])
def test_what_is_no_attribute_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="is no attribute's name"):
        attribute(name)

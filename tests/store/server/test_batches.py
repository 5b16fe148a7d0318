"""Batches as bytes: what goes in comes out."""

from __future__ import annotations

import gzip
import json

import pytest

from gwc_crawler.store.server.units import REPLACEMENT, Damaged, decode, encode, in_encoding, packed, readable

HEAD_LINE = {"form": "pages", "site": "books"}
UNIT = {"url": "https://a.example/书", "body": "黑🙂 end ", "stripped_html": "", "html": b"<p>", "links": ["x"]}


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-8"])
def test_units_come_back_with_their_contents_packed_as_the_server_unpacks_them(encoding: str) -> None:
    told = {**HEAD_LINE, "encoding": encoding}
    body, replaced = encode(told, [UNIT, {**UNIT, "html": None}, {"url": "an item", "record": {}}])
    head, units = decode(body)
    assert (head, replaced, units[2]) == (told, 0, {"url": "an item", "record": {}})
    assert gzip.decompress(units[0]["body"]).decode(encoding) == UNIT["body"]
    assert gzip.decompress(units[0]["html"]) == UNIT["html"]
    assert units[0]["stripped_html"] is units[1]["html"] is None
    assert units[0]["links"] == ["x"]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-8"])
def test_what_is_made_readable_can_be_packed_again(encoding: str) -> None:
    unit = packed(UNIT, encoding)[0]
    told = json.loads(json.dumps(readable(unit, encoding)))
    assert (told["body"], told["stripped_html"]) == (UNIT["body"], "")
    assert packed(told, encoding)[0] == unit


@pytest.mark.parametrize(("end", "encoding"), [(" end", "ascii"), (" é", "utf-16-le"), ("\0", "utf-16-le")])
def test_for_a_sql_server_a_page_without_other_characters_is_packed_in_ascii(end: str, encoding: str) -> None:
    given = {**UNIT, "body": "end", "stripped_html": f"<p>end{end}"}
    unit = decode(encode(HEAD_LINE, [given])[0])[1][0]
    assert unit.get("encoding", "utf-16-le") == encoding
    assert gzip.decompress(unit["body"]) == "end".encode(encoding)
    assert readable(unit)["stripped_html"] == f"<p>end{end}".replace("\0", REPLACEMENT)
    assert "encoding" not in packed(given, "utf-8")[0]


def test_a_batch_of_an_older_release_is_taken_in_the_encoding_that_its_server_reads() -> None:
    _, units = decode(encode(HEAD_LINE, [UNIT, {"url": "an item", "record": {}}])[0])
    assert in_encoding(units, "utf-16-le", "utf-8") == [packed(UNIT, "utf-8")[0], units[1]]
    assert in_encoding(units, "utf-16-le", "utf-16-le") is units


def test_characters_that_no_server_keeps_are_replaced_and_counted_wherever_they_stand() -> None:
    body, replaced = encode(HEAD_LINE, [{**UNIT, "url": "a\0", "body": "b\0c\ud800", "stripped_html": "\0"}])
    unit = readable(decode(body)[1][0])
    kept = f"a{REPLACEMENT}", f"b{REPLACEMENT}c{REPLACEMENT}", REPLACEMENT
    assert (unit["url"], unit["body"], unit["stripped_html"]) == kept
    assert replaced == 4


def test_a_file_is_whole_or_damaged() -> None:
    whole, _ = encode(HEAD_LINE, [UNIT])
    for content in (whole[:-1] + b"x", b"short", whole + b"x"):
        with pytest.raises(Damaged):
            decode(content)

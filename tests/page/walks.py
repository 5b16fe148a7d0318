"""The walks in C beside the Python code they stand for: `python -m tests.page.walks DIR… [--odd N]`.

Every file below the directories is read as a page, then N pages drawn from them are changed at random and read, too.
All that is asked of a page has to be the same; the first pages where it is not are named, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from lxml import etree

from gwc_crawler.extract import locator, page_check
from gwc_crawler.learn.kinds import stand_ins
from gwc_crawler.page import outline, parse, strip, text
from gwc_crawler.page.strip import ALL_GROUPS, StripOptions
from gwc_crawler.page.walks import walk

MODULES = (text, outline, strip, locator, page_check, parse, stand_ins)
SOME_GROUPS = StripOptions.of(["scripts", "head", "nav"])
NONE_EMPTY = StripOptions.of(["empty", "scripts", "style"])
PIECES = (
    *(
        b"<p>",
        b"<a href=x>",
        b"<title>",
        b"</p>",
        b"<div>",
        b"<svg:a>",
        b"<br>",
        b"<li>",
        b"<h1>",
        b"<head>",
        b"</head>",
    ),
    *(b"\0", b"\xff", b"\xc2\xa0", b"\xe3\x80\x80", b"\xe2\x80\x83", b"\x7f", b"\x0b", b"\x85", b"\xed\xa0\x80"),
    *(b"<", b">", b'"', b"'", b"&", b"&#0;", b"&#xd800;", b"&nbsp;", b"&lt;", b"&unknown;", b"&#13;", b"&{x}", b"<!--"),
    *(b"-->", b"<![CDATA[x]]>", b"<?php x ?>", b"<html xmlns='http://www.w3.org/1999/xhtml' xml:lang=de>", b"\r\n"),
    *(b"<p class='b a c d x1' id=i>Label</p>", b"<b id=' '>1</b>", "<i class='a\u3000b'>价\u00a0格</i>".encode()),
    *(b"<base href=' '>", b"<base href=/b/>", b"<meta name=ROBOTS content='a, NoFollow'>", b"</html>", b"</head>"),
    *(b"<meta http-equiv=Refresh content='0; url=x'>", b"<link rel='x Next' href=n>", b"<link rel=canonical href>"),
    *(
        b"<iframe src=f>",
        b"</iframe>",
        b"<frame data-src=d>",
        b"<area href=a>",
        b"<a href>",
        b"<a name='\xc3\xa4 \"b'>",
    ),
    *(b"<input checked=y>", b"<script>a<b</script>", b"<style> ", b"<noscript>", b"<template>", b"<img src=' a b<c>'>"),
    *(b"<math><mi>x</mi></math>", b"<p CLASS='price  x\ty' id=1 data-x='&quot;\"'>", b"<i a:b=c>", b"<plaintext>"),
    *(b"<p style=x title=y label=z option=q>", b"<style>p{}</style><select><option>1</select>"),
    *(b"<td data-href=''>", b"<i data-href=x>", b"<p onclick=\"location='/a'\">", b"<b ONCLICK='go()'>", b"</a>"),
    *(b"<p>" + b"long enough " * 4, b"<p><a href=x>" + "书".encode() * 30 + b"<a>x</a>", b"words \xe3\x80\x80 " * 6),
    *(
        b"std::<wbr>vec",
        b"<WBR/>",
        b"<source src='a>b'>",
        b"<source title='<wbr>'>",
        b"<embed-x>",
        b'<track a="',
        b"<Embed>",
    ),
    *(
        b"<!-->",
        b"<!-- <wbr> -->",
        b"</Script >",
        b"<textarea><wbr>",
        b"</textarea>",
        b"<title",
        b"<track" + b" " * 5_000,
    ),
    *(b"<div>" * 800, b"<b>" * 300, b" " * 5_000, b"x" * 70_000),
)


def answers(body: bytes | str) -> dict[str, Any]:
    """Return all that is asked of a page; elements as paths."""
    tree = parse.parse_html(body)
    data = body.encode("utf-8", "replace") if isinstance(body, str) else body
    paths = tree.getroottree().getpath
    return {
        "tree": [etree.tostring(one, encoding="unicode") for one in (tree, *tree.itersiblings())],
        "text": text.visible_text(tree),
        "paragraphs": text.paragraphs_outside_links(tree),
        "outline": outline.outline(tree),
        "part": text.visible_text(tree[-1]) if len(tree) else "",
        "price": [paths(one) for one in locator.find(tree, "p", "price", first=False)],
        "first": [paths(one) for one in locator.find(tree, "div", "x", first=True)],
        "titles": [paths(one) for one in locator.find(tree, "h1", "", first=True)],
        "marks": sorted(page_check.page_features(tree)),
        "some": strip.strip_tree(parse.parse_html(body), SOME_GROUPS),
        "empty": strip.strip_tree(parse.parse_html(body), NONE_EMPTY),
        "closed": parse.with_closed_voids(data),
        "long texts": stand_ins.long_texts(data),
        "stripped": strip.strip_tree(tree, ALL_GROUPS),
    }


def difference(body: bytes | str) -> str:
    """Return what the walks in C say otherwise of a page than the Python code; "" for nothing."""
    fast = answers(body)
    with in_python():
        slow = answers(body)
    return "; ".join(f"{what}: {_apart(fast[what], slow[what])}" for what in fast if fast[what] != slow[what])


def _apart(fast: Any, slow: Any) -> str:
    """Return where two answers begin to differ."""
    pairs = enumerate(zip(repr(fast), repr(slow), strict=False))
    start = max(0, next((place for place, (one, other) in pairs if one != other), 0) - 60)
    return f"{repr(fast)[start : start + 120]} in C, {repr(slow)[start : start + 120]} in Python"


def in_python() -> Any:
    """Return a context in which no page is walked in C."""
    return mock.patch.multiple(Together, walk=None)


class _Together(type):
    """Stands for all modules that hold the walks, so that one patch reaches them."""

    def __setattr__(cls, name: str, value: Any) -> None:
        for module in MODULES:
            setattr(module, name, value)
        type.__setattr__(cls, name, value)


class Together(metaclass=_Together):
    walk = walk


def odd(pages: list[bytes], draw: random.Random) -> bytes:
    """Return a page with pieces put in, left out and doubled."""
    page = bytearray(draw.choice(pages))
    start = draw.randrange(len(page) + 1)
    page = page[start : start + 20_000] if draw.random() < 0.5 else page
    for _ in range(draw.randrange(1, 12)):
        place = draw.randrange(len(page) + 1)
        what = draw.random()
        if what < 0.7:
            page[place:place] = draw.choice(PIECES)
        elif what < 0.85:
            del page[place : place + draw.randrange(60)]
        else:
            page[place:place] = page[place : place + draw.randrange(300)]
    return bytes(page)


def main(arguments: list[str]) -> int:
    """Compare, and say how many pages were alike."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directories", nargs="+", type=Path)
    parser.add_argument("--odd", type=int, default=0, help="so many pages changed at random")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--part", default="1/1", help="N/OF: every OFth file from the Nth on")
    asked = parser.parse_args(arguments)
    if walk is None:
        parser.error("the walks in C are not built (pip install -e .) or switched off (PAGE_WALKS): nothing to compare")
    number, of = map(int, asked.part.split("/"))
    files = sorted(path for one in asked.directories for path in one.rglob("*") if path.is_file())[number - 1 :: of]
    count = differing = 0
    for name, body in _pages(files, asked.odd, random.Random(asked.seed + number), lambda one: one.read_bytes()):
        count += 1
        if found := difference(body):
            differing += 1
            print(f"{name}: {found}")
            if differing >= 10:
                break
    print(f"{count} pages read in C and in Python, {differing} differ")
    return bool(differing)


def _pages(
    files: list[Path], count: int, draw: random.Random, read: Callable[[Path], bytes]
) -> Iterator[tuple[str, bytes]]:
    for path in files:
        yield str(path), read(path)
    some = [read(path) for path in draw.sample(files, min(300, len(files)))]
    for number in range(count):
        yield f"odd page {number}", odd(some, draw)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

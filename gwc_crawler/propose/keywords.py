"""Words that all item pages say outside their links, and the front page does not: keywords that tell them apart."""

from __future__ import annotations

from collections.abc import Sequence

from gwc_crawler.errors import KeywordError
from gwc_crawler.keywords import Keywords
from gwc_crawler.page import text_outside_links
from gwc_crawler.propose.guessing import ReadPage

LEAST_PAGES = 3
"""On fewer pages too much is common to be told from chance."""
LONGEST = 24
MOST = 2


def propose_keywords(pages: Sequence[ReadPage], front: ReadPage) -> str:
    """A keyword expression that holds on all *pages* and not on *front*; "" where nothing tells them apart."""
    if len(pages) < LEAST_PAGES:
        return ""
    common = set.intersection(*({_label(text) for text in page.texts} for page in pages))
    told = text_outside_links(front.tree).lower()
    links = {" ".join("".join(link.itertext()).split()).lower() for link in pages[0].tree.iter("a")}
    order = [_label(text) for text in pages[0].texts]
    words = [
        word
        for word in dict.fromkeys(order)
        if word in common and _is_telling(word, told) and word.lower() not in links
    ]
    expression = " && ".join(_quoted(word) for word in words[:MOST])
    return expression if expression and _holds(expression, pages) else ""


def _label(text: str) -> str:
    return text.strip(" :：.*")


def _is_telling(word: str, front: str) -> bool:
    letters = sum(sign.isalpha() for sign in word)
    return (
        letters >= 2
        and len(word) <= LONGEST
        and letters >= 0.7 * len(word.replace(" ", ""))
        and word.lower() not in front
        and len(word.split()) <= 3
    )


def _quoted(word: str) -> str:
    return word if word.isalnum() else '"' + word.replace('"', "") + '"'


def _holds(expression: str, pages: Sequence[ReadPage]) -> bool:
    try:
        keywords = Keywords.parse(expression)
        return all(keywords.matches(text_outside_links(page.tree)) for page in pages)
    except KeywordError:
        return False

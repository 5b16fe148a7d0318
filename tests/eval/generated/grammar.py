"""What a generated site is like: a handful of independent features, drawn at random or simplified one by one."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace

ADDRESSES = (
    "directory", "prefix", "suffix", "tree", "tree_prefix", "category", "dates", "script", "view", "root", "number",
)  # fmt: skip
"""How targets are addressed; see `addresses`."""
HARDER_ADDRESSES = ("wiki", "joined", "content", "shtml", "item", "act")
"""Those by which real sites make it hard; drawn for one site in three."""
GENERATED_ADDRESSES = ("doxygen", "title", "path_info")
"""Those of documentation generators and wiki software; drawn for one site in seven."""
NESTED_PREFIX = "sub_prefix"
"""A prefix of the kind and one of the category; drawn for one site in twenty."""


@dataclass(frozen=True)
class Grammar:
    """One site. Features stand in the order in which shrinking simplifies them; the defaults are the simplest site."""

    seed: int = 0
    versions: str = "none"
    """Second versions of targets: none; under a directory, a query, a prefix of the file name, amp/ behind, colours of
    one thing by a query, the same address with or without a slash at its end, or in capitals."""
    version_share: float = 1.0
    """The share of targets that have one."""
    canonical: bool = True
    """Whether the second version names the first as its canonical address."""
    session: str = ""
    """The query key that carries a session through all links, "/" for a directory of the session's, "" for none."""
    strangers: float = 0.0
    """So many pages of another kind for each target under the very same URL form; values have labels then."""
    siblings: int = 0
    """Other kinds of pages, built like targets, addressed in the same manner."""
    mirrors: bool = False
    """Whether each target has a page of another kind with the same file name elsewhere (its uses, its source)."""
    subpages: bool = False
    """Whether targets have pages below them (reviews, photos)."""
    parts: bool = False
    """Whether long texts go on at a second address, under the same heading."""
    parts_by: str = "path"
    """How the second address differs: path, query, or suffix."""
    twin: str = ""
    """A language in which the whole site is there once more, below a directory of its name; "" for none."""
    landings: int = 0
    """Pages of prose and cards that were written one by one, addressed like targets."""
    whole_entries: bool = False
    """Whether list pages show all that stands on the pages of the items."""
    introduced: bool = False
    """Whether list pages begin in the template of the items: heading and text, then the cards."""
    tags: int = 0
    """Further lists of targets, by tag and by author, half of each."""
    facets: bool = False
    """Whether lists can be filtered by query strings, in combinations; this one and the next four see `wide`."""
    calendar: bool = False
    neighbours: bool = False
    talk: bool = False
    mobile: bool = False
    articles: int = 0
    """Pages of an unlike kind (news) with an address of their own."""
    plain_pages: int = 2
    sort_links: bool = False
    sidebar: bool = False
    breadcrumbs: bool = False
    related: int = 0
    """Links from a target to others."""
    states: bool = False
    """Whether targets show in what state they are: sold out or not, with sound or without, a line of the category."""
    brands: int = 0
    """So many makers whose names half of the targets' names, and addresses, begin with."""
    absent: float = 0.0
    """How likely a field that may be missing is missing."""
    sections: int = 1
    """Sections that a target may have, each with a share of its own."""
    values: int = 3
    """Fields besides the title."""
    paging: str = "query"
    """How further pages of a list are addressed: query, path, or suffix."""
    page_size: int = 20
    categories: int = 3
    targets: int = 40
    extension: str = ".html"
    separator: str = "-"
    slugs: str = "words"
    """File names: words, capitals, numbers, or native (percent-encoded where not ASCII)."""
    fields_in: str = "dl"
    """Where values stand: dl, table, bold, or named elements."""
    naming: str = "semantic"
    """How elements are named: semantic, bem, utility, or bare (no names)."""
    address: str = "directory"
    language: str = "en"


def draw_grammar(seed: int) -> Grammar:
    """Draw the site of a seed: features independently, each as often as one meets it, or a little oftener."""
    rng = random.Random(f"grammar {seed}")
    address = rng.choice(ADDRESSES)
    language = rng.choice(("en", "en", "en", "de", "zh", "zh"))
    few = rng.random() < 0.3
    plain = _draw_plain(rng, seed, address, language, few)
    return _draw_harder(random.Random(f"harder {seed}"), plain)


def draw_wide_grammar(seed: int) -> Grammar:
    """Draw the site of a seed with one or more of the things that `wide` adds."""
    rng = random.Random(f"wide {seed}")
    names = ("facets", "calendar", "neighbours", "talk", "mobile")
    more = dict.fromkeys(rng.sample(names, rng.randint(1, 3)), True)
    plain = draw_grammar(seed)
    if plain.session:  # a session does not go over to another host
        more["mobile"] = False
    return replace(plain, **more)  # type: ignore[arg-type]


def _draw_harder(rng: random.Random, plain: Grammar) -> Grammar:
    """Add what tells targets apart less well than a directory of their own."""
    harder = replace(
        plain,
        address=rng.choice(HARDER_ADDRESSES) if rng.random() < 1 / 3 else plain.address,
        parts=rng.random() < 0.1,
        landings=rng.choice((0, 0, 1, 3)),
        whole_entries=rng.random() < 0.15,
        introduced=rng.random() < 0.2,
        tags=rng.choice((0, 0, 0, 6, 12)),
    )
    harder = replace(harder, versions="colour") if rng.random() < 0.08 else harder
    return _draw_twists(random.Random(f"twists {harder.seed}"), harder)


def _draw_twists(rng: random.Random, plain: Grammar) -> Grammar:
    """Add addresses of documentation generators, and what makes one page have several addresses."""
    if rng.random() < 1 / 7:
        plain = replace(plain, address=rng.choice(GENERATED_ADDRESSES))
    if rng.random() < 0.1:
        plain = replace(plain, versions=rng.choice(("slash", "case")))
    if rng.random() < 0.05:
        plain = replace(plain, session="/")
    if rng.random() < 0.07 and not plain.session:
        plain = replace(plain, twin="de" if plain.language == "zh" else "zh")
    twisted = replace(plain, parts=plain.parts or rng.random() < 0.1, parts_by=rng.choice(("path", "query", "suffix")))
    return _draw_states(random.Random(f"states {plain.seed}"), twisted)


def _draw_states(rng: random.Random, plain: Grammar) -> Grammar:
    """Add what makes two targets that stand together more alike than others: a state, a maker, a prefix in common."""
    address = NESTED_PREFIX if rng.random() < 0.05 else plain.address
    return replace(plain, address=address, states=rng.random() < 0.15, brands=rng.choice((0,) * 8 + (2, 5)))


def _draw_plain(rng: random.Random, seed: int, address: str, language: str, few: bool) -> Grammar:
    """Draw all but what makes it harder."""
    return Grammar(
        seed=seed,
        versions=rng.choice(("none",) * 6 + ("directory", "query", "prefix", "amp")),
        version_share=rng.choice((1.0, 1.0, 0.4)),
        canonical=rng.random() < 0.5,
        session=rng.choice(("",) * 9 + ("sid",)),
        strangers=rng.choice((0.0,) * 6 + (0.1, 0.3)),
        siblings=rng.choice((0, 0, 1, 1, 2, 3, 4)),
        mirrors=rng.random() < (0.7 if address == "tree" else 0.1),
        subpages=rng.random() < 0.15,
        articles=rng.choice((0, 0, 12, 40)),
        plain_pages=rng.randint(1, 8),
        sort_links=rng.random() < 0.2,
        sidebar=rng.random() < 0.6,
        breadcrumbs=rng.random() < 0.5,
        related=rng.choice((0, 3, 6)),
        absent=rng.choice((0.0, 0.1, 0.3, 0.6)),
        sections=rng.randint(0, 4),
        values=rng.randint(2, 6),
        paging=rng.choice(("query", "path", "suffix")),
        page_size=rng.choice((10, 20, 50)),
        categories=rng.randint(2, 9),
        targets=rng.randint(30, 60) if few else rng.randint(60, 180),
        extension=rng.choice((".html", ".html", ".htm", ".php", "", "/")),
        separator=rng.choice("-_."),
        slugs=rng.choice(("words", "words", "capitals", "numbers", "native")),
        fields_in=rng.choice(("dl", "table", "bold", "named")),
        naming=rng.choice(("semantic", "semantic", "bem", "utility", "bare")),
        address=address,
        language=language,
    )


def simpler(grammar: Grammar) -> Iterator[Grammar]:
    """Give the grammars in which one feature is as simple as can be, the most drastic first."""
    for feature in fields(Grammar):
        if feature.name != "seed" and getattr(grammar, feature.name) != feature.default:
            yield replace(grammar, **{feature.name: feature.default})


def described(grammar: Grammar) -> str:
    """Return what is not as simple as can be, on one line."""
    told = {one.name: getattr(grammar, one.name) for one in fields(Grammar)}
    return " ".join(f"{name}={told[name]}" for name in told if told[name] != getattr(Grammar(), name) or name == "seed")

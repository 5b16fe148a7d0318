"""Where the pages of a generated site are: one rule for each way of addressing that is met on real sites.

directory    /toys/blue-kettle.html                 siblings: /games/…
prefix       /toy-blue-kettle.html                  siblings: /game-…, all in one directory
suffix       /blue-kettle-t12.html                  siblings: …-g12.html, lists: …-c3.html
tree         /a/b/c/BlueKettle.html                 siblings: /a/b/c/game/…; lists: package-summary.html
tree_prefix  /a/b/toy.BlueKettle.html               siblings: /a/b/game.…; lists: index.html
category     /kitchen/blue-kettle.html              siblings: /games/…; lists: /kitchen/
dates        /2019/03/blue-kettle.html              siblings: /games/2019/03/…
script       /toy.php?id=12                         siblings: /game.php?id=12
view         /index.php?view=toy&id=12              siblings: view=game
root         /blue-kettle.html                      siblings: /games/…
number       /toys/112/blue-kettle.html             siblings: /games/112/…
wiki         /wiki/Blue_Kettle                      siblings: /wiki/Game:…; lists: /wiki/Category:Kitchen
joined       /toy.Kitchen.blue-kettle.html          siblings: /game.Kitchen.…; lists: /class.Kitchen.html
content      /2024-05/12/content_1234.htm           siblings: /games/2024-05/12/…; lists: /node_7.htm
shtml        /t/20240512/1234.shtml                 siblings: /g/20240512/…; lists: /t/list_7.shtml
item         /toy/123                               siblings: /game/123; lists: /toy/list/7
act          /?act=show&id=12                       siblings: act=game; lists: act=list
doxygen      /toyBlueKettle.html                    siblings: /gameBlueKettle.html; lists: /namespaceKitchen.html
title        /index.php?title=Blue_Kettle           siblings: title=Game:…; lists: title=Category:Kitchen
path_info    /index.php/toy/12                      siblings: /index.php/game/12; lists: /index.php/list/7
sub_prefix   /toy_kitchen_blue-kettle.html          siblings: /game_kitchen_…; lists: /toy_ref_kitchen.html
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from urllib.parse import quote

from tests.eval.generated.grammar import Grammar

KINDS = ("product", "guide", "person", "place", "series", "method", "event", "album")
"""Words for kinds of pages in addresses; the first after a shuffle is the targets'."""
_SECTIONS = ("category", "c", "topics", "browse", "tags")
_BY_QUERY = ("script", "view", "act", "title")
_ENDINGS = {
    "wiki": "",
    "joined": ".html",
    "content": ".htm",
    "shtml": ".shtml",
    "item": "",
    "doxygen": ".html",
    "path_info": "",
    "sub_prefix": ".html",
}
"""Extensions of those that have no other."""
_SYLLABLES = tuple("an bei chu da feng gu hua jing lan ming nan qing shan shui tian xia yun zhu".split())  # noqa: SIM905
_FOLDED = {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"}


class Addresses:
    """Paths with query, each beginning with a slash."""

    def __init__(self, grammar: Grammar, categories: Sequence[str]) -> None:
        rng = random.Random(f"addresses {grammar.seed}")
        self.grammar = grammar
        self.kinds = rng.sample(KINDS, len(KINDS))
        self.section = rng.choice(_SECTIONS)
        self.base = rng.choice(("", "", "/docs", "/site/pages"))
        self.mirror_word = rng.choice(("uses", "source", "history"))
        self.version_word = rng.choice(("print", "m", "mobile"))
        self.is_tree = grammar.address in ("tree", "tree_prefix")
        self.by_query = grammar.address in _BY_QUERY
        slash_or_none = grammar.extension in ("", "/")
        own = ".html" if self.is_tree and slash_or_none else ".php" if self.by_query else grammar.extension
        self.extension = _ENDINGS.get(grammar.address, own)
        words = [_plain(one) for one in categories]
        self.places = [self._package(rng, words, place) for place in range(len(words))] if self.is_tree else words

    def _package(self, rng: random.Random, words: Sequence[str], place: int) -> str:
        """Return the directory of a package, one to four deep; most lie below another."""
        short = [word.partition("-")[0] + word.rpartition("-")[2][:place] for word in words]
        above = rng.sample(short[:place], min(place, rng.randint(0, 3)))
        return "/".join(["org", *above, short[place]])

    def item(self, kind: int, number: int, name: str, category: int) -> str:
        """Return where the page of an item is. *number* tells items of a kind apart."""
        word, slug, end = self.kinds[kind], self._file_name(name, number), self.extension
        group, separator = self.places[category], self.grammar.separator
        year, month, day = 2012 + number % 7, 1 + number * 5 % 12, 1 + number * 11 % 28
        initial = word[0] + word[-1] if kind else word[0]
        above = f"/{word}s" if kind else ""
        name_space = f"{word.capitalize()}:" if kind else ""
        return (
            self.base
            + {
                "directory": f"/{word}s/{slug}{end}",
                "prefix": f"/{word}{separator}{slug}{end}",
                "suffix": f"/{slug}-{word[0]}{word[-1]}{number}{end}",
                "tree": f"/{group}/{f'{word}/' if kind else ''}{slug}{end}",
                "tree_prefix": f"/{group}/{word}{separator}{slug}{end}",
                "category": f"/{f'{word}s' if kind else group}/{slug}{end}",
                "dates": f"{f'/{word}s' if kind else ''}/{year}/{month:02}/{slug}{end}",
                "script": f"/{word}.php?id={number}",
                "view": f"/index.php?view={word}&id={number}",
                "root": f"{f'/{word}s' if kind else ''}/{slug}{end}",
                "number": f"/{word}s/{number}/{slug}{end}",
                "wiki": f"/wiki/{name_space}{quote(name.replace(' ', '_'))}",
                "joined": f"/{word}.{group.capitalize()}.{slug}{end}",
                "content": f"{above}/{year}-{month:02}/{day:02}/content_{4000 + number * 13}{end}",
                "shtml": f"/{initial}/{year}{month:02}{day:02}/{4000 + number * 13}{end}",
                "item": f"/{word}/{number}",
                "act": f"/?act={word if kind else 'show'}&id={number}",
                "doxygen": f"/{word}{''.join(part.capitalize() for part in _plain(name).split('-'))}{end}",
                "title": f"/index.php?title={name_space}{quote(name.replace(' ', '_').capitalize())}",
                "path_info": f"/index.php/{word}/{number}",
                "sub_prefix": f"/{word}_{group}_{slug}{end}",
            }[self.grammar.address]
        )

    def list_page(self, kind: int, category: int | None, number: int) -> str:
        """Return where page *number* (from 1) of a list is: of a category of targets, or of all items of a kind."""
        address, name = self.grammar.address, f"all-{self.kinds[kind]}" if category is None else self.places[category]
        if address == "title":
            title = "Special:All_" + self.kinds[kind] if category is None else f"Category:{name.capitalize()}"
            return f"{self.base}/index.php?title={title}" + (f"&from={number}" if number > 1 else "")
        if self.by_query:
            asked = f"kind={self.kinds[kind]}" if category is None else f"cat={category + 1}"
            start = {"view": "index.php?view=list&", "act": "?act=list&"}.get(address, "list.php?")
            return f"{self.base}/{start}{asked}" + (f"&page={number}" if number > 1 else "")
        if self.is_tree:
            first = f"/{name}/{'package-summary' if address == 'tree' else 'index'}.html"
        elif address in _ENDINGS:
            first = self._plain_list(kind, category, name)
        elif address == "suffix":
            first = f"/{name}-c{kind * 100 + (category or 0)}{self.extension}"
        elif address == "category" and category is not None:
            first = f"/{name}/"
        elif address == "prefix":
            first = f"/index{self.grammar.separator}{name}{self.extension}"
        else:
            first = f"/{self.section}/{name}{self.extension}"
        return self.base + (first if number == 1 else self._further(first, number))

    def _plain_list(self, kind: int, category: int | None, name: str) -> str:
        number = kind * 100 + (0 if category is None else category + 1)
        return {
            "wiki": f"/wiki/Category:{name.capitalize()}",
            "joined": f"/class.{name.capitalize()}.html",
            "content": f"/node_{number}.htm",
            "shtml": f"/{self.kinds[kind][0]}/list_{number}.shtml",
            "item": f"/{self.kinds[kind]}/list/{number}",
            "doxygen": f"/{'namespace' if category is not None else 'group'}{name.capitalize()}.html",
            "path_info": f"/index.php/list/{number}",
            "sub_prefix": f"/{self.kinds[kind]}_ref_{name}.html",
        }[self.grammar.address]

    def tag_list(self, number: int, word: str) -> str:
        """Return where the list of a tag or an author is; every other one is an author's."""
        section = ("tag", "author")[number % 2]
        if self.grammar.address == "title":
            return f"{self.base}/index.php?title={section.capitalize()}:{_plain(word).capitalize()}"
        if self.by_query:
            return f"{self.base}/{'' if self.grammar.address == 'act' else 'list.php'}?{section}={number + 1}"
        if self.grammar.address == "wiki":
            return f"{self.base}/wiki/{section.capitalize()}:{_plain(word).capitalize()}"
        return f"{self.base}/{section}/{_plain(word)}{self.extension}"

    def landing(self, number: int, name: str) -> str:
        """Return where a page written by hand is: beside the targets."""
        if self.by_query:
            return f"{self.base}/{'start' if number else 'welcome'}-{_plain(name)}.php"
        if self.grammar.address in ("content", "shtml", "item", "number", "dates", "path_info"):
            return f"{self.base}/{_plain(name)}{self.extension}"
        return self.item(0, 0, name, 0)

    def _further(self, first: str, number: int) -> str:
        stem, end = self._cut(first)
        return {
            "query": f"{first}?page={number}",
            "path": f"{stem}/page/{number}{end}",
            "suffix": f"{stem}-{number}{end}"
            if not stem.endswith(tuple(self.places)) or end != "/"
            else f"{stem}/p{number}/",
        }[self.grammar.paging]

    def version(self, path: str) -> str:
        """Return where the second version of a page is."""
        stem, end = self._cut(path)
        directory, _, file = path.rpartition("/")
        if self.grammar.versions == "colour":
            return f"{path}{'&' if self.by_query else '?'}colour=red"
        if self.grammar.versions == "case":
            path_only, mark, query = path.partition("?")
            return f"{directory.upper()}/{file}" if directory else f"{path_only.upper()}{mark}{query}"
        if self.grammar.versions == "slash" and not self.by_query:
            return path.removesuffix("/") if path.endswith("/") else f"{path}/"
        if self.by_query:
            further = {"directory": f"/{self.version_word}{path}", "prefix": f"{directory}/print_{file}"}
            return further.get(
                self.grammar.versions, f"{path}&{'amp' if self.grammar.versions == 'amp' else 'print'}=1"
            )
        if end == "/":
            directory, _, file = stem.rpartition("/")
            file += "/"
        return {
            "directory": f"/{self.version_word}{path}",
            "query": f"{path}?print=1",
            "prefix": f"{directory}/print_{file}",
            "amp": f"{stem}/amp{end}",
        }[self.grammar.versions]

    def mirror(self, path: str) -> str:
        """Return where the page about *path* with the same file name is."""
        if self.grammar.address == "doxygen":
            return f"{self._cut(path)[0]}-{self.mirror_word}{self.extension}"
        if self.grammar.address == "title":
            return f"{path}&action={self.mirror_word}"
        if self.by_query:
            other = path.replace(f"view={self.kinds[0]}", f"view={self.mirror_word}")
            other = other.replace("act=show", f"act={self.mirror_word}")
            return other.replace(f"/{self.kinds[0]}.php", f"/{self.mirror_word}.php")
        directory, _, file = path.removesuffix("/").rpartition("/")
        return f"{directory}/{self.mirror_word}/{file}" + ("/" if path.endswith("/") else "")

    def below(self, path: str, word: str) -> str:
        """Return where a page below another is."""
        stem, end = self._cut(path)
        return f"{path}&tab={word}" if self.by_query else f"{stem}/{word}{end}"

    def part(self, path: str) -> str:
        """Return where the second part of a page is."""
        stem, end = self._cut(path)
        if self.grammar.parts_by == "query":
            return f"{path}{'&' if '?' in path else '?'}page=2"
        return f"{stem}_2{end}" if self.grammar.parts_by == "suffix" and not self.by_query else self.below(path, "2")

    def article(self, number: int, name: str) -> str:
        """Return where a news article is."""
        return (
            f"{self.base}/news.php?article={number}"
            if self.by_query
            else f"{self.base}/news/{_plain(name)}{self.extension}"
        )

    def plain(self, word: str) -> str:
        """Return where a page such as "contact" is."""
        return f"{self.base}/{word}{self.extension}"

    def _cut(self, path: str) -> tuple[str, str]:
        for end in (self.extension, "/"):
            if end and path.endswith(end):
                return path.removesuffix(end), end
        return path, ""

    def _file_name(self, name: str, number: int) -> str:
        plain = _plain(name)
        if self.grammar.slugs == "numbers":
            return str(1000 + number * 7)
        if self.grammar.slugs == "capitals" or self.is_tree:
            return "".join(part.capitalize() for part in plain.split("-"))
        return quote(name.replace(" ", "-")) if self.grammar.slugs == "native" else plain


def _plain(name: str) -> str:
    """Return a name in small ASCII letters with hyphens; Chinese characters become syllables."""
    text = "".join(_FOLDED.get(sign, sign) for sign in name.lower())
    text = "".join(
        sign if sign.isascii() else f"-{_SYLLABLES[ord(sign) * 7 % 18]}{_SYLLABLES[ord(sign) % 17]}" for sign in text
    )
    return re.sub(r"[^a-z0-9]+", "-", text).strip("-")

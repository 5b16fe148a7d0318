"""`python -m tests.docs.settings_page --write` makes docs/settings.md, of our settings and the tables of Scrapy's."""

from __future__ import annotations

import ast
import itertools
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from scrapy.settings import iter_default_settings

from gwc_crawler import settings
from gwc_crawler.wiring.check import DIFFERS, NEEDED, REFUSED, TOO_EARLY, WORKS
from gwc_crawler.wiring.components import REPLACED

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "settings.md"

INTRO = """# Settings

Made by `python -m tests.docs.settings_page --write` from the code; a test compares it with Scrapy's own list.

A setting is written, from the highest rank to the lowest:

1. on the command line: `scrapy crawl books -s DOWNLOAD_DELAY=2` (dicts as JSON);
2. in `[settings]` of a site file, for that site (dicts as tables);
3. in the profile (`settings_profiles/`), for the whole project;
4. by an add-on (`ADDONS`).

Beneath them all lie the defaults of a site's crawl (`gwc_crawler/wiring/components.py`), and beneath those Scrapy's.
Spiders of your own in the same project (`SPIDER_MODULES`) know nothing of that wiring: they get Scrapy's defaults,
and what the profile says. What the project's settings (`gwc_crawler/settings.py`) say for all spiders is what `scrapy
startproject` says, too (`ROBOTSTXT_OBEY`, `FEED_EXPORT_ENCODING`), what is safe (certificates are verified; telnet
console and remote control are off), a name and address to be known by (`BOT_NAME`, `USER_AGENT`), and `LOG_LEVEL =
"INFO"`.
"""

COMPONENTS = """## Middlewares, pipelines, extensions

What you write in `DOWNLOADER_MIDDLEWARES`, `SPIDER_MIDDLEWARES`, `ITEM_PIPELINES`, `EXTENSIONS` and
`DOWNLOAD_HANDLERS`, wherever you write it, is added to what a site's crawl is made of. Item pipelines of 0 and more
get the records, as dicts, after the store has them.

These are needed. Who sets one to `None` has to put in a class derived from it, else the crawl does not begin (exit
code 2):

| setting | component | without it |
|---|---|---|
"""

LEFT_OUT = """
These of Scrapy's have no place in a site's crawl, because something else does their work. Set to `None` they change
nothing; put in, they are left out, with a warning:

| setting | Scrapy's | its place has |
|---|---|---|
"""

SCRAPYS = """## Scrapy's settings in a site's crawl

{counts}
Refused means: `scrapy crawl`, `learn` and `extract` end with exit code 2 and name the setting, when it is given in a
site file or on the command line. From a profile or an add-on some are only warned of, because they may be meant for
spiders of your own; those that would break a promise are refused there, too. Settings that plug-ins bring along work.

| setting | in a site's crawl | how, or why not |
|---|---|---|
"""


UNITS = {"_SECONDS_": "seconds", "_PAGES_": "pages", "_URLS_": "URLs", "_BATCH_": "URLs", "_QUEUES_": "queues"}
"""What a setting's name says → its unit."""


def page() -> str:
    """Return the whole page."""
    needed = [f"| `{name}` | `{path}` | {loss} |" for name, parts in NEEDED.items() for path, loss in parts.items()]
    left = [f"| `{name}` | `{path}` | {by} |" for name, parts in REPLACED.items() for path, by in parts.items()]
    counts = (
        f"{len(WORKS)} work as documented, {len(DIFFERS)} work a little differently, {len(TOO_EARLY)} work from a\n"
    )
    counts += f"profile or the command line alone, {len(REFUSED)} are refused.\n"
    parts = [INTRO, "## Settings of this project\n", *own_tables(), COMPONENTS.rstrip("\n"), *needed]
    parts += [LEFT_OUT.rstrip("\n"), *left, ""]
    return "\n".join([*parts, SCRAPYS.format(counts=counts).rstrip("\n"), *map(row, names())]) + "\n"


def names() -> list[str]:
    """Return the names of all settings that Scrapy has a default for."""
    return sorted(name for name, _ in iter_default_settings())


def row(name: str) -> str:
    """Return what becomes of a setting; KeyError where nobody has said."""
    if name in WORKS:
        return f"| `{name}` | works | |"
    if name in TOO_EARLY:
        return f"| `{name}` | works, but not in a site file | {TOO_EARLY[name]} |"
    if name in DIFFERS:
        return f"| `{name}` | works differently | {_cell(DIFFERS[name])} |"
    refusal = REFUSED[name]
    where = "refused" + ("" if refusal.always else "; warned of in a profile")
    taken = "" if refusal.holds in (None, {}) else f" (taken: `{refusal.holds!r}`, which is so anyway)"
    return f"| `{name}` | {where} | {_cell(refusal.why)}{taken} |"


def own_tables() -> Iterator[str]:
    """Give a table for each part of `settings.py`, in its order."""
    source = Path(settings.__file__).read_text(encoding="utf-8")
    told = {name: (default, text) for name, default, text in own_settings()}
    for part in re.split(r"^# --- ", source, flags=re.MULTILINE)[1:]:
        if names_here := [name for name in re.findall(r"^(GWC_\w+)\b", part, flags=re.MULTILINE) if name in told]:
            title = part.partition(" ---")[0]
            yield f"### {title[0].upper()}{title[1:]}\n\n| setting | default | unit | meaning |\n|---|---|---|---|"
            for name in names_here:
                default, text = told[name]
                yield f"| `{name}` | `{default!r}` | {unit_of(name, default)} | {_cell(text)} |"
            yield ""


def unit_of(name: str, default: object) -> str:
    """Return what a number counts: the name says it."""
    if isinstance(default, bool):
        return "yes or no"
    if not isinstance(default, (int, float)):
        return "–"
    return next((unit for ending, unit in UNITS.items() if ending in f"{name}_"), "number")


def own_settings() -> Iterator[tuple[str, object, str]]:
    """Give name, default and docstring of each setting of ours, in their order."""
    body = ast.parse(Path(settings.__file__).read_text(encoding="utf-8")).body
    for node, after in itertools.pairwise(body):
        if not isinstance(node, ast.Assign | ast.AnnAssign) or not isinstance(after, ast.Expr):
            continue
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        if isinstance(target, ast.Name) and target.id.startswith("GWC_") and isinstance(after.value, ast.Constant):
            yield target.id, getattr(settings, target.id), str(after.value.value)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


if __name__ == "__main__":
    if "--write" in sys.argv:
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(page(), encoding="utf-8")
    else:
        print(page())

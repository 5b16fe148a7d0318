"""`python -m tests.docs.settings_page --write` makes docs/settings.md, of our settings and the tables of Scrapy's."""

from __future__ import annotations

import ast
import itertools
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from scrapy.settings import iter_default_settings

from gwc_crawler import settings
from gwc_crawler.wiring.check import DIFFERS, NEEDED, OF_REDIS, REFUSED, TOO_EARLY, WORKS
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

Beneath them lie the defaults of a site's crawl (`gwc_crawler/wiring/components.py`), and beneath those Scrapy's.
Spiders of your own in the same project (`SPIDER_MODULES`) get Scrapy's defaults, what the profile says, and a few safe
ones: robots.txt is obeyed, certificates are verified, telnet console and remote control are off.
"""

COMPONENTS = """## Middlewares, pipelines, extensions

What you write in `DOWNLOADER_MIDDLEWARES`, `SPIDER_MIDDLEWARES`, `ITEM_PIPELINES`, `EXTENSIONS` and `DOWNLOAD_HANDLERS`
is added to what a site's crawl is made of. Item pipelines of order 0 and more get the records, as dicts, after the
store has them.

These are needed: instead of one you may put a class derived from it, but not `None` (exit code 2). Paths begin with
`gwc_crawler.`:

| component | without it |
|---|---|
"""

LEFT_OUT = """
These of Scrapy's are left out, with a warning where you put one in, because something else does their work: {names}.
"""

SCRAPYS = """## Scrapy's settings in a site's crawl

{works} of them, and those of plug-ins, work as documented. The others are these.

{early} work from a profile or the command line, but not in a site file, which is read later: {early_names}.

{differs} work a little differently:

| settings | how |
|---|---|
{different}

{refused} are refused, unless the value says what is so anyway: `scrapy crawl`, `learn` and `extract` end with exit code
2 and name the setting. From a profile or an add-on those that break no promise are only warned of, because they may be
meant for spiders of your own.

| settings | why |
|---|---|
{refusals}
"""

OF_REDIS_TOLD = """## scrapy-redis's settings in a shared crawl

With `GWC_FRONTIER = "redis"`, refused as above; a `RedisSpider` of your own has scrapy-redis's own scheduler.

| settings | how |
|---|---|
{told}
"""


def page() -> str:
    """Return the whole page."""
    needed = [f"| `{bare(path)}` | {loss} |" for parts in NEEDED.values() for path, loss in parts.items()]
    left = listed(path.rpartition(".")[2] for parts in REPLACED.values() for path in parts)
    parts = [INTRO, "## Settings of this project\n", *own_tables(), COMPONENTS.rstrip("\n"), *needed]
    return "\n".join([*parts, LEFT_OUT.format(names=left), scrapys(), of_redis()])


def bare(path: str) -> str:
    """Return the path of a component of ours without the package's name."""
    return path.removeprefix("gwc_crawler.")


def scrapys() -> str:
    """Return what becomes of Scrapy's settings."""
    return SCRAPYS.format(
        works=len(WORKS), early=len(TOO_EARLY), early_names=listed(TOO_EARLY),
        differs=len(DIFFERS), different="\n".join(grouped(DIFFERS)),
        refused=len(REFUSED), refusals="\n".join(grouped({name: one.why for name, one in REFUSED.items()})),
    )  # fmt: skip


def of_redis() -> str:
    """Return what becomes of scrapy-redis's settings."""
    told = {name: one if isinstance(one, str) else f"refused: {one.why}" for name, one in OF_REDIS.items()}
    return OF_REDIS_TOLD.format(told="\n".join(grouped(told)))


def names() -> list[str]:
    """Return the names of all settings that Scrapy has a default for."""
    return sorted(name for name, _ in iter_default_settings())


def listed(some: Iterable[str]) -> str:
    """Return names in their order, with commas between."""
    return ", ".join(f"`{name}`" for name in sorted(some))


def grouped(told: Mapping[str, str]) -> list[str]:
    """Return a row for each text, with all the names of which it is told."""
    by_text: dict[str, list[str]] = {}
    for name in sorted(told):
        by_text.setdefault(_cell(told[name]), []).append(name)
    return [f"| {listed(some)} | {text} |" for text, some in by_text.items()]


def own_tables() -> Iterator[str]:
    """Give a table for each part of `settings.py`, in its order."""
    source = Path(settings.__file__).read_text(encoding="utf-8")
    told = {name: (default, text) for name, default, text in own_settings()}
    for part in re.split(r"^# --- ", source, flags=re.MULTILINE)[1:]:
        if names_here := [name for name in re.findall(r"^(GWC_\w+)\b", part, flags=re.MULTILINE) if name in told]:
            title = part.partition(" ---")[0]
            yield f"### {title[0].upper()}{title[1:]}\n\n| setting | default | meaning |\n|---|---|---|"
            for name in names_here:
                default, text = told[name]
                yield f"| `{name}` | `{default!r}` | {_cell(text)} |"
            yield ""


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

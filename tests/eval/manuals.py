"""Whole crawls of manuals that Debian has as packages: sites that were looked at after they had been scored.

    python -m tests.eval.manuals --into DIRECTORY                 all, two random pairs of samples each
    python -m tests.eval.manuals --into DIRECTORY qt wx --pairs 1

A package that is not yet in the directory is fetched by `apt-get download` and unpacked there; nothing is installed.
Which pages are targets, and what stands there, is told by XPath written for each manual from its pages' own form.
"""

from __future__ import annotations

import argparse
import functools
import json
import random
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from lxml import html

from tests.eval.scoring import Score, score_value

CRAWL_SECONDS = 900
WHOLE = 1
"""A page that lacks more of the fields is no sample: nobody takes a sparse page for an example."""
Values = dict[str, str | list[str]]


@dataclass(frozen=True)
class Manual:
    """One manual.

    Attributes:
        folder: where its pages are in the package.
        target: XPath that is true of a target page.
        texts: field → XPath of its element or string, the first of which is its value.
        lists: the same, of all of which the value is made.
    """

    package: str
    folder: str
    entry: str
    target: str
    texts: dict[str, str]
    lists: dict[str, str]

    def read(self, body: bytes) -> Values | None:
        """What stands on a page; None if it is no target."""
        tree = html.fromstring(body)
        if not tree.xpath(f"boolean({self.target})"):
            return None
        values: Values = {name: [*_texts(tree, path), ""][0] for name, path in self.texts.items()}
        values |= {name: _texts(tree, path) for name, path in self.lists.items()}
        return {name: value for name, value in values.items() if value}


def _gtk(kind: str, sign: str, texts: dict[str, str]) -> Manual:
    header = '//section[@id="main"]/header'
    shared = {
        "name": f'substring-after(normalize-space({header}/h1), "{sign}")',
        "class_name": f"{header}/h1/a[2]",
        "description": '//div[starts-with(@class,"description")]/div[@class="docblock"][1]/p[1]',
    }
    folder = "usr/share/doc/libgtk-4-doc/gtk4"
    return Manual("libgtk-4-doc", folder, "index.html", f'{header}/h3="{kind}"', shared | texts, {})


def _below(label: str) -> str:
    return f'//td[normalize-space()="{label}"]/following-sibling::td[1]'


_JAVA = '//section[@id="class-description"]'
_SECTION = '//div[@class="refsect1"][h2="{}"]'
MANUALS = {
    "postgresql": Manual(
        "postgresql-doc-15",
        "usr/share/doc/postgresql-doc-15/html",
        "index.html",
        '//div[@class="refentry"][starts-with(@id,"SQL-")]',
        {
            "name": '//span[@class="refentrytitle"]',
            "purpose": 'substring-after(//div[@class="refnamediv"]/p, " — ")',
            "synopsis": '//div[@class="refsynopsisdiv"]/pre',
        },
        {"see_also": f"{_SECTION.format('See Also')}//a[not(@class='indexterm')]"},
    ),
    "gtk-signals": _gtk("Signal", "::", {"declaration": '//div[@class="highlight"]/pre'}),
    "gtk-properties": _gtk("Property", ":", {"type": _below("Type:"), "getter": _below("Getter method")}),
    "qt": Manual(
        "qtbase5-doc-html",
        "usr/share/qt5/doc",
        "qtwidgets/qtwidgets-index.html",
        '//h1[@class="title"][contains(concat(normalize-space(), "."), " Class.")] and '
        '//a[contains(@href,"-members.html")]',
        {
            "title": '//h1[@class="title"]',
            "header": _below("Header:"),
            "qmake": _below("qmake:"),
            "inherits": _below("Inherits:"),
        },
        {"functions": '//h2[@id="public-functions"]/following-sibling::div[1]//td[2]'},
    ),
    "java": Manual(
        "openjdk-17-doc",
        "usr/share/doc/openjdk-17-jre-headless/api",
        "index.html",
        _JAVA,
        {
            "title": "//h1",
            "package": '//span[@class="package-label-in-type"]/following-sibling::a[1]',
            "module": '//span[@class="module-label-in-type"]/following-sibling::a[1]',
            "since": f'{_JAVA}/dl/dt[.="Since:"]/following-sibling::dd[1]',
            "description": f'{_JAVA}/div[@class="block"]',
        },
        {},
    ),
    "wx": Manual(
        "wx3.2-doc",
        "usr/share/doc/wx3.2-doc/html",
        "index.html",
        '//div[@class="headertitle"]/div[@class="title"]/text()[contains(concat(., "."), " Class Reference.")]',
        {
            "title": '//div[@class="headertitle"]/div[@class="title"]/text()[1]',
            "include": '//div[@class="contents"]/p/code[starts-with(.,"#include")]',
            "description": '//div[@class="textblock"]/p[1]',
        },
        {
            "methods": '//table[@class="memberdecls"][.//h2[contains(.,"Public Member Functions")]]'
            '//td[@class="memItemRight"]/a[@class="el"][1]'
        },
    ),
    "erlang": Manual(
        "erlang-doc",
        "usr/share/doc/erlang-doc",
        "doc/index.html",
        '//h3[normalize-space()="Exports"] and //article[@class="func"]',
        {"name": '//div[@class="topbar-title"]/h1', "app": '//p[@class="section-title"]'},
        {"functions": '//article[@class="func"]/h4/span[@class="title-name"]'},
    ),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Crawl and print a row for each pair of samples; 1 if a crawl failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.eval.manuals", description=__doc__)
    parser.add_argument("manuals", nargs="*", metavar="NAME", help=f"of {', '.join(MANUALS)}")
    parser.add_argument("--into", type=Path, required=True, help="where packages are, or are put")
    parser.add_argument("--pairs", type=int, default=2, help="random pairs of samples for each")
    options = parser.parse_args(arguments)
    if unknown := set(options.manuals) - set(MANUALS):
        parser.error(f"no manual {', '.join(sorted(unknown))}; there are {', '.join(MANUALS)}")
    failed = 0
    print("| manual, pair | targets found | precision | exact (F1) by field | pages learned from | sure | time |")
    print("|---|---|---|---|---|---|---|")
    for name in options.manuals or MANUALS:
        root = unpacked(MANUALS[name], options.into)
        truth = truth_of(MANUALS[name], root)
        for pair in range(options.pairs):
            row = crawled(name, root, truth, pair)
            failed += row is None
            print(row or f"| {name} {pair} | failed |", flush=True)
    return 1 if failed else 0


def unpacked(manual: Manual, into: Path) -> Path:
    """The folder of a manual's pages; its package is fetched where it is not there."""
    folder = into / manual.package
    if not folder.exists():
        folder.mkdir(parents=True)
        subprocess.run(["apt-get", "download", manual.package], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["dpkg", "-x", str(next(folder.glob("*.deb"))), str(folder)], check=True)
    return folder / manual.folder


def truth_of(manual: Manual, root: Path) -> dict[str, Values]:
    """What stands on each target page that links lead to from the entry, by its path."""
    found: dict[str, Values] = {}
    seen, left = {manual.entry}, [manual.entry]
    while left:
        path = left.pop()
        body = (root / path).read_bytes()
        if (values := manual.read(body)) is not None:
            found[path] = values
        links = set(_links(path, body)) - seen
        left += [link for link in links if link.endswith(".html") and (root / link).is_file()]
        seen |= links
    return found


def _links(path: str, body: bytes) -> Iterator[str]:
    for link in html.fromstring(body).xpath("//a/@href"):
        try:
            parts = urlsplit(urljoin(f"http://manual/{path}", link))
        except ValueError:
            continue
        if parts.hostname == "manual":
            yield unquote(parts.path[1:]) or "index.html"


def crawled(name: str, root: Path, truth: dict[str, Values], pair: int) -> str | None:
    """Crawl a manual from two random samples, and return its row; None if the crawl failed."""
    fields = list(dict.fromkeys(field for values in truth.values() for field in values))
    whole = sorted(path for path, values in truth.items() if len(values) >= len(fields) - WHOLE)
    samples = random.Random(f"{name} {pair}").sample(whole, 2)
    with tempfile.TemporaryDirectory(prefix="manuals-") as scratch, served(root) as address:
        site = Path(scratch) / "manual.toml"
        site.write_text(_site_file(address + MANUALS[name].entry, [(address + one, truth[one]) for one in samples]))
        command = [sys.executable, "-m", "gwc_crawler", "crawl", str(site), "-s", f"GWC_DATA_DIR={scratch}/data"]
        began = time.monotonic()
        done = subprocess.run(command, cwd=scratch, capture_output=True, text=True, timeout=CRAWL_SECONDS, check=False)
        seconds = time.monotonic() - began
        if done.returncode:
            print(done.stderr[-2000:], file=sys.stderr)
            return None
        stored = _records(Path(scratch) / "data" / "manual" / "crawl.db", address)
        evidence = json.loads((Path(scratch) / "data" / "manual" / "knowledge.json").read_text())["evidence"]
    scores = {field: Score() for field in fields}
    for path in stored.keys() & truth.keys():
        for field, score in scores.items():
            wanted, value = truth[path].get(field), stored[path].get(field)
            if field in MANUALS[name].lists:
                wanted, value = wanted or [], json.loads(value) if value else []
            score += score_value("" if wanted is None else wanted, value)
    found = len(stored.keys() & truth.keys())
    exact = " ".join(f"{field} {score.f1:.2f}" for field, score in scores.items())
    cells = (f"{name} {pair}", f"{found} of {len(truth)}", f"{found / max(1, len(stored)):.3f}", exact)
    return (
        f"| {' | '.join(map(str, (*cells, evidence['pages'], evidence['certainty']['targets'])))} | {seconds:.0f} s |"
    )


@contextmanager
def served(root: Path) -> Iterator[str]:
    """Serve a folder on loopback, and yield its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(root)))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


class _Quiet(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


def _site_file(entry: str, samples: Sequence[tuple[str, Values]]) -> str:
    parts = [f"entry = [{json.dumps(entry)}]"]
    for url, values in samples:
        parts += ["", "[[samples]]", f"url = {json.dumps(url)}", "[samples.fields]"]
        parts += [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in values.items()]
    return "\n".join(parts) + "\n"


def _records(database: Path, address: str) -> dict[str, dict[str, Any]]:
    with closing(sqlite3.connect(database)) as opened:
        opened.row_factory = sqlite3.Row
        return {row["url"].removeprefix(address): dict(row) for row in opened.execute("SELECT * FROM records_manual")}


def _texts(tree: Any, path: str) -> list[str]:
    """What an XPath gives, with white space folded."""
    found = tree.xpath(path)
    every = [found] if isinstance(found, str) else found
    texts = (str(one) if isinstance(one, str) else one.text_content() for one in every)
    return [" ".join(text.split()) for text in texts]


if __name__ == "__main__":
    sys.exit(main())

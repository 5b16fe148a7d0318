"""Whole crawls of the served corpora: site files made from `tasks.json`, and what came home against the truth.

    python -m tests.eval.crawls quotes/author w3school/cssref --mode paper

Each site is served on loopback by the corpora's own server script, at the ports of `sites.json`.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from tests.eval.corpora import ARCHIVES, corpora_root
from tests.eval.scoring import Score, score_value
from tests.eval.tasks import Task, site_tasks

ROOT = Path(__file__).resolve().parents[2]
GROUPS = (
    "quotes/author",
    "quotes/quotelist",
    "w3school/cssref",
    "w3school/phpfunc",
    "w3school/tagattr",
    "w3school/jsmethod",
    "gitrknows/post",
    "booksamillion/product",
    "scipydoc/function",
)


@dataclass
class CrawlScore:
    """How one crawl did: records found of the truth, records that are none, exact field values."""

    group: str
    truth: int
    found: int
    extra: int
    seconds: float
    code: int
    fields: dict[str, Score] = field(default_factory=dict)
    message: str = ""

    @property
    def line(self) -> str:
        """One row of a table."""
        stored = self.found + self.extra
        precision = self.found / stored if stored else 0.0
        exact = " ".join(f"{name} {score.f1:.2f}" for name, score in self.fields.items())
        return (
            f"| {self.group} | {self.found}/{self.truth} | {precision:.3f} | {exact} | {self.seconds:.0f} s"
            f" | {self.code} | {self.message}"
        )


def crawl_corpus(group: str, mode: str, directory: Path, *, pages: int = 4000, timeout: float = 1500) -> CrawlScore:
    """Serve the corpus of *group*, crawl it with two samples, and score what was stored."""
    corpus, _, name = group.partition("/")
    task = next(one for one in site_tasks() if one.name == group)
    where = next(one for one in json.loads(_shared_file("sites.json").read_text()) if one["name"] == corpus)
    (directory / "sites").mkdir(parents=True, exist_ok=True)
    site = f"{corpus}_{name}"
    (directory / "sites" / f"{site}.toml").write_text(
        _site_file(where, task, corpus, name, mode, pages), encoding="utf-8"
    )
    with _served(corpus, where["port"]):
        began = time.monotonic()
        process = subprocess.run(
            [sys.executable, "-m", "scrapy.cmdline", "crawl", site, "-L", "WARNING", "-s", "GWC_PROGRESS=off",
             "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=16"],
            cwd=directory, capture_output=True, text=True, timeout=timeout, check=False,
            env={**os.environ, "SCRAPY_SETTINGS_MODULE": "settings_profiles.local", "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        seconds = time.monotonic() - began
    (directory / f"{site}.log").write_text(process.stdout + process.stderr, encoding="utf-8")
    stored = _stored(directory / "data" / site / "crawl.db", site)
    return _score(group, task, stored, seconds, process)


def _score(group: str, task: Task, stored: Mapping[str, Mapping[str, Any]], seconds: float, process: Any) -> CrawlScore:
    truth = {_path(page.url): page for page in task.pages}
    found = {path: row for path, row in stored.items() if path in truth}
    score = CrawlScore(group, len(truth), len(found), len(stored) - len(found), seconds, process.returncode)
    for path, row in found.items():
        for name in task.fields:
            value = row.get(name)
            if task.kind(name) != "text":
                value = json.loads(value) if value else []
            counted = score_value(truth[path].truth[name], value, folding=task.folding)
            score.fields[name] = counted if name not in score.fields else _sum(score.fields[name], counted)
    if process.returncode:
        score.message = (process.stderr.strip().splitlines() or [""])[-1][:200]
    return score


def _sum(first: Score, second: Score) -> Score:
    first += second
    return first


def _site_file(where: Mapping[str, Any], task: Task, corpus: str, group: str, mode: str, pages: int) -> str:
    root = where["entry"].rpartition("/")[0]
    job = next(one for one in json.loads((corpora_root() / corpus / "tasks.json").read_text()) if one["group"] == group)
    by_path = {_path(page.url): page for page in task.pages}
    parts = [f"entry = [{json.dumps(where['entry'])}]", ""]
    for sample in job["samples"]:
        parts += ["[[samples]]", f"url = {json.dumps(root + sample['url'])}", "[samples.fields]"]
        fields = by_path[_path(sample["url"])].sample_fields()
        parts += [f"{name} = {_toml(value)}" for name, value in fields.items()]
        parts.append("")
    parts += ["[learn]", f"pages = {pages}", f'mode = "{mode}"', ""]
    return "\n".join(parts)


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {_toml(part)}" for name, part in value.items() if part) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(_toml(part) for part in value) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _stored(path: Path, site: str) -> dict[str, dict[str, Any]]:
    if not path.exists():
        return {}
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        return {_path(row["url"]): dict(row) for row in connection.execute(f'SELECT * FROM "records_{site}"')}  # noqa: S608


def _path(url: str) -> str:
    """Return the path by which a page is known in the truth: no query, one spelling of a directory."""
    return unquote(urlsplit(url).path).removesuffix("index.html") or "/"


def _shared_file(name: str) -> Path:
    beside = corpora_root() / name
    return beside if beside.is_file() else ARCHIVES / name


@contextmanager
def _served(corpus: str, port: int) -> Iterator[None]:
    command = [sys.executable, str(_shared_file("serve.py")), str(corpora_root() / corpus / "site"), str(port)]
    server = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        time.sleep(0.7)
        yield
    finally:
        server.terminate()
        server.wait()


def main() -> int:
    """Crawl the named groups (all for none) and print one line each."""
    parser = argparse.ArgumentParser(prog="python -m tests.eval.crawls", description=__doc__.splitlines()[0])
    parser.add_argument("groups", nargs="*", default=GROUPS, help="corpus/group")
    parser.add_argument("--mode", default="best", choices=("best", "paper"))
    parser.add_argument("--pages", type=int, default=4000, help="pages to pre-crawl")
    parser.add_argument("--keep", type=Path, help="directory to work in and keep; default: a temporary one")
    options = parser.parse_args()
    directory = options.keep or Path(tempfile.mkdtemp(prefix="gwc-corpora-"))
    print("| group | records of truth | precision | F1 of exact values | time | exit code | last word")
    for group in options.groups:
        print(crawl_corpus(group, options.mode, directory, pages=options.pages).line, flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""Whole crawls of all development sites: site files with two samples each, and what came home against the truth.

    python -m tests.eval.crawls                                   all, one table
    python -m tests.eval.crawls quotes/author ruststd --pairs 3   these, from three random pairs of samples each

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
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote, unquote_plus, urlsplit

from tests.eval.corpora import ARCHIVES, corpora_root
from tests.eval.harness import choose_samples
from tests.eval.more_sites import more_tasks
from tests.eval.scoring import Score, score_value
from tests.eval.tasks import EvalPage, Task, site_tasks

ROOT = Path(__file__).resolve().parents[2]
NOT_CRAWLED = ("gitrknows/post-comment-page", "scipydoc/method")
"""Truth groups that are no targets of their own: second addresses, parts of other pages."""
TIMED_OUT = 124
"""The exit code of a crawl that was stopped because it took too long, as `timeout` has it."""
COLUMNS = (
    "group",
    "targets found",
    "precision",
    "exact (F1) by field",
    "pages learned from",
    "time",
    "exit code",
    "word",
)


@cache
def crawl_tasks() -> dict[str, Task]:
    """Return the task of each group that is crawled, by its name."""
    return {task.name: task for task in (*site_tasks(), *more_tasks()) if task.name not in NOT_CRAWLED}


@dataclass
class CrawlScore:
    """How one crawl did: records found of the truth, records that are none, exact field values."""

    group: str
    truth: int
    found: int
    extra: int
    seconds: float
    code: int
    learned_from: int = 0
    """Pages of the pre-crawl."""
    fields: dict[str, Score] = field(default_factory=dict)
    message: str = ""

    @property
    def line(self) -> str:
        """One row of the table."""
        stored = self.found + self.extra
        precision = self.found / stored if stored else 0.0
        exact = " ".join(f"{name} {score.f1:.2f}" for name, score in self.fields.items())
        cells = (f"{self.found}/{self.truth}", f"{precision:.3f}", exact, self.learned_from, f"{self.seconds:.0f} s")
        return " | ".join(map(str, ("|", self.group, *cells, self.code, self.message))).removeprefix("| ")


def crawl_corpus(
    group: str, mode: str, directory: Path, *, pages: int = 1000, pair: int | None = None, timeout: float = 1500
) -> CrawlScore:
    """Serve the corpus of *group*, crawl it with two samples, and score what was stored.

    Args:
        pair: number of a random pair of samples; None for those that came with the corpus.
    """
    corpus, _, name = group.partition("/")
    task = crawl_tasks()[group]
    where = _served_as(corpus)
    (directory / "sites").mkdir(parents=True, exist_ok=True)
    site = f"{corpus}_{name}".replace("-", "_") + ("" if pair is None else f"_{pair}")
    (directory / "sites" / f"{site}.toml").write_text(
        _site_file(where["entry"], sample_pages(task, pair), mode, pages), encoding="utf-8"
    )
    with served_corpus(corpus):
        began = time.monotonic()
        process = _finished(
            [sys.executable, "-m", "scrapy.cmdline", "crawl", site, "-L", "WARNING", "-s", "GWC_PROGRESS=off",
             "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=16"],
            directory, timeout,
            {**os.environ, "SCRAPY_SETTINGS_MODULE": "settings_profiles.local", "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        seconds = time.monotonic() - began
    (directory / f"{site}.log").write_text(process.stdout + process.stderr, encoding="utf-8")
    stored = _stored(directory / "data" / site / "crawl.db", site)
    score = _score(group if pair is None else f"{group} {pair}", task, stored, seconds, process)
    score.learned_from = _learned_from(directory / "data" / site / "knowledge.json")
    return score


def _finished(
    command: list[str], directory: Path, timeout: float, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a command; one that takes longer is stopped, and what it has stored so far counts."""
    output = directory / "output.log"
    with output.open("w+", encoding="utf-8") as file:
        try:
            done = subprocess.run(
                command, cwd=directory, stdout=file, stderr=file, timeout=timeout, check=False, env=environment
            )
            code, word = done.returncode, ""
        except subprocess.TimeoutExpired:
            code, word = TIMED_OUT, f"\nstopped after {timeout:.0f} s"
        file.seek(0)
        return subprocess.CompletedProcess(command, code, "", file.read() + word)


def _served_as(corpus: str) -> dict[str, Any]:
    rows = json.loads(_shared_file("sites.json").read_text(encoding="utf-8"))
    return next(one for one in rows if one["name"] == corpus)


def sample_pages(task: Task, pair: int | None) -> tuple[EvalPage, ...]:
    """Return the two samples that came with the corpus, or a random pair by its number."""
    if pair is not None:
        return choose_samples(task, pair)
    corpus, _, group = task.name.partition("/")
    jobs = json.loads((corpora_root() / corpus / "tasks.json").read_text(encoding="utf-8"))
    job = next(one for one in jobs if one["group"] == group)
    by_address = {address_of(page.url): page for page in task.pages}
    return tuple(by_address[address_of(sample["url"])] for sample in job["samples"])


def _score(group: str, task: Task, stored: Mapping[str, Mapping[str, Any]], seconds: float, process: Any) -> CrawlScore:
    truth = {address_of(page.url): page for page in task.pages}
    found = {address: row for address, row in stored.items() if address in truth}
    for address, row in stored.items():  # under a query that changes nothing; once, a second time it is one too many
        if address not in truth and (plain := address.partition("?")[0]) in truth:
            found.setdefault(plain, row)
    score = CrawlScore(group, len(truth), len(found), len(stored) - len(found), seconds, process.returncode)
    for address, row in found.items():
        for name in task.fields:
            value = row.get(name)
            if task.kind(name) != "text":
                value = json.loads(value) if value else []
            counted = score_value(truth[address].truth[name], value, folding=task.folding)
            score.fields[name] = counted if name not in score.fields else _sum(score.fields[name], counted)
    if process.returncode:
        score.message = (process.stderr.strip().splitlines() or [""])[-1][:200]
    return score


def _learned_from(path: Path) -> int:
    return int(json.loads(path.read_text(encoding="utf-8"))["evidence"]["pages"]) if path.exists() else 0


def _sum(first: Score, second: Score) -> Score:
    first += second
    return first


def _site_file(entry: str, samples: tuple[EvalPage, ...], mode: str, pages: int) -> str:
    server = urlsplit(entry)
    parts = [f"entry = [{json.dumps(entry)}]", ""]
    for sample in samples:
        there = urlsplit(sample.url)._replace(scheme=server.scheme, netloc=server.netloc)
        parts += ["[[samples]]", f"url = {json.dumps(there.geturl())}", "[samples.fields]"]
        parts += [f"{name} = {_toml(value)}" for name, value in sample.sample_fields().items()]
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
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (f"records_{site}",)).fetchone():
            return {}
        return {address_of(row["url"]): dict(row) for row in connection.execute(f'SELECT * FROM "records_{site}"')}  # noqa: S608


def address_of(url: str) -> str:
    """Return how a page is known in the truth: no host, one spelling of a directory and of a query."""
    parts = urlsplit(url)
    path = unquote(parts.path).removesuffix("index.html") or "/"
    return path + (f"?{unquote_plus(parts.query)}" if parts.query else "")


def _shared_file(name: str) -> Path:
    beside = corpora_root() / name
    return beside if beside.is_file() else ARCHIVES / name


@contextmanager
def served_corpus(corpus: str) -> Iterator[str]:
    """Serve a corpus where its own server has it; gives its entry."""
    where = _served_as(corpus)
    command = [sys.executable, str(_shared_file("serve.py")), str(corpora_root() / corpus / "site"), str(where["port"])]
    server = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        time.sleep(0.7)
        yield where["entry"]
    finally:
        server.terminate()
        server.wait()


def main() -> int:
    """Crawl the named groups (all for none) and print one line each."""
    parser = argparse.ArgumentParser(prog="python -m tests.eval.crawls", description=__doc__.splitlines()[0])
    parser.add_argument("groups", nargs="*", help="corpus/group, or how its name begins; default: all")
    parser.add_argument("--mode", default="best", choices=("best", "paper"))
    parser.add_argument("--pages", type=int, default=1000, help="pages to pre-crawl at most")
    parser.add_argument(
        "--pairs", type=int, default=0, help="random pairs of samples for each (0: those of the corpus)"
    )
    parser.add_argument("--first", type=int, default=0, help="number of the first of these pairs (0)")
    parser.add_argument("--timeout", type=float, default=1500, help="seconds after which a crawl is stopped")
    parser.add_argument("--keep", type=Path, help="directory to work in and keep; default: a temporary one")
    options = parser.parse_args()
    directory = options.keep or Path(tempfile.mkdtemp(prefix="gwc-corpora-"))
    print(f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}")
    for group in [name for name in crawl_tasks() if name.startswith(tuple(options.groups) or ("",))]:
        for pair in range(options.first, options.first + options.pairs) if options.pairs else (None,):
            score = crawl_corpus(
                group, options.mode, directory, pages=options.pages, pair=pair, timeout=options.timeout
            )
            print(score.line, flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

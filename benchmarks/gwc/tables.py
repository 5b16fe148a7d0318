"""The results as Markdown tables, beside the figures that the paper reports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean, median

from benchmarks.gwc.crawls import THRESHOLDS, SiteResult
from benchmarks.gwc.similarity import ClassScore

PAPER_ROWS = (
    ("*paper: Dianping, restaurants of Sichuan*", "14,000 of 14,000 to 15,000 (Octoparse: 700)"),
    ("*paper: Zhongchou*", "all but < 20 of 4,400 in 2 h (Octoparse: 800)"),
    ("*paper: Sina, stocks*", "3,050 (Octoparse: 2,600)"),
)
"""What the paper found, with a network; a pre-crawl of 4,000 pages took it 11 to 13 minutes."""


def similarity_table(results: Sequence[SiteResult]) -> str:
    """Precision and recall of each target class at each c, and their means."""
    scores = [score for result in results for score in result.classes]
    losses = sorted({score.allowed_loss for score in scores})
    by_class: dict[str, dict[float, ClassScore]] = {}
    for score in scores:
        by_class.setdefault(f"{score.site}/{score.job}", {})[score.allowed_loss] = score
    rows = [[name, *(f"{at[c].precision:.2f} / {at[c].recall:.2f}" for c in losses)] for name, at in by_class.items()]
    columns = [[score for score in scores if score.allowed_loss == c] for c in losses]
    rows.append(["*mean F1*", *(f"{fmean(score.f1 for score in column):.3f}" for column in columns)])
    once = [list({score.site: score for score in column}.values()) for column in columns]
    rows.append(["*clusters of a site, median*", *(f"{median(one.clusters for one in column):.0f}" for column in once)])
    rows.append(["*CPU s, all sites*", *(f"{sum(one.seconds for one in column):.2f}" for column in once)])
    return _table(["class", *(f"c = {c:.2f}" for c in losses)], rows)


def tunnel_table(results: Iterable[SiteResult]) -> str:
    """Completeness and pages fetched with each weight threshold; the one that was learned in bold."""
    rows = []
    for one in results:
        start = [one.site, f"{one.pages:,}", "keywords" if one.keywords else "URL form"]
        if one.message:
            rows.append([*start, one.message, *[""] * (len(THRESHOLDS) + 1)])
            continue
        cells = [_threshold_cell(one, threshold) for threshold in THRESHOLDS]
        rows.append([*start, f"{one.mean_weight:.2f}", str(one.chosen), *cells])
    shown = ["none" if threshold is None else str(threshold) for threshold in THRESHOLDS]
    return _table(["site", "pages learned from", "relevant by", "mean weight", "chosen", *shown], rows)


def _threshold_cell(one: SiteResult, threshold: int | None) -> str:
    text = f"{one.completeness(threshold):.1%} of {one.crawls[threshold].pages:,}"
    return f"**{text}**" if threshold == one.chosen else text


def completeness_table(results: Iterable[SiteResult]) -> str:
    """Targets found, precision, and CPU time of each stage, then the paper's figures."""
    rows = []
    for one in results:
        if one.message:
            rows.append([f"{one.site}/{one.job.name}", one.message, *[""] * 5])
            continue
        found = f"{one.found(one.chosen):,} of {len(one.job.targets):,}"
        stages = [f"{one.seconds[stage]:.1f}" for stage in ("pre-crawl", "learn", "crawl")]
        pages = f"{one.crawls[one.chosen].pages:,}"
        rows.append([f"{one.site}/{one.job.name}", found, f"{one.precision:.3f}", pages, *stages])
    rows += [[name, found, *["-"] * 5] for name, found in PAPER_ROWS]
    head = ["site", "targets found", "precision", "pages fetched", "pre-crawl CPU s", "learn CPU s", "crawl CPU s"]
    return _table(head, rows)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(cells)} |" for cells in (head, *rows)]
    return "\n".join([lines[0], f"|{'---|' * len(head)}", *lines[1:]])

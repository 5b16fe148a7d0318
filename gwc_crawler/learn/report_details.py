"""The rest of the learning report (`--verbose`): regexes, weights, how fields are read, what was not asked for.

In: the report as data. Out: lines and tables on a rich console.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from gwc_crawler.errors import escape

_SHOWN_CLASSES = 25
_BAR_WIDTH = 30


def render_details(report: Mapping[str, Any], console: Console) -> None:
    """Print on *console* what does not fit on the report's one screen."""
    for line in _headline(report):
        console.print(line, highlight=False)
    console.print(_class_table(report.get("clusters", ())))
    for line in (*_pages_apart(report), *map(_not_asked_for, report.get("not_asked_for", ())[:_SHOWN_CLASSES])):
        console.print(line, highlight=False)
    console.print(_weights(report), highlight=False)
    if fields := report.get("fields"):
        console.print(_field_table(fields))
    for name, said in ((name, row["read_by"]) for name, row in (fields or {}).items() if "read_by" in row):
        console.print(f"[bold]{escape(name)}[/] is read by {escape(said)}", highlight=False, soft_wrap=True)
    for name, row in report.get("notations", {}).items():
        if row["open"]:
            console.print(_notation(name, row), highlight=False)
    for name, rule in report["paging_rules"].items():
        console.print(f"[bold]{escape(name)}[/] goes on on {escape(rule['regex'])}", highlight=False)
    for warning in report.get("warnings", ()):
        console.print(f"[yellow]warning:[/] {escape(warning)}", highlight=False)


def _headline(report: Mapping[str, Any]) -> Iterator[str]:
    yield f"learned in mode {report['mode']}"
    if "relevant_pages" in report and report.get("keywords"):
        yield f"{report['relevant_pages']} of the pages with the keywords"
    if links := report.get("links"):
        yield (
            f"links: {links['entry']:g} on the entry page, {links['mean']:g} on a page on average; "
            f"{links['candidates']} pages have fewer"
        )
    if report["ignored_query_keys"]:
        yield f"query keys that change nothing, ignored: {escape(', '.join(report['ignored_query_keys']))}"
    if report["ignored_segments"]:
        yield f"path segments that change nothing, ignored: {escape(', '.join(report['ignored_segments']))}"


def _class_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    table = Table(title="URL classes", title_justify="left", show_lines=False)
    for name, style in (("role", "bold"), ("pages", ""), ("score", ""), ("pattern and example", "")):
        table.add_column(name, style=style, justify="right" if name in {"pages", "score"} else "left", overflow="fold")
    for row in rows[:_SHOWN_CLASSES]:
        example = next(iter(row.get("examples", ())), "")
        text = f"{escape(row['regex'])}\n[dim]{escape(example)}[/]"
        table.add_row(_role(row["role"]), str(row["size"]), f"{row['score']:.2f}", text)
    if len(rows) > _SHOWN_CLASSES:
        hidden = rows[_SHOWN_CLASSES:]
        table.add_row("…", str(sum(row["size"] for row in hidden)), "", f"{len(hidden)} further classes")
    return table


def _role(role: str) -> str:
    style = {"target": "green", "directory": "cyan", "duplicate": "yellow"}.get(role)
    return f"[{style}]{role}[/]" if style else role


def _pages_apart(report: Mapping[str, Any]) -> Iterator[str]:
    """The pages of a target's URL form that are none, and the forms that hold copies of targets, or lists of them."""
    for group in report.get("other_categories", ()):
        example = next(iter(group["examples"]), "")
        yield (
            f"[bold]another category[/] under the target's URL form: {group['pages']} of {report['judged_pages']} "
            f"pages, such as {escape(example)}: {escape(group['reason'])}"
        )
    if aliases := report.get("aliases"):
        url, main = aliases["examples"][0]
        yield (
            f"[bold]aliases[/] under the target's URL form: {aliases['pages']} pages name another target as their "
            f"canonical address, such as {escape(url)}: {escape(main)}; no records of their own"
        )
    for row in report.get("left_out", ()):
        if row["kind"] in ("copy", "list"):
            told = f"about {row['pages']:,} pages, such as {escape(row['example'])}: {escape(row['reason'])}"
            yield f"[bold]left out[/] {told}"


_WHY_NOT = {
    "only_errors": "others of this form gave nothing but errors",
    "among_errors": "others on the same page gave nothing but errors",
    "links_of_a_page": "the page has more links than are taken in",
}


def _not_asked_for(row: Mapping[str, Any]) -> str:
    where = f" {escape(row['pattern'])}" if row["pattern"] else ""
    example = next(iter(row["examples"]), "")
    reason = _WHY_NOT.get(row["reason"], row["reason"])
    return f"[bold]not asked for[/] {row['count']:,} URLs{where}: {reason} [dim]({escape(example)})[/]"


def _weights(report: Mapping[str, Any]) -> str:
    weights = report.get("weights", {})
    histogram = weights.get("histogram", {})
    most = max(histogram.values(), default=1)
    mean, limit = weights.get("mean", 0), report["max_weight"]
    lines = [f"[bold]weights[/] mean {mean:g}; pages of weight {limit} or more are not followed"]
    for weight, count in histogram.items():
        lines.append(f"  {weight:>3} {'█' * max(1, round(_BAR_WIDTH * count / most))} {count}")
    return "\n".join(lines)


def _field_table(fields: Mapping[str, Any]) -> Table:
    table = Table(title="Fields, on pages the learning has not seen", title_justify="left")
    for name in ("field", "pages", "coverage", "distinct", "agreement", "warnings"):
        table.add_column(name, justify="left" if name in {"field", "warnings"} else "right")
    for name, row in fields.items():
        table.add_row(
            escape(name),
            str(row["unseen_pages"]),
            _share(row["coverage"]),
            str(row["distinct"]),
            _share(row["agreement"]),
            escape("; ".join(row["warnings"])),
        )
    return table


def _notation(name: str, row: Mapping[str, Any]) -> str:
    votes = ", ".join(f"{escape(repr(way))}: {count}" for way, count in row["votes"].items())
    told = f"[bold]{escape(name)}[/] is read as {escape(row['type'])}"
    if row["chosen"] and "language" not in row:
        return f"{told}: the values that leave no choice ({votes}) decide what {escape(repr(row['example']))} means"
    by = f", the pages' language ({escape(row['language'])}) does" if row["chosen"] else ""
    return f"{told}: {escape(repr(row['example']))} can be read in two ways and no other value decides ({votes}){by}"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"

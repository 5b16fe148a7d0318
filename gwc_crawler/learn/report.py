"""The learning report: what was learned and how sure it is, for a person to judge by.

In: knowledge. Out: plain data (`learning_report`), or tables on a rich console (`render_report`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from gwc_crawler.items import is_empty
from gwc_crawler.knowledge import Knowledge
from gwc_crawler.markup import escape

_SHOWN_CLASSES = 25
_BAR_WIDTH = 30
_LONGEST_VALUE = 60


def learning_report(knowledge: Knowledge) -> dict[str, Any]:
    """Everything the report shows, as JSON-ready data: the decisions, and `knowledge.evidence`."""
    return {
        "site": knowledge.site,
        "mode": knowledge.mode,
        "keywords": knowledge.keywords,
        "targets": [one.regex for one in knowledge.targets],
        "directories": [one.regex for one in knowledge.directories],
        "max_weight": knowledge.max_weight,
        "page_check": dict(knowledge.page_check),
        "paging_rules": {name: dict(rule) for name, rule in knowledge.paging.items()},
        **knowledge.evidence,
        "ignored_query_keys": list(knowledge.ignored_query_keys),
        "ignored_segments": dict(knowledge.ignored_segments),
    }


def render_report(knowledge: Knowledge, console: Console) -> None:
    """Print the report on *console*."""
    report = learning_report(knowledge)
    first, *further = _headline(report)
    for line in (first, *_noticed(report), *further):
        console.print(line, highlight=False)
    console.print(_class_table(report.get("clusters", ())))
    for group in report.get("other_categories", ()):
        example = next(iter(group["examples"]), "")
        console.print(
            f"[bold]another category[/] under the target's URL form: {group['pages']} of {report['judged_pages']} "
            f"pages, such as {escape(example)}: {escape(group['reason'])}",
            highlight=False,
        )
    if aliases := report.get("aliases"):
        url, main = aliases["examples"][0]
        console.print(
            f"[bold]aliases[/] under the target's URL form: {aliases['pages']} pages name another target as their "
            f"canonical address, such as {escape(url)}: {escape(main)}; no records of their own",
            highlight=False,
        )
    for row in report.get("not_asked_for", ())[:_SHOWN_CLASSES]:
        console.print(_not_asked_for(row), highlight=False)
    console.print(_weights(report), highlight=False)
    if selectors := report.get("selectors"):
        console.print(_selector_table(selectors, knowledge.wrapper["fields"]))
    fields = report.get("fields", {})
    if fields:
        console.print(_field_table(fields))
        console.print(_value_table(fields))
    for name, row in report.get("notations", {}).items():
        if row["open"]:
            console.print(_notation(name, row), highlight=False)
    for name, rule in report["paging_rules"].items():
        console.print(f"[bold]{escape(name)}[/] goes on on {escape(rule['regex'])}", highlight=False)
    for warning in _warnings(report):
        console.print(f"[yellow]warning:[/] {escape(warning)}", highlight=False)
    if certainty := report.get("certainty"):
        console.print(f"[bold]certainty[/] {escape(certainty['line'])}", highlight=False)


def _last_look(report: Mapping[str, Any]) -> str:
    """What the last look of the pre-crawl said of its pages, where there was one."""
    looks = report.get("looks")
    if not looks:
        return ""
    last = looks[-1]
    if last["since"] and last["since"] < last["pages"]:
        return f", the decision is the same since {last['since']}"
    if not report.get("waiting", 1):
        return ", all that links lead to"
    if last["since"]:  # the first look: there is nothing to compare it with
        return ""
    return f"; at {last['pages']} the decision was not settled: {escape(last['doubt'])}"


def _headline(report: Mapping[str, Any]) -> list[str]:
    links = report.get("links", {})
    parts = [
        f"[bold]{escape(report['site'])}[/] learned in mode {report['mode']} from {report.get('pages', '?')} pages"
        + _last_look(report)
    ]
    if "relevant_pages" in report and report.get("keywords"):
        parts.append(f"{report['relevant_pages']} of them with the keywords")
    if links:
        parts.append(
            f"links: {links['entry']:g} on the entry page, {links['mean']:g} on a page on average; "
            f"{links['candidates']} pages have fewer"
        )
    if report["ignored_query_keys"]:
        parts.append(f"query keys that change nothing, ignored: {escape(', '.join(report['ignored_query_keys']))}")
    if report["ignored_segments"]:
        parts.append(f"path segments that change nothing, ignored: {escape(', '.join(report['ignored_segments']))}")
    if reached := report.get("targets_reached"):
        parts.append(
            f"over the directories below, {reached['reached']} of {reached['known']} known targets are reached"
        )
    return parts


_SHOWN_FORMS = 2
_KINDS_LEFT_OUT = ("address", "unlike", "copy", "list")
"""Why a URL form was left out, the reason that a person should look at first."""


def _noticed(report: Mapping[str, Any]) -> Iterator[str]:
    """Where the fields are found besides, by the kind of reason, and where they are missing."""
    left_out = report.get("left_out", ())
    for kind in _KINDS_LEFT_OUT:
        if rows := [row for row in left_out if row["kind"] == kind]:
            yield _left_out(rows)
    for row in report.get("lacking", ()):
        yield (
            f"[yellow]most pages lack the fields[/] ({row['lacking']} of {row['tried']} tried) of the {row['pages']:,} "
            f"target pages {escape(row['regex'])}, such as {escape(row['example'])}: {escape(row['reason'])}"
        )


def _left_out(rows: Sequence[Mapping[str, Any]]) -> str:
    pages, forms = sum(row["pages"] for row in rows), len(rows)
    shown = ", ".join(row["example"] for row in rows[:_SHOWN_FORMS]) + (", …" if forms > _SHOWN_FORMS else "")
    return (
        f"[yellow]the fields of your samples are also found[/] on about {pages:,} pages of "
        f"{f'{forms} other URL forms' if forms > 1 else 'another URL form'}: {escape(shown)}; "
        f"not taken because {escape(rows[0]['reason'])}"
    )


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


def _weights(report: Mapping[str, Any]) -> str:
    weights = report.get("weights", {})
    histogram = weights.get("histogram", {})
    most = max(histogram.values(), default=1)
    mean, limit = weights.get("mean", 0), report["max_weight"]
    lines = [f"[bold]weights[/] mean {mean:g}; pages of weight {limit} or more are not followed"]
    for weight, count in histogram.items():
        lines.append(f"  {weight:>3} {'█' * max(1, round(_BAR_WIDTH * count / most))} {count}")
    return "\n".join(lines)


def _selector_table(rows: Mapping[str, Any], rules: Mapping[str, Any]) -> Table:
    table = Table(title="Selectors, on the samples and on pages the learning has not seen", title_justify="left")
    for name in ("field", "selectors", "reads", "several", "differs from samples"):
        table.add_column(name, justify="right" if name in {"reads", "several"} else "left", overflow="fold")
    for name, row in rows.items():
        ways = "\n".join(f"{kind} {text}" for way in rules[name]["ways"] for kind, text in way.items())
        differs = [f"{_short(one['said'])} / {_short(one['read'])}\n{one['url']}" for one in row["differs"]]
        reads = f"{row['read']} of {row['pages']}"
        table.add_row(escape(name), escape(ways), reads, str(row["several"]), escape("\n".join(differs)))
    return table


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


def _value_table(fields: Mapping[str, Any]) -> Table:
    table = Table(title="Values on five of them", title_justify="left")
    table.add_column("field", style="bold")
    table.add_column("value", overflow="fold")
    for name, row in fields.items():
        values = "\n".join(escape(_short(item["value"])) for item in row["values"])
        table.add_row(escape(name), values)
    return table


def _notation(name: str, row: Mapping[str, Any]) -> str:
    votes = ", ".join(f"{escape(repr(way))}: {count}" for way, count in row["votes"].items())
    told = f"[bold]{escape(name)}[/] is read as {escape(row['type'])}"
    if row["chosen"] and "language" not in row:
        return f"{told}: the values that leave no choice ({votes}) decide what {escape(repr(row['example']))} means"
    by = f", the pages' language ({escape(row['language'])}) does" if row["chosen"] else ""
    return (
        f"{told}: {escape(repr(row['example']))} can be read in two ways and no other value decides ({votes}){by}; "
        f"[yellow]if it is read wrongly, say in the site file[/] {escape(' or '.join(row['options']))}"
    )


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"


def _short(value: Any) -> str:
    if is_empty(value):
        return "(none)"
    text = "; ".join(map(str, value)) if isinstance(value, list) else str(value)
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"


def _warnings(report: Mapping[str, Any]) -> list[str]:
    found = list(report.get("warnings", ()))
    for name, row in report.get("fields", {}).items():
        found += [f"field {name}: {warning}" for warning in row["warnings"]]
    return found

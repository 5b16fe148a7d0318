"""The learning report: what was learned and how sure it is, on one screen, for a person who acts on it.

In: knowledge. Out: plain data (`learning_report`), or lines on a rich console (`render_report`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, repeat
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from gwc_crawler.errors import advice, escape, visible
from gwc_crawler.items import is_empty
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.knowledge.patterns import glob_of
from gwc_crawler.learn.degrees import A_DOZEN, LABEL_LENGTH
from gwc_crawler.learn.targets.decisions import SHOWN
from gwc_crawler.urls import host_of

_WIDTH = 100
_NARROW = 10
"""Width of the columns of labels and shares."""
_SHOWN_GROUPS = 6
_SHOWN_LISTINGS = 4


def learning_report(knowledge: Knowledge) -> dict[str, Any]:
    """Return everything the report shows, as JSON-ready data: the decisions, and `knowledge.evidence`."""
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


def render_report(knowledge: Knowledge, console: Console, *, verbose: bool = False) -> None:
    """Print the report on *console*: targets, listings, fields, doubts, things to do; if *verbose*, also the rest."""
    report = learning_report(knowledge)
    sure = f"; {told['targets']} of the targets" if (told := report.get("certainty")) else ""
    pages = f"{report.get('pages', '?')} pages{_last_look(report)}"
    console.print(f"[bold]{escape(report['site'])}[/] learned from {pages}{sure}", highlight=False)
    width = min(console.width, _WIDTH)
    parts = Table(box=None, show_header=False, pad_edge=False, width=width)
    parts.add_column(style="bold", no_wrap=True)
    parts.add_column(overflow="fold")
    for name, rows in _parts(knowledge, report, width - _NARROW):
        for label, row in zip(chain([name], repeat("")), rows, strict=False):
            parts.add_row(label, row)
    console.print(parts, highlight=False)
    if verbose:
        render_details(report, console)


def _parts(knowledge: Knowledge, report: Mapping[str, Any], width: int) -> Iterator[tuple[str, list[Any]]]:
    classes = (*knowledge.targets, *knowledge.directories)
    host = next((host_of(url) for one in classes for url in one.examples), "")  # it is not repeated in the report
    yield "URLs", [_group_table(report.get("groups", ()), host, len(report.get("fields", ())))]
    yield (
        "by hand",
        [
            escape(f"{row['key']} {row['pattern']} takes {row['urls']:,} known URLs")
            + (escape(f", such as {row['example']}") if row["example"] else "")
            for row in report.get("by_hand", ())
        ],
    )
    yield "listings", [_listings(knowledge, report, host)]
    if fields := report.get("fields"):
        yield "fields", [_field_table(fields, width)]
    rules = knowledge.wrapper.get("fields", {})
    yield "selectors", [_selector(name, row, rules[name]) for name, row in report.get("selectors", {}).items()]
    yield "unsure", [escape(told) for told in _doubts(report, host)]
    yield "to do", [escape(advice(told)) for told in _what_to_do(report)]


def _last_look(report: Mapping[str, Any]) -> str:
    if not report.get("looks"):
        return ""
    last = report["looks"][-1]
    if last["since"] and last["since"] < last["pages"]:
        return f", the decision is the same since {last['since']}"
    if not report.get("waiting", 1):
        return ", all that links lead to"
    if last["since"]:  # the first look: there is nothing to compare it with
        return ""
    return f"; at {last['pages']} the decision was not settled: {escape(last['doubt'])}"


def _group_table(groups: Sequence[Mapping[str, Any]], host: str, fields: int) -> Table:
    table = _table("", "known", "fields", "such as", "")
    for row in groups[:_SHOWN_GROUPS]:
        role = ("[green]targets[/]" if row["is_taken"] else "left out") + ("[yellow]?[/]" if row["is_doubtful"] else "")
        found = f"{row['fields']:g} of {fields}"
        table.add_row(role, f"{row['urls']:,}", found, escape(_globs(row["regex"], host)), escape(row["example"]))
    if rest := groups[_SHOWN_GROUPS:]:
        table.add_row("…", f"{sum(row['urls'] for row in rest):,}", "", f"{len(rest)} more")
    return table


def _globs(regexes: str, host: str) -> str:
    return " ".join(dict.fromkeys(glob_of(regex, host) for regex in regexes.split(" | ")))


def _selector(name: str, row: Mapping[str, Any], rule: Mapping[str, Any]) -> str:
    ways = " or ".join(f"{kind} {text}" for way in rule["ways"] for kind, text in way.items())
    several = f", several values on {row['several']}" if row["several"] else ""
    differs = [f"\n{one['url']} has {_short(one['said'])}, it reads {_short(one['read'])}" for one in row["differs"]]
    return escape(f"{name}: {ways}: reads {row['read']} of {row['pages']} pages{several}{''.join(differs)}")


def _listings(knowledge: Knowledge, report: Mapping[str, Any], host: str) -> str:
    counts: dict[str, int] = {}
    for one in knowledge.directories:
        glob = glob_of(one.regex, host)
        counts[glob] = counts.get(glob, 0) + one.size
    shown = [f"{glob} ({count:,})" for glob, count in list(counts.items())[:_SHOWN_LISTINGS]]
    more = [f"{len(counts) - len(shown)} more"] if len(counts) > len(shown) else []
    reach = report.get("targets_reached")
    told = f"; they lead to {reach['reached']:,} of {reach['known']:,} targets" if reach else ""
    return escape((", ".join([*shown, *more]) or "none") + told)


def _field_table(fields: Mapping[str, Any], width: int) -> Table:
    """Make the table of fields in the samples' order; if there are very many, those with warnings come first."""
    ranked = sorted(fields, key=lambda name: not fields[name]["warnings"]) if len(fields) > A_DOZEN else fields
    shown = set(list(ranked)[:A_DOZEN])
    room = width - max(map(cell_len, shown)) - _NARROW
    table = _table("", "found", "on pages that were not learned from")
    for name, row in ((name, row) for name, row in fields.items() if name in shown):
        values = Text(visible(" | ".join(_short(one["value"]) for one in row["values"] if not is_empty(one["value"]))))
        values.truncate(room, overflow="ellipsis")
        table.add_row(escape(name), "–" if row["coverage"] is None else f"{row['coverage']:.0%}", values)
    if len(fields) > len(shown):
        table.add_row("…", "", f"{len(fields) - len(shown)} more")
    return table


def _table(*names: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for name in names:
        table.add_column(name, justify="right" if name in {"known", "found"} else "left", overflow="fold")
    return table


def _short(value: Any) -> str:
    if isinstance(value, list):
        first = value[0]
        return f"{len(value)} × {_short(' / '.join(map(str, first.values())) if isinstance(first, dict) else first)}"
    text = " ".join(str(value).split())
    return text if len(text) <= LABEL_LENGTH else text[: LABEL_LENGTH - 1] + "…"


def _doubts(report: Mapping[str, Any], host: str) -> Iterator[str]:
    if because := report.get("certainty", {}).get("because"):
        yield because
    told = [*_noticed(report, host), *report.get("warnings", ()), *_field_doubts(report)]
    yield from told[:SHOWN]
    if rest := told[SHOWN:]:
        yield f"{len(rest)} more"


def _noticed(report: Mapping[str, Any], host: str) -> Iterator[str]:
    """Yield the target classes that lack the fields, and the forms that have them."""
    for row in report.get("lacking", ()):
        yield (
            f"{row['lacking']} of {row['tried']} pages tried of {_globs(row['regex'], host)} lack the fields, such as "
            f"{row['example']}: {row['reason']}"
        )
    for row in report.get("left_out", ()):
        if row["kind"] in ("address", "unlike"):
            yield (
                f"the fields are also found on about {row['pages']:,} pages like {_globs(row['regex'], host)}, "
                f"not taken because {row['reason']}"
            )


def _field_doubts(report: Mapping[str, Any]) -> Iterator[str]:
    for name, row in report.get("fields", {}).items():
        yield from (f"field {name}: {warning}" for warning in row["warnings"])
    for name, row in report.get("notations", {}).items():
        if row["open"] and not (row["chosen"] and "language" not in row):
            yield (
                f"field {name} is read as {row['type']}, but {row['example']!r} can be read in two ways; if it is read "
                f"wrongly, say in the site file {' or '.join(row['options'])}"
            )


def _what_to_do(report: Mapping[str, Any]) -> Iterator[str]:
    certainty = report.get("certainty", {})
    if asked := report.get("questions"):
        what = f"{len(asked)} questions" if len(asked) > 1 else "a question"
        yield f"answer {what} by yes or no: scrapy learn {report['site']} --offline --ask"
    if page := certainty.get("next_sample"):
        yield f"one more sample would settle {certainty['settles']}: {page}"
    nothing = "" if page or certainty.get("because") or report.get("warnings") else "nothing; "
    yield f"{nothing}all that was learned: scrapy learn {report['site']} --offline --verbose"


# --- The rest of the report (`--verbose`): regexes, weights, how fields are read, unasked findings --------------------


_SHOWN_CLASSES = 25
_BAR_WIDTH = 30
_ROLES = {"target": "green", "directory": "cyan", "duplicate": "yellow"}


def render_details(report: Mapping[str, Any], console: Console) -> None:
    """Print on *console* what does not fit on the report's one screen."""
    for line in _headline(report):
        console.print(line, highlight=False)
    console.print(_class_table(report.get("clusters", ())))
    for line in _pages_apart(report):
        console.print(line, highlight=False)
    for row in report.get("not_asked_for", ())[:_SHOWN_CLASSES]:
        where = f" {escape(row['pattern'])}" if row["pattern"] else ""
        example, reason = next(iter(row["examples"]), ""), _WHY_NOT.get(row["reason"], row["reason"])
        line = f"[bold]not asked for[/] {row['count']:,} URLs{where}: {reason} [dim]({escape(example)})[/]"
        console.print(line, highlight=False)
    console.print(_weights(report), highlight=False)
    if fields := report.get("fields"):
        console.print(_whole_field_table(fields))
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
        role = row["role"]
        shown = f"[{_ROLES[role]}]{role}[/]" if role in _ROLES else role
        table.add_row(shown, str(row["size"]), f"{row['score']:.2f}", text)
    if len(rows) > _SHOWN_CLASSES:
        hidden = rows[_SHOWN_CLASSES:]
        table.add_row("…", str(sum(row["size"] for row in hidden)), "", f"{len(hidden)} further classes")
    return table


def _pages_apart(report: Mapping[str, Any]) -> Iterator[str]:
    """Describe pages of a target's URL form that are no targets, and forms with copies of targets, or lists of them."""
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


def _weights(report: Mapping[str, Any]) -> str:
    weights = report.get("weights", {})
    histogram = weights.get("histogram", {})
    most = max(histogram.values(), default=1)
    mean, limit = weights.get("mean", 0), report["max_weight"]
    lines = [f"[bold]weights[/] mean {mean:g}; pages of weight {limit} or more are not followed"]
    for weight, count in histogram.items():
        lines.append(f"  {weight:>3} {'█' * max(1, round(_BAR_WIDTH * count / most))} {count}")
    return "\n".join(lines)


def _whole_field_table(fields: Mapping[str, Any]) -> Table:
    table = Table(title="Fields, on pages the learning has not seen", title_justify="left")
    for name in ("field", "pages", "coverage", "distinct", "agreement", "warnings"):
        table.add_column(name, justify="left" if name in {"field", "warnings"} else "right")
    for name, row in fields.items():
        shares = ["–" if one is None else f"{one:.0%}" for one in (row["coverage"], row["agreement"])]
        table.add_row(
            escape(name),
            str(row["unseen_pages"]),
            shares[0],
            str(row["distinct"]),
            shares[1],
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

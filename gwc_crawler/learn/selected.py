"""Fields that are read by a person's selectors: put into the wrapper, and checked, during learning.

In: their rules, and pages. Out: the wrapper with them; the pages each reads, and where it differs from samples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gwc_crawler.extract.fields import same_value
from gwc_crawler.extract.page_view import PageView
from gwc_crawler.extract.wrapper import Rule, Wrapper, rule_class
from gwc_crawler.items import is_empty
from gwc_crawler.knowledge.selectors import SELECTED
from gwc_crawler.learn.wrapper.complaints import shown
from gwc_crawler.learn.wrapper.samples import SampleView


def with_selected(
    wrapper: Wrapper, selectors: Mapping[str, Mapping[str, Any]], samples: Sequence[SampleView]
) -> Wrapper:
    """Return *wrapper* with the fields that *selectors* read, in the order of the samples, then of the site file.

    One that reads nothing on some sample page is optional, as a field is that a sample leaves out.

    Args:
        selectors: field → rule, as a wrapper's JSON form has it.
        samples: sample pages with the values a person sees there, which a selector may read otherwise: it wins.
    """
    rules = {name: rule_class(SELECTED).from_json(rule) for name, rule in selectors.items()}
    differing = {name: list(_differences(name, rule, samples)) for name, rule in rules.items()}
    missing = {name for name, rule in rules.items() if any(is_empty(rule.read(sample.page)) for sample in samples)}
    order = dict.fromkeys((*(name for sample in samples for name in sample.fields), *wrapper.rules, *rules))
    everything = {**wrapper.rules, **rules}
    report = {name: {"differs": rows, **({"unmet": True} if rows else {})} for name, rows in differing.items()}
    return replace(
        wrapper,
        rules={name: everything[name] for name in order if name in everything},
        optional=wrapper.optional | missing,
        warnings=(*wrapper.warnings, *(_told(row) for rows in differing.values() for row in rows)),
        report={**wrapper.report, **report},
    )


def _differences(name: str, rule: Rule, samples: Iterable[SampleView]) -> Iterable[dict[str, Any]]:
    for sample in samples:
        said, read = sample.fields.get(name), rule.read(sample.page)
        if not is_empty(said) and not same_value(read, said):
            yield {"field": name, "url": sample.page.url, "said": said, "read": read}


def _told(row: Mapping[str, Any]) -> str:
    read = "nothing" if is_empty(row["read"]) else repr(shown(row["read"], row["said"]))
    return (
        f"field {row['field']!r} on {row['url']}: its selector reads {read}, but the sample says "
        f"{shown(row['said'], row['read'])!r}; the selector decides"
    )


def judge_selectors(wrapper: Wrapper, selectors: Iterable[str], pages: Sequence[PageView]) -> dict[str, Any]:
    """Say of each field with selectors on how many of *pages* it is found, and on how many several times."""
    counts = {name: [wrapper.rules[name].count(page) for page in pages] for name in selectors}
    return {
        name: {
            "pages": len(pages),
            "read": sum(count > 0 for count in found),
            "several": sum(count > 1 for count in found),
            "differs": wrapper.report[name]["differs"],
        }
        for name, found in counts.items()
    }

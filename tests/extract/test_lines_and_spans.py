"""Several labels in one text, and cells that belong to several records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gwc_crawler import Sample, Wrapper, learn_wrapper

GROUPS = (("Tools", ("Hammer", "Saw")), ("Food", ("Bread",)), ("Paper", ("Book", "Card", "Map")))


def spanned(groups: tuple[tuple[str, tuple[str, ...]], ...]) -> str:
    rows = [
        f"<tr>{f'<td rowspan={len(names)}>{group}</td>' if n == 0 else ''}<td>{name}</td><td>{len(name)} kg</td></tr>"
        for group, names in groups
        for n, name in enumerate(names)
    ]
    return f"<table><tr><th>Group</th><th>Name</th><th>Weight</th></tr>{''.join(rows)}</table>"


def headed(groups: tuple[tuple[str, tuple[str, ...]], ...]) -> str:
    rows = (
        f"<tr><td colspan=2>{group}</td></tr>"
        + "".join(f"<tr><td>{name}</td><td>{len(name)} kg</td></tr>" for name in names)
        for group, names in groups
    )
    return f"<table>{''.join(rows)}</table>"


@pytest.mark.parametrize("written", [spanned, headed])
def test_a_cell_that_spans_belongs_to_each_of_its_records(written: Callable[[Any], str]) -> None:
    samples = [
        Sample(f"https://x.example/{n}", written(groups), {"goods": wanted(groups)})
        for n, groups in enumerate((GROUPS[:2], GROUPS[1:]))
    ]
    wrapper = Wrapper.from_json(learn_wrapper(samples).to_json())
    assert wrapper.extract(written(GROUPS[::-1]))["goods"] == wanted(GROUPS[::-1])


def wanted(groups: tuple[tuple[str, tuple[str, ...]], ...]) -> Any:
    return [{"group": group, "name": name, "weight": f"{len(name)} kg"} for group, names in groups for name in names]

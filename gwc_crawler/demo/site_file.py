"""A site file for the mall, as a person would write it after a look at two products."""

from __future__ import annotations

import json
from collections.abc import Mapping

from gwc_crawler.demo.mall import Mall
from gwc_crawler.demo.truth import MallTruth
from gwc_crawler.items import Extracted

KEYWORDS = "SKU && (品牌 || Brand)"


def mall_site_toml(mall: Mall, base_url: str = "http://127.0.0.1:8765") -> str:
    """The text of a ready site file for *mall*, served at *base_url* (no slash at the end)."""
    truth = mall.truth
    pages = min(4000, max(150, mall.size * 5 // 4))
    samples = "\n".join(_sample(base_url, path, truth.records[path]) for path in choose_samples(truth, mall))
    return f"""# The bundled demo mall: `python -m gwc_crawler.demo --seed {mall.seed} --size {mall.size}` serves it.
# Two products and what stands on their pages; the rest is learned.
entry = ["{base_url}/"]
keywords = {_text(KEYWORDS)}

{samples}
[learn]
pages = {pages}

[crawl]
# Follow up to two pages that seem to lead nowhere: behind them lie islands of products.
max_weight = {truth.island_weight}
"""


def choose_samples(truth: MallTruth, mall: Mall) -> tuple[str, str]:
    """Two products: a Chinese one with discount and warranty, an English one without; both with tags and reviews."""
    good = [path for path in _linked_from_first_pages(mall) if path in truth.records and _is_rich(truth.records[path])]
    rich = [*good, *(path for path in truth.records if _is_rich(truth.records[path]))]
    full = [path for path in rich if truth.records[path]["discount"] and truth.records[path]["warranty"]]
    bare = [path for path in good if not truth.records[path]["discount"] and not truth.records[path]["warranty"]]
    first = next(path for path in [*full, *good] if truth.charset[path] == "utf-8")
    english = {path for path in good if str(truth.records[path]["price"]).startswith("$")}
    second = next(path for path in [*bare, *good] if path in english)
    return first, second


def _linked_from_first_pages(mall: Mall) -> list[str]:
    return [path for lists in mall.plan.lists.values() for path in lists[:12] if path in mall.plan.products]


def _is_rich(record: Mapping[str, Extracted]) -> bool:
    return all(isinstance(value := record[name], list) and len(value) >= 2 for name in ("tags", "reviews"))


def _sample(base_url: str, path: str, record: Mapping[str, Extracted]) -> str:
    lines = ["[[samples]]", f"url = {_text(base_url + path)}", "[samples.fields]"]
    lines += [f"{name} = {_value(value)}" for name, value in record.items() if value is not None]
    return "\n".join(lines) + "\n"


def _value(value: Extracted) -> str:
    if not isinstance(value, list):
        return _text(str(value))
    members = [_table(member) if isinstance(member, dict) else _text(str(member)) for member in value]
    if any(isinstance(member, dict) for member in value):
        return "[\n" + "".join(f"    {member},\n" for member in members) + "]"
    return f"[{', '.join(members)}]"


def _table(member: Mapping[str, str]) -> str:
    return "{ " + ", ".join(f"{key} = {_text(value)}" for key, value in member.items()) + " }"


def _text(value: str) -> str:
    """A TOML basic string; JSON's escapes are all valid there."""
    return json.dumps(value, ensure_ascii=False)

"""`python -m tests.docs.field_types_page --write` makes docs/field-types.md, of the table of types."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

from gwc_crawler.extract.fields import convert_fields
from gwc_crawler.field_types.numbers import ValueContext
from gwc_crawler.field_types.table import FIELD_TYPES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "field-types.md"

CONTEXT = ValueContext("https://books.example.com/p/1", datetime(2026, 3, 1, 12, tzinfo=UTC).timestamp())

INTRO = """# Types of fields

Made by `python -m tests.docs.field_types_page --write` from `gwc_crawler/field_types/`; each example was converted.

`[types]` of a site file gives a field, or a part of records, its type:

```
[types]
price = "price"
"reviews.date" = "date"
```

The field's column holds the value. Further columns (of a part: keys) stand beside it: `price_raw` is the text it was
read from. A text of another type leaves the value empty; `exceptions` says why. A list is converted value by value. A
field without a type is the text on the page.

`7.250` is 7.25 in one column and 7250 in another. `price = 'price(decimal=",")'` says which; else learning decides by
the column's other values ([more](site-files.md#types)).

| type | value | example | stored for a field `f` |
|---|---|---|---|
"""


def page() -> str:
    """Return the whole page."""
    return INTRO + "".join(f"{row(name)}\n" for name in FIELD_TYPES)


def row(name: str) -> str:
    """Return the table's line of one type."""
    kind = FIELD_TYPES[name]
    stored = convert_fields({"f": kind.example}, {"f": name}, CONTEXT)
    assert not stored.problems
    told = json.dumps(stored.values, ensure_ascii=False)
    return f"| `{name}` | {kind.about} | `{json.dumps(kind.example, ensure_ascii=False)}` | `{told}` |"


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        PAGE.write_text(page(), encoding="utf-8")
    else:
        print(page(), end="")

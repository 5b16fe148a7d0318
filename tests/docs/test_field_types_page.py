"""docs/field-types.md lists the types there are, with what becomes of an example."""

from __future__ import annotations

import re

from gwc_crawler.field_types.table import FIELD_TYPES
from tests.docs.field_types_page import PAGE, page


def test_the_page_is_the_one_of_today() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `python -m tests.docs.field_types_page --write`"


def test_the_table_lists_each_type_once_and_no_other() -> None:
    assert re.findall(r"^\| `(\w+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE) == list(FIELD_TYPES)

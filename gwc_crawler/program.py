"""The program a person has called, `scrapy` in a project or `gwc` anywhere, so that advice names what they can type."""

from __future__ import annotations

import re
import sys
from pathlib import Path

GWC = "gwc"


def advice(text: str) -> str:
    """Return *text* with the commands in it as they are typed here: with `gwc` what is written with `scrapy`.

    >>> advice("run `scrapy learn books` first")
    'run `scrapy learn books` first'
    """
    return re.sub(r"\bscrapy (?=[a-z])", f"{GWC} ", text) if Path(sys.argv[0]).stem == GWC else text

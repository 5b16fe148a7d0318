"""The dashboard's words: English stands in templates and code, other languages in `words/LANGUAGE.json` by the English.

>>> Wording("zh").say("Sites"), Wording("en").say("Sites"), Wording.choose("", "fr, zh-CN;q=0.9, en;q=0.8")
('站点', 'Sites', 'zh')
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

ENGLISH = "en"

NAMES = {"en": "English", "zh": "中文"}
"""Language → what it calls itself."""


@cache
def languages() -> Mapping[str, Mapping[str, str]]:
    """Language → English → its words."""
    folder = files("gwc_crawler.dashboard") / "words"
    read = {
        name: json.loads((folder / f"{name}.json").read_text(encoding="utf-8")) for name in NAMES if name != ENGLISH
    }
    return {ENGLISH: {}, **read}


@dataclass(frozen=True, slots=True)
class Wording:
    """One language."""

    language: str

    @staticmethod
    def choose(wanted: str, accepted: str) -> str:
        """Return the language that was chosen, else the first one of *accepted* (Accept-Language) that there is."""
        if wanted in NAMES:
            return wanted
        heads = (part.partition(";")[0].strip().partition("-")[0].lower() for part in accepted.split(","))
        return next((one for one in heads if one in NAMES), ENGLISH)

    def say(self, text: str, /, **values: Any) -> str:
        """Return *text* in this language, with *values* where it names them in braces."""
        said = languages()[self.language].get(text, text)
        return said.format_map({name: _shown(value) for name, value in values.items()}) if values else said


def _shown(value: Any) -> Any:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else value

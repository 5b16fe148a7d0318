"""Runs many `scrapy` commands in one process: JSON lists of words in; code, output and errors of each out."""

from __future__ import annotations

import asyncio
import io
import json
import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path

from scrapy.cmdline import execute

from tests.dashboard.asking import Browser, browse


def asked(words: list[str]) -> tuple[int, str, str]:
    """Run one command; return its exit code, and what went to standard output and error."""
    if words[0] == "dashboard" and words[1:]:
        way = partial(shown, words[1])
        return *browse(Path.cwd(), way, profile=os.environ["SCRAPY_SETTINGS_MODULE"]), ""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    code: object = 0
    with redirect_stdout(out), redirect_stderr(err):
        try:
            execute(["scrapy", *words])
        except SystemExit as end:
            code = end.code
    texts = [stream.buffer.getvalue().decode() for stream in (out, err)]  # type: ignore[attr-defined]
    return int(str(code or 0)), texts[0], texts[1]


async def shown(path: str, browser: Browser) -> tuple[int, str]:
    """Return status and text of a page of the dashboard, when what it counts is counted."""
    while True:
        answer = await browser.get(path)
        text = await answer.text()
        if "data-live" not in text:
            return answer.status, text
        await asyncio.sleep(0.05)


if __name__ == "__main__":
    print(json.dumps([asked(words) for words in json.loads(sys.argv[1])]))

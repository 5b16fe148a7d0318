"""The same samples and pages give the same wrapper in every process, whatever order its sets have."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.eval.corpora import CorporaAbsent, corpora_root

ROOT = Path(__file__).resolve().parents[2]
LEARN = """
from gwc_crawler import Sample, learn_wrapper
from tests.eval.harness import choose_samples
from tests.eval.tasks import load_tasks
for task in load_tasks(["quotes/quotelist", "w3school/cssref"]):
    samples = [Sample(page.url, page.html, page.sample_fields()) for page in choose_samples(task, 1)]
    print(task.name, learn_wrapper(samples, [(page.url, page.html) for page in task.pages[::7][:12]]).to_json())
"""


@pytest.mark.corpora
def test_learning_does_not_depend_on_the_order_of_sets() -> None:
    try:
        corpora_root()
    except CorporaAbsent as absent:
        pytest.skip(str(absent))
    outputs = [_output(hash_seed) for hash_seed in ("0", "3")]
    assert len(outputs[0]) == 2
    assert outputs[0] == outputs[1]


def _output(hash_seed: str) -> list[str]:
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(
        [sys.executable, "-c", LEARN], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()

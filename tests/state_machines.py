"""One random run that drives two implementations of one promise: how such machines are run."""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test


def run_both(machine: type[RuleBasedStateMachine], *, runs: int, steps: int) -> None:
    """Run *machine* so many times with so many steps each, drawn as for all property tests; a failure is made small."""
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=runs,
            stateful_step_count=steps,
            suppress_health_check=list(HealthCheck),
            database=None,
            phases=(Phase.generate, Phase.shrink),
            report_multiple_bugs=False,
        ),
    )

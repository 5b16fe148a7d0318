"""How large the package is, in figures: `python -m tests.architecture.measures` prints them.

None may rise above what stands in `CEILINGS`: who needs more room makes it. A figure that has fallen is put down here.
"""

from __future__ import annotations

import ast
import statistics
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.source import PACKAGE, ROOT, modules

CEILINGS = {
    "lines": 78_188,
    "lines outside learn": 60_631,
    "modules": 428,
    "modules outside learn": 329,
    "rooms": 30,
    "numbers": 658,
    "KB of docs": 178,
    "lines of benchmarks": 4_461,
    "function's median lines": 6,
    "function's 95 % lines": 20,
}
"""What each figure may be at most."""


def measures() -> dict[str, float]:
    """Return each figure under its name in `CEILINGS`."""
    ours = {module.name: module.text.count("\n") for module in modules()}
    house = {name: lines for name, lines in ours.items() if name.split(".")[0] != "learn"}

    lengths = sorted(function_lengths())
    return {
        "lines": sum(ours.values()),
        "lines outside learn": sum(house.values()),
        "modules": len(ours),
        "modules outside learn": len(house),
        "rooms": len({name.split(".")[0] for name in ours if name}),
        "numbers": sum(1 for _ in numbers()),
        "KB of docs": sum(path.stat().st_size for path in (ROOT / "docs").glob("*.md")) // 1000,
        "lines of benchmarks": sum(lines_of(path) for path in (ROOT / "benchmarks").rglob("*.py")),
        "function's median lines": statistics.median_low(lengths),
        "function's 95 % lines": lengths[len(lengths) * 95 // 100],
    }


def lines_of(path: Path) -> int:
    """Return how many lines a file has."""
    return path.read_text(encoding="utf-8").count("\n")


def function_lengths() -> Iterator[int]:
    """Yield the lines of each function, its docstring aside."""
    for module in modules():
        for node in module.nodes:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                told = node.body[0] if ast.get_docstring(node) else None
                yield (node.end_lineno or 0) - node.lineno + 1 - (lines_between(told) if told else 0)


def lines_between(node: ast.stmt) -> int:
    """Return how many lines a statement takes."""
    return (node.end_lineno or 0) - node.lineno + 1


def numbers() -> Iterator[str]:
    """Yield each constant of a module that is a number, those of tuples one by one: what somebody has chosen."""
    for module in modules():
        for node in module.tree.body:
            value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
            for one in value.elts if isinstance(value, ast.Tuple) else [value]:
                if one is not None and is_number(one):
                    yield module.label


def is_number(value: ast.expr) -> bool:
    """Say whether an expression is a number, or made of numbers alone."""
    nodes = list(ast.walk(value))
    plain = all(isinstance(one, ast.Constant | ast.BinOp | ast.UnaryOp | ast.operator | ast.unaryop) for one in nodes)
    return plain and all(
        isinstance(one.value, int | float) and not isinstance(one.value, bool)
        for one in nodes
        if isinstance(one, ast.Constant)
    )


def main() -> None:
    """Print each figure beside what it may be."""
    print(f"{PACKAGE}:")
    for name, figure in measures().items():
        print(f"{figure:>10,}  {name} (at most {CEILINGS[name]:,})")


if __name__ == "__main__":
    main()

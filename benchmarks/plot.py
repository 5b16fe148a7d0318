"""Panels of bars or lines → one SVG, both axes of lines logarithmic; colours that both light and dark pages show."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape

WIDTH, HEIGHT, MARGIN, TOP = 420, 300, 50, 40
COLOURS = ("#c0504d", "#3a7dbf", "#7f9f3f", "#8064a2")


@dataclass(frozen=True)
class Line:
    """Points of one colour; x and y above 0."""

    name: str
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Panel:
    """A title over bars (name, height, what stands on it), on a logarithmic scale, over lines, or over rows: bars that
    lie below each other, on a scale from 0."""

    title: str
    bars: Sequence[tuple[str, float, str]] = ()
    rows: Sequence[tuple[str, float, str]] = ()
    lines: Sequence[Line] = field(default=())


def svg(panels: Sequence[Panel]) -> str:
    """Return the text of an SVG file with the panels side by side."""
    width = WIDTH * len(panels)
    style = "text{font:12px sans-serif;fill:#808080} .title{font-weight:bold} .axis{stroke:#808080;fill:none}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT}" width="{width}" height="{HEIGHT}">'
    ]
    parts.append(f"<style>{style}</style>")
    for number, panel in enumerate(panels):
        parts.append(f'<g transform="translate({number * WIDTH},0)">')
        parts.append(f'<text class="title" x="{MARGIN}" y="20">{escape(panel.title)}</text>')
        if panel.rows:
            parts += _rows(panel.rows)
        else:
            parts += _bars(panel.bars) if panel.bars else _lines(panel.lines)
        parts.append("</g>")
    return "\n".join([*parts, "</svg>", ""])


def _bars(bars: Sequence[tuple[str, float, str]]) -> Iterator[str]:
    base, room = HEIGHT - MARGIN, HEIGHT - MARGIN - TOP - 15
    most = max(math.log10(value) for _, value, _ in bars)
    step = (WIDTH - 2 * MARGIN) / len(bars)
    for number, (name, value, text) in enumerate(bars):
        height, x = room * math.log10(value) / most, MARGIN + number * step
        colour = COLOURS[min(number, 1)]
        size = f'width="{step * 0.7:.0f}" height="{height:.0f}"'
        yield f'<rect x="{x:.0f}" y="{base - height:.0f}" {size} fill="{colour}"/>'
        yield f'<text x="{x:.0f}" y="{base - height - 5:.0f}">{escape(text)}</text>'
        yield f'<text x="{x:.0f}" y="{base + 18}">{escape(name)}</text>'


def _rows(rows: Sequence[tuple[str, float, str]]) -> Iterator[str]:
    step = (HEIGHT - TOP) / len(rows)
    most = max(value for _, value, _ in rows)
    left = WIDTH * 0.55
    for number, (name, value, text) in enumerate(rows):
        y, length = TOP + number * step, (WIDTH - left - MARGIN) * value / most
        yield f'<text x="0" y="{y + step / 2:.0f}">{escape(name)}</text>'
        size = f'width="{max(length, 1):.0f}" height="{step * 0.6:.0f}"'
        yield f'<rect x="{left:.0f}" y="{y + 2:.0f}" {size} fill="{COLOURS[1]}"/>'
        yield f'<text x="{left + length + 5:.0f}" y="{y + step / 2:.0f}">{escape(text)}</text>'


def _lines(lines: Sequence[Line]) -> Iterator[str]:
    xs = [math.log10(x) for line in lines for x, _ in line.points]
    ys = [math.log10(y) for line in lines for _, y in line.points]
    low, high = math.floor(min(ys)), math.ceil(max(ys))

    def place(x: float, y: float) -> tuple[float, float]:
        across = (math.log10(x) - min(xs)) / ((max(xs) - min(xs)) or 1)
        up = (math.log10(y) - low) / ((high - low) or 1)
        return MARGIN + across * (WIDTH - 2 * MARGIN), HEIGHT - MARGIN - up * (HEIGHT - MARGIN - TOP - 50)

    yield f'<path class="axis" d="M{MARGIN},{TOP + 40}V{HEIGHT - MARGIN}H{WIDTH - MARGIN}"/>'
    for power in range(low, high + 1):
        _, y = place(10 ** min(xs), 10**power)
        yield f'<text x="{MARGIN - 40}" y="{y + 4:.0f}">{10**power:g}</text>'
    for x, _ in lines[0].points:
        across, _ = place(x, 10**low)
        yield f'<text x="{across - 12:.0f}" y="{HEIGHT - MARGIN + 18}">{x:,.0f}</text>'
    for number, line in enumerate(lines):
        path = " ".join("{:.1f},{:.1f}".format(*place(x, y)) for x, y in line.points)
        yield f'<polyline points="{path}" fill="none" stroke="{COLOURS[number]}" stroke-width="2"/>'
        colour = f'style="fill:{COLOURS[number]}"'
        yield f'<text x="{MARGIN + 8}" y="{TOP + number * 15}" {colour}>{escape(line.name)}</text>'

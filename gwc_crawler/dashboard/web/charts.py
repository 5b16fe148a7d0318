"""Small pictures as SVG: numbers in, markup out; colours come from the style sheet, nothing is written as a style."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup, escape

WIDTH = 240
HEIGHT = 48


def bar(share: float, kind: str = "") -> Markup:
    """A bar that is filled to *share* (0 … 1). *kind*: a class of the style sheet."""
    percent = round(100 * min(1.0, max(0.0, share)), 1)
    return Markup(
        '<svg class="bar {}" aria-hidden="true" preserveAspectRatio="none"><rect class="rail" width="100%" '
        'height="100%" rx="3"/><rect class="fill" width="{}%" height="100%" rx="3"/></svg>'
    ).format(kind, percent)


def sparkline(values: Sequence[float], label: str) -> Markup:
    """A line with its area; the greatest value touches the top."""
    top = max(values, default=0.0) or 1.0
    points = _points(values, top)
    if not points:
        return Markup("")
    line = " ".join(f"{x},{y}" for x, y in points)
    area = f"0,{HEIGHT} {line} {points[-1][0]},{HEIGHT}"
    return Markup(
        '<svg class="spark" viewBox="0 0 {0} {1}" preserveAspectRatio="none" role="img"><title>{2}</title>'
        '<polygon points="{3}"/><polyline points="{4}" vector-effect="non-scaling-stroke"/></svg>'
    ).format(WIDTH, HEIGHT, label, area, line)


def lines(rows: Mapping[str, Sequence[float | None]], label: str, *, level: float | None = None) -> Markup:
    """Lines of shares (0 … 1), oldest first; None leaves a gap. *level*: what was expected, as a dashed line."""
    drawn = Markup("")
    if level is not None:
        y = round(HEIGHT * (1 - level), 1)
        drawn += Markup('<line class="level" x1="0" x2="{}" y1="{}" y2="{}"/>').format(WIDTH, y, y)
    for number, values in enumerate(rows.values()):
        points = _points([0.0 if value is None else value for value in values], 1.0)
        shown = " ".join(f"{x},{y}" for (x, y), value in zip(points, values, strict=True) if value is not None)
        drawn += Markup('<polyline class="line{}" points="{}" vector-effect="non-scaling-stroke"/>').format(
            number, shown
        )
    return Markup(
        '<svg class="spark lines" viewBox="0 -2 {} {}" preserveAspectRatio="none" role="img"><title>{}</title>{}</svg>'
    ).format(WIDTH, HEIGHT + 4, escape(label), drawn)


def _points(values: Sequence[float], top: float) -> list[tuple[float, float]]:
    step = WIDTH / max(1, len(values) - 1)
    return [(round(place * step, 1), round(HEIGHT - HEIGHT * value / top, 1)) for place, value in enumerate(values)]

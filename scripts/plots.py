#!/usr/bin/env python3
"""Makes the plots of docs/methods.md anew: scripts/plots.py [NAME…]. Needs nothing but Python."""
import math
import pathlib
import sys

to = pathlib.Path(__file__).resolve().parent.parent / "docs" / "pictures"
colours = ["#444", "#b5812c", "#3b6ea5", "#5a8f45", "#a54b6e"]


class Plot:
    """Curves in a frame with axes, as a part of an SVG."""

    def __init__(self, left, top, width, height, x, y, title, x_name, y_name):
        self.box = (left, top, width, height)
        self.x, self.y = x, y
        self.parts = [f'<rect x="{left}" y="{top}" width="{width}" height="{height}" class="f"/>',
                      f'<text x="{left}" y="{top - 10}" class="t">{title}</text>',
                      f'<text x="{left + width}" y="{top + height + 34}" text-anchor="end">{x_name}</text>',
                      f'<text x="{left + 6}" y="{top + 16}">{y_name}</text>']

    def at(self, x, y):
        left, top, width, height = self.box
        return (left + width * (x - self.x[0]) / (self.x[1] - self.x[0]),
                top + height * (self.y[1] - y) / (self.y[1] - self.y[0]))

    def ticks(self, xs, ys):
        left, top, width, height = self.box
        for value in xs:
            px = self.at(value, 0)[0]
            self.parts.append(f'<path class="g" d="M{px:.1f},{top}v{height}"/>'
                              f'<text x="{px:.1f}" y="{top + height + 17}" text-anchor="middle">{value:g}</text>')
        for value in ys:
            py = self.at(0, value)[1]
            self.parts.append(f'<path class="g" d="M{left},{py:.1f}h{width}"/>'
                              f'<text x="{left - 6}" y="{py + 4:.1f}" text-anchor="end">{value:g}</text>')

    def curve(self, points, colour, marks=False, dashed=False):
        at = [self.at(x, y) for x, y in points]
        path = "M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in at)
        style = ' stroke-dasharray="5 4"' if dashed else ""
        self.parts.append(f'<path class="c" d="{path}" stroke="{colour}"{style}/>')
        if marks:
            self.parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in at]

    def label(self, x, y, text, colour="#444", anchor="start"):
        px, py = self.at(x, y)
        self.parts.append(f'<text x="{px:.1f}" y="{py:.1f}" fill="{colour}" text-anchor="{anchor}">{text}</text>')


def write(name, width, height, parts):
    style = (".f{fill:none;stroke:#999}.g{stroke:#e4e4e4}.c{fill:none;stroke-width:1.8}.t{font-weight:bold}"
             ".e{fill:none;stroke:#3b6ea5}.r{fill:none;stroke:#ccc}")
    (to / f"{name}.svg").write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'font-family="DejaVu Sans, sans-serif" font-size="12">\n<style>{style}</style>\n'
        f'<rect width="{width}" height="{height}" fill="#fff"/>\n' + "\n".join(parts) + "\n</svg>\n")


def euler():
    """f' = 2 sqrt f from f(1) = 1, whose solution is x^2 (figure 2.4 of the report)."""
    h, start, end = 0.5, 1.0, 4.0
    xs = [start + h * k for k in range(round((end - start) / h) + 1)]
    explicit, implicit = [1.0], [1.0]
    for _ in xs[1:]:
        explicit.append(explicit[-1] + 2 * h * math.sqrt(explicit[-1]))
        f = implicit[-1]
        implicit.append(f + 2 * h * h + 2 * h * math.sqrt(f + h * h))
        assert math.isclose(implicit[-1], f + 2 * h * math.sqrt(implicit[-1]))
    plot = Plot(50, 40, 520, 330, (1, 4), (0, 24), "f' = 2√f from f(1) = 1 in steps of 0.5", "x", "f")
    plot.ticks([1, 1.5, 2, 2.5, 3, 3.5, 4], [0, 4, 8, 12, 16, 20, 24])
    plot.curve([(1 + 3 * k / 100, (1 + 3 * k / 100) ** 2) for k in range(101)], colours[0])
    plot.curve(list(zip(xs, explicit)), colours[1], marks=True)
    plot.curve(list(zip(xs, implicit)), colours[2], marks=True)
    for row, (text, colour) in enumerate(((f"implicit: {implicit[-1]:.2f} at x = 4", colours[2]),
                                          ("exact: x², 16", colours[0]),
                                          (f"explicit: {explicit[-1]:.2f}", colours[1]))):
        plot.label(1.55, 18 - 1.6 * row, text, colour)
    write("euler", 600, 420, plot.parts)


def bar_lines():
    """Edges and cross-sections of a bar of 2 : 0.5 : 0.5, as lists of points."""
    a, n = 0.25, 16
    along = [-1 + 2 * k / n for k in range(n + 1)]
    lines = [[(x, y, z) for x in along] for y in (-a, a) for z in (-a, a)]
    for x in along[::4]:
        lines.append([(x, -a, -a), (x, a, -a), (x, a, a), (x, -a, a), (x, -a, -a)])
    return lines


def quadratic_modes():
    """What single columns of the 3 x 9 matrix do to a bar."""
    modes = [("stretch", "x → x", lambda x, y, z: (1.2 * x, y, z)),
             ("shear", "x → y", lambda x, y, z: (x, y + 0.3 * x, z)),
             ("bend", "x² → y", lambda x, y, z: (x, y + 0.4 * (x * x - 1 / 3), z)),
             ("taper", "xy → y, zx → z", lambda x, y, z: (x, y + 0.6 * x * y, z + 0.6 * x * z)),
             ("twist", "xy → z, zx → −y", lambda x, y, z: (x, y - 0.8 * x * z, z + 0.8 * x * y)),
             ("cup", "z² → y", lambda x, y, z: (x, y + 3 * (z * z - 1 / 48), z))]
    parts = []
    for number, (name, columns, move) in enumerate(modes):
        middle = (150 + 270 * (number % 3), 110 + 190 * (number // 3))

        def path(line):
            shown = [(middle[0] + 90 * (x + 0.35 * z), middle[1] - 90 * (y + 0.35 * z)) for x, y, z in line]
            return "M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in shown)

        for line in bar_lines():
            cuts = 2 if len(line) > 5 else 6
            fine = [tuple(p + (q - p) * k / cuts for p, q in zip(a, b))
                    for a, b in zip(line, line[1:]) for k in range(cuts + 1)]
            straight = [line[0], line[-1]] if len(line) > 5 else line
            parts.append(f'<path class="r" d="{path(straight)}"/>')
            parts.append(f'<path class="e" d="{path([move(*p) for p in fine])}"/>')
        parts.append(f'<text x="{middle[0]}" y="{middle[1] + 75}" text-anchor="middle">'
                     f'<tspan class="t">{name}</tspan>: {columns}</text>')
    write("quadratic_modes", 840, 400, parts)


def published_flow(stretch, h, seconds, log_yield, flow_time):
    """Of a uniaxial stretch that is held: the logarithm of what S^p keeps of it, over time."""
    along = across = 1.0
    kept = [(0.0, 0.0)]
    for k in range(round(seconds / h)):
        s = (stretch / along, 1 / math.sqrt(stretch) / across)
        if max(abs(s[0] - 1), abs(s[1] - 1)) > math.exp(log_yield) - 1:
            rate = min(1, h / flow_time)
            along, across = along * (1 + rate * (s[0] - 1)), across * (1 + rate * (s[1] - 1))
            unit = (along * across * across) ** (-1 / 3)
            along, across = along * unit, across * unit
        kept.append(((k + 1) * h, math.log(along)))
    return kept


def plastic_rule():
    """What is kept of a stretch that is held: above the yield in several steps, and below it."""
    stretch, log_yield, flow_time = 1.3, 0.05, 0.03
    whole = math.log(stretch)
    left = Plot(50, 40, 360, 260, (0, 0.2), (0, 0.3), "held at a strain of 0.26, yield 0.05, flow time 0.03 s",
                "time [s]", "strain that is kept")
    left.ticks([0, 0.05, 0.1, 0.15, 0.2], [0, 0.05, 0.1, 0.15, 0.2, 0.25])
    for h, colour in zip((0.001, 0.005, 1 / 60, 0.04), colours[1:]):
        left.curve(published_flow(stretch, h, 0.2, log_yield, flow_time), colour,
                   marks=h > 0.01)
    left.curve([(t, (whole - log_yield) * (1 - math.exp(-t / flow_time))) for t in [k / 500 for k in range(101)]],
               "#000", dashed=True)
    for row, (text, colour) in enumerate((("published, 1 ms", colours[1]), ("5 ms", colours[2]),
                                          ("16.7 ms", colours[3]), ("40 ms", colours[4]),
                                          ("Turgor, any step", "#000"))):
        left.label(0.125, 0.115 - 0.02 * row, text, colour)
    right = Plot(480, 40, 330, 260, (0, 20), (0, 0.05), "held at a strain of 0.04, below that yield", "time [s]",
                 "strain that is kept")
    right.ticks([0, 5, 10, 15, 20], [0, 0.01, 0.02, 0.03, 0.04])
    right.curve([(0, 0), (20, 0)], colours[1])
    creep_time = 4
    right.curve([(t / 5, 0.04 * (1 - math.exp(-t / 5 / creep_time))) for t in range(101)], "#000", dashed=True)
    right.label(19.5, 0.0015, "published", colours[1], "end")
    right.label(19.5, 0.034, "Turgor, creep_time 4 s", "#000", "end")
    write("plastic_rule", 840, 350, left.parts + right.parts)


plots = {f.__name__: f for f in (euler, quadratic_modes, plastic_rule)}
for wanted in sys.argv[1:] or plots:
    if wanted not in plots:
        sys.exit(f"there is no plot {wanted}; there are {', '.join(plots)}")
    plots[wanted]()

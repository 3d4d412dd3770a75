# SPDX-License-Identifier: MIT
"""The picture of the README: what threads that lock all the time get done, against what a thread waits that locks seldom. A point for
each mutex; a panel for each of four cells. It follows the reader's theme, and its background is its own, so it can be read on any page."""
import math

# Those that are shown, as readers know them: colour in light, colour in dark. The first is drawn last, so that it is on top.
SHOWN = {
    "mutex": ("recip", "#c2410c", "#ff9a5c"),
    "pthread": ("glibc", "#3f3f46", "#d4d4d8"),
    "nsync": ("nsync", "#1d4ed8", "#8ab0ff"),
    "absl": ("abseil", "#15803d", "#6fd598"),
    "tbb-spin": ("TBB spin", "#86198f", "#e39bf2"),
}
CELLS = [("20/0", 3), ("50/200", 3), ("1000/100", 7), ("100000/1000", 7)]
WIDTH, PLOT_WIDTH, PLOT_HEIGHT = 820, 318, 176
LEFT, TOP, ACROSS, DOWN = 74, 112, 402, 258
LEAST, MOST = 1e4, 4e8  # nanoseconds


def time_text(nanoseconds):
    for unit, name in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if nanoseconds >= unit:
            return f"{nanoseconds / unit:g} {name}"
    return f"{nanoseconds:g} ns"


def rate_text(rate):
    for unit, name in ((1e6, "M"), (1e3, "k")):
        if rate >= unit:
            return f"{float(f'{rate / unit:.3g}'):g} {name}/s"
    return f"{rate:g}"


def title_of(workload, hogs):
    inside, outside = map(int, workload.split("/"))
    return f"{hogs} threads: {time_text(inside)} inside, " + (f"{time_text(outside)} outside" if outside else "nothing outside")


def nice_step(most):
    """1, 2 or 5 times a power of ten, so that there are three to six ticks."""
    power = 10 ** math.floor(math.log10(most / 3))
    return max(step * power for step in (1, 2, 5) if step * power <= most / 3)


def place_labels(points):
    """Names beside the points, where nothing else is: right, left, above or below."""
    taken = [(x - 6, y - 6, x + 6, y + 6) for _, x, y, *_ in points]
    placed = []
    for lock, x, y, low, high in points:
        width = 6.7 * len(SHOWN[lock][0])
        options = [(x + 10, y + 4, "start"), (x - 10, y + 4, "end"), (x, y - 11, "middle"), (x, y + 20, "middle"),
                   (x + 10, y - 8, "start"), (x - 10, y - 8, "end"), (x + 10, y + 16, "start"), (x - 10, y + 16, "end")]
        best = None
        for at, line, anchor in options:
            start = {"start": at, "end": at - width, "middle": at - width / 2}[anchor]
            box = (start, line - 11, start + width, line + 4)
            if box[0] < low or box[2] > high:
                continue
            hits = sum(box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3] for other in taken)
            if best is None or hits < best[0]:
                best = (hits, box, (lock, at, line, anchor))
        if best:
            taken.append(best[1])
            placed.append(best[2])
    return placed


def panel(results, cell, left, top):
    """The axes, the points and their names."""
    rows = {lock: (results.rate(lock, *cell), results.wait(99, lock, *cell)) for lock in SHOWN
            if any((row["lock"], row["workload"], row["threads"]) == (lock, *cell) for row in results.rows)}
    most = max(rate for rate, _ in rows.values()) * 1.12
    bottom, right = top + PLOT_HEIGHT, left + PLOT_WIDTH

    def x_of(rate):
        return left + PLOT_WIDTH * rate / most

    def y_of(wait):
        return bottom - PLOT_HEIGHT * (math.log10(max(wait, LEAST)) - math.log10(LEAST)) / (math.log10(MOST) - math.log10(LEAST))

    lines = [f'<text class="title" x="{left}" y="{top - 10}">{title_of(*cell)}</text>']
    for power in range(4, 9):
        y = y_of(10 ** power)
        lines.append(f'<line class="grid" x1="{left}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>'
                     f'<text class="soft" x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{time_text(10 ** power)}</text>')
    step = nice_step(most)
    for i in range(int(most / step) + 1):
        x = x_of(i * step)
        lines.append(f'<line class="axis" x1="{x:.1f}" x2="{x:.1f}" y1="{bottom}" y2="{bottom + 4}"/>'
                     f'<text class="soft" x="{x:.1f}" y="{bottom + 17}" text-anchor="middle">{rate_text(i * step)}</text>')
    lines.append(f'<line class="axis" x1="{left}" x2="{right}" y1="{bottom}" y2="{bottom}"/>')
    points = [(lock, x_of(rate), y_of(wait), left, right + 24) for lock, (rate, wait) in rows.items()]
    for lock, x, y, *_ in reversed(points):
        lines.append(f'<circle class="{lock}" cx="{x:.1f}" cy="{y:.1f}" r="{6.5 if lock == "mutex" else 5}"/>')
    for lock, x, y, anchor in place_labels(points):
        weight = ' font-weight="700"' if lock == "mutex" else ""
        lines.append(f'<text class="{lock}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{weight}>{SHOWN[lock][0]}</text>')
    return lines


def style():
    light = "".join(f".{lock}{{fill:{colour}}}" for lock, (_, colour, _) in SHOWN.items())
    dark = "".join(f".{lock}{{fill:{colour}}}" for lock, (_, _, colour) in SHOWN.items())
    return (".paper{fill:#fdfdfb}.ink,.title{fill:#1c1c1e}.title{font-weight:600}.soft{fill:#5d5d66}.grid{stroke:#e4e4de}"
            ".axis{stroke:#8a8a92}" + light +
            "@media(prefers-color-scheme:dark){.paper{fill:#16181c}.ink,.title{fill:#ececea}.soft{fill:#a9abb3}.grid{stroke:#2b2e35}"
            ".axis{stroke:#7d8089}" + dark + "}")


def draw(results, name):
    """The whole picture, as SVG."""
    cells = [cell for cell in CELLS if cell in results.cells()]
    height = TOP + DOWN * ((len(cells) + 1) // 2) - 8
    facts = results.all["environment"]
    where = f"{facts['cpu']}, {facts['cpus']} CPUs{', virtual' if facts.get('virtualised') else ''}; Linux {facts['kernel']}; " \
            f"{results.date()}; commit {results.all['commit']}; docs/results/{name}.json"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img" '
        'font-family="system-ui, -apple-system, Segoe UI, Roboto, Helvetica, Arial, sans-serif" font-size="12">',
        "<!-- Written by scripts/figures update. -->",
        "<title>Throughput of threads that lock all the time, and what a thread waits that locks seldom</title>",
        f"<style>{style()}</style>",
        f'<rect class="paper" width="{WIDTH}" height="{height}" rx="10"/>',
        '<text class="ink" x="24" y="32" font-size="16" font-weight="600">What threads that lock all the time get done, and what one '
        "waits that locks seldom</text>",
        '<text class="soft" x="24" y="53">Further right: more critical sections a second. Further down: a shorter wait (p99) of a thread '
        "that locks once a</text>",
        '<text class="soft" x="24" y="70">millisecond, beside the others. The best place is at the bottom right.</text>',
    ]
    for i, cell in enumerate(cells):
        lines += panel(results, cell, LEFT + ACROSS * (i % 2), TOP + DOWN * (i // 2))
    lines.append(f'<text class="soft" x="24" y="{height - 12}" font-size="11">{where}</text>')
    return "\n".join(lines) + "\n</svg>\n"

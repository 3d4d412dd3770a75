# SPDX-License-Identifier: MIT
"""A picture of a simulation: throughput over the number of threads, a line for each lock, with its name at its right end. One thread alone is
several times as fast as two, so the axis ends above the crowd."""
import math

from waiting_picture import nice_step

# Colour in light, colour in dark; dashes.
LOOKS = [("#c2410c", "#ff9a5c", ""), ("#1d4ed8", "#8ab0ff", ""), ("#15803d", "#6fd598", ""), ("#86198f", "#e39bf2", ""),
         ("#3f3f46", "#d4d4d8", ""), ("#a16207", "#e8c14a", ""), ("#0e7490", "#67d5ea", "5 3"), ("#be185d", "#ff8fbc", "5 3")]
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 820, 420, 64, 690, 84, 356
WORKLOADS = {"max": "maximum contention", "moderate": "moderate contention"}


def spread_out(wanted, least):
    """These places, from top to bottom, moved so far that they are that far apart."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    places = list(wanted)
    for _ in range(200):
        for above, below in zip(order, order[1:]):
            if places[below] - places[above] < least - 0.01:
                middle = (places[above] + places[below]) / 2
                places[above], places[below] = middle - least / 2, middle + least / 2
    return places


def style(count):
    light = "".join(f".l{i}{{stroke:{light}}}.n{i}{{fill:{light}}}" for i, (light, _, _) in enumerate(LOOKS[:count]))
    dark = "".join(f".l{i}{{stroke:{dark}}}.n{i}{{fill:{dark}}}" for i, (_, dark, _) in enumerate(LOOKS[:count]))
    return (".paper{fill:#fdfdfb}.ink{fill:#1c1c1e}.soft{fill:#5d5d66}.grid{stroke:#e4e4de}.axis{stroke:#8a8a92}" + light +
            "@media(prefers-color-scheme:dark){.paper{fill:#16181c}.ink{fill:#ececea}.soft{fill:#a9abb3}.grid{stroke:#2b2e35}"
            ".axis{stroke:#7d8089}" + dark + "}")


def draw(results, name):
    """The whole picture, as SVG."""
    rows = {(row["lock"], row["threads"]): row["throughput"] / 1e6 for row in results.rows}
    locks = list(dict.fromkeys(lock for lock, _ in rows))
    counts = sorted({threads for _, threads in rows})
    most = 1.08 * max(value for (_, threads), value in rows.items() if threads > 1)
    span = math.log2(counts[-1]) - math.log2(counts[0])

    def x_of(threads):
        return LEFT + (RIGHT - LEFT) * (math.log2(threads) - math.log2(counts[0])) / span

    def y_of(value):
        return BOTTOM - (BOTTOM - TOP) * value / most

    title = f"Simulated: {results.all['machine']}, {WORKLOADS.get(results.all['workload'], results.all['workload'])}"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img" '
        'font-family="system-ui, -apple-system, Segoe UI, Roboto, Helvetica, Arial, sans-serif" font-size="12">',
        "<!-- Written by scripts/figures update. -->",
        f"<title>{title}</title>",
        f"<style>{style(len(locks))}</style>",
        f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}" rx="10"/>',
        f'<clipPath id="area"><rect x="{LEFT - 6}" y="{TOP - 8}" width="{RIGHT - LEFT + 12}" height="{BOTTOM - TOP + 14}"/></clipPath>',
        f'<text class="ink" x="24" y="32" font-size="16" font-weight="600">{title}</text>',
        '<text class="soft" x="24" y="53">Millions of acquisitions a second over the number of threads. A model, no measurement. One thread '
        "alone is above the top.</text>",
    ]
    step = nice_step(most)
    for i in range(int(most / step) + 1):
        y = y_of(i * step)
        lines.append(f'<line class="grid" x1="{LEFT}" x2="{RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
                     f'<text class="soft" x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{i * step:g}</text>')
    free = -1e9
    for threads in counts:
        x = x_of(threads)
        lines.append(f'<line class="axis" x1="{x:.1f}" x2="{x:.1f}" y1="{BOTTOM}" y2="{BOTTOM + 4}"/>')
        if x - free > 20:
            lines.append(f'<text class="soft" x="{x:.1f}" y="{BOTTOM + 18}" text-anchor="middle">{threads}</text>')
            free = x
    lines.append(f'<line class="axis" x1="{LEFT}" x2="{RIGHT}" y1="{BOTTOM}" y2="{BOTTOM}"/>')
    ends = spread_out([y_of(rows[lock, counts[-1]]) for lock in locks], 15)
    for i, lock in reversed(list(enumerate(locks))):
        points = " ".join(f"{x_of(threads):.1f},{y_of(rows[lock, threads]):.1f}" for threads in counts if (lock, threads) in rows)
        dashes = f' stroke-dasharray="{LOOKS[i][2]}"' if LOOKS[i][2] else ""
        lines.append(f'<polyline class="l{i}" fill="none" stroke-width="{2.5 if i == 0 else 1.75}" stroke-linejoin="round"{dashes} '
                     f'clip-path="url(#area)" points="{points}"/>')
        weight = ' font-weight="700"' if i == 0 else ""
        lines.append(f'<text class="n{i}" x="{RIGHT + 12}" y="{ends[i] + 4:.1f}"{weight}>{lock}</text>')
    lines.append(f'<text class="soft" x="24" y="{HEIGHT - 14}" font-size="11">recip sim, seed {results.all["seed"]}; {results.date()}; commit '
                 f'{results.all["commit"]}; docs/results/{name}.json</text>')
    return "\n".join(lines) + "\n</svg>\n"

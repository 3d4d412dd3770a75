// SPDX-License-Identifier: MIT
/* A plot over the number of threads: a line for each lock, its intervals, and the values under the pointer. */
"use strict";

function css(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

const plotFont = "12px system-ui, sans-serif";

/* An axis in the colours of the theme. */
function axis(more) {
    return Object.assign({
        stroke: () => css("--soft"), font: plotFont, labelFont: plotFont, labelSize: 22,
        grid: {stroke: () => css("--grid"), width: 1}, ticks: {stroke: () => css("--grid"), width: 1, size: 4},
    }, more);
}

/* For a logarithmic axis: 1, 2 and 5 times the powers of ten; the powers alone where those are too many. */
function logAxis(text) {
    const splits = (plot, index, least, most) => {
        const all = [];
        for (let power = Math.floor(Math.log10(least)); power <= Math.ceil(Math.log10(most)); power++)
            all.push(...[1, 2, 5].map((step) => step * 10 ** power));
        const within = all.filter((value) => value >= least && value <= most);
        return within.length <= 8 ? within : within.filter((value) => Number.isInteger(Math.round(Math.log10(value) * 1e6) / 1e6));
    };
    return {splits, filter: (plot, list) => list, values: (plot, list) => list.map(text)};
}

/* The plot follows the width of its place, and the theme; `setShown` shows and hides its series. */
function keepPlot(plot, place, height, setShown) {
    place.plot = plot;
    const fit = () => {
        if (place.clientWidth)
            plot.setSize({width: place.clientWidth, height: height()});
    };
    new ResizeObserver(fit).observe(place);
    const update = () => plot.batch(() => {
        setShown();
        plot.redraw(true, true);
    });
    watchLocks(place, update);
    update();
    return plot;
}

/* The box of values; `rows` are [id, text], the greatest first. */
function fillTip(tip, title, rows) {
    const most = 12;
    tip.replaceChildren(make("strong", {}, title),
        ...rows.slice(0, most).map(([id, text]) => make("span", {class: "value"}, swatch(id), make("span", {}, id), text)),
        ...(rows.length > most ? [make("span", {}, `and ${rows.length - most} more`)] : []));
    tip.hidden = rows.length === 0;
}

/* Beside the pointer, on the side where there is room. */
function placeTip(tip, plot, left, top) {
    const over = plot.over, right = left < over.clientWidth / 2;
    tip.style.left = right ? `${over.offsetLeft + left + 14}px` : "auto";
    tip.style.right = right ? "auto" : `${over.offsetParent.clientWidth - over.offsetLeft - left + 14}px`;
    tip.style.top = `${over.offsetTop + Math.max(0, Math.min(top, over.clientHeight - tip.offsetHeight))}px`;
}

/* The arrow keys move the pointer from one number of threads to the next. */
function movePointer(event, plot, count) {
    const at = plot.cursor.idx, step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    if (event.key === "Escape")
        plot.setCursor({left: -10, top: -10});
    if (!step)
        return;
    event.preventDefault();
    const next = Math.max(0, Math.min(count - 1, at === null || at === undefined || plot.cursor.left < 0
        ? (step > 0 ? 0 : count - 1) : at + step));
    plot.setCursor({left: plot.valToPos(plot.data[0][next], "x"), top: plot.over.clientHeight / 3});
}

/* Vertical strokes from low to high, in the colour of the lock. Those of locks that are shown stand side by side, so that none hides
 * another; beyond a dozen they are left out, and the table has them. */
const intervalsMost = 12;

function drawIntervals(plot, figure) {
    const context = plot.ctx;
    const shown = figure.locks.filter((id, i) => plot.series[i + 1].show);
    if (shown.length > intervalsMost)
        return;
    const step = Math.min(4, 24 / shown.length) * devicePixelRatio;
    context.save();
    context.lineWidth = 1.5 * devicePixelRatio;
    figure.locks.forEach((id, i) => {
        if (!plot.series[i + 1].show)
            return;
        context.strokeStyle = colourOf(id);
        figure.threads.forEach((threads, j) => {
            const interval = figure.intervals[i][j];
            if (!interval)
                return;
            const x = plot.valToPos(threads, "x", true) + (shown.indexOf(id) - (shown.length - 1) / 2) * step;
            context.beginPath();
            /* 0 is nowhere on a logarithmic axis. */
            context.moveTo(x, plot.valToPos(Math.max(interval[0], plot.scales.y.distr === 3 ? plot.scales.y.min : 0), "y", true));
            context.lineTo(x, plot.valToPos(interval[1], "y", true));
            context.stroke();
        });
    });
    context.restore();
}

/* How the y axis runs. One thread alone can be ten times as fast as any crowd, and hide all else. */
const scales = ["linear", "linear, without one thread", "logarithmic"];

/* The greatest of these, values or intervals, of the locks that are shown, from that column on. */
function greatest(figure, grid, first) {
    return Math.max(0, ...(grid ?? []).flatMap((row, i) => shownLocks.has(figure.locks[i]) ? row.slice(first).flat() : []));
}

function usualScale(figure) {
    const first = figure.threads[0] === 1 && figure.threads.length > 1 ? 1 : 0;
    const values = figure.values.flatMap((row, i) => shownLocks.has(figure.locks[i]) ? row.slice(first) : []).filter((value) => value > 0).sort(byNumber);
    /* One lock that is far ahead of the crowd would make a single line of it. */
    if (values.length && values.at(-1) > 6 * values[values.length >> 1])
        return 2;
    return figure.threads[0] === 1 && figure.threads.length > 2 && greatest(figure, figure.values, 0) > 4 * greatest(figure, figure.values, 1) ? 1 : 0;
}

function yScale(figure, scale) {
    if (scale === 2)
        return {distr: 3};
    return {range: () => [0, Math.max(greatest(figure, figure.values, scale), greatest(figure, figure.intervals, scale)) * 1.06 || 1]};
}

function yTicks(figure, scale) {
    const text = figure.short;
    return scale === 2 ? logAxis(text) : {values: (plot, splits) => splits.map(text)};
}

/* A figure has: title, threads (sorted), locks, values[lock][threads] with null for none, intervals likewise or null,
 * unit (for the label of the axis), text(value), short(value) for the axis. */
function plotOverThreads(figure, scale) {
    const place = make("div", {class: "plot", tabindex: "0", role: "img",
        "aria-label": `${figure.title}: ${figure.unit} over threads, ${plural(figure.locks.length, "lock")}; the arrow keys show the values, the table below has them all`});
    const tip = make("div", {class: "tip", "aria-live": "polite"});
    tip.hidden = true;
    const showValues = (plot) => {
        const at = plot.cursor.idx;
        if (at === null || at === undefined || plot.cursor.left < 0) {
            tip.hidden = true;
            return;
        }
        const rows = figure.locks.map((id, i) => [id, figure.values[i][at], figure.intervals?.[i][at]])
            .filter(([id, value]) => value !== null && shownLocks.has(id))
            .sort((a, b) => b[1] - a[1])
            .map(([id, value]) => [id, figure.text(value)]);
        fillTip(tip, plural(figure.threads[at], "thread"), rows);
        placeTip(tip, plot, plot.cursor.left, plot.cursor.top);
    };
    const low = figure.threads[0], high = figure.threads.at(-1);
    const height = () => Math.max(220, Math.min(340, place.clientWidth * 0.62));
    const plot = new uPlot({
        width: 320, height: 240, padding: [12, 12, 0, 0], legend: {show: false},
        cursor: {y: false, drag: {x: false, y: false}, points: {size: 8}},
        scales: {
            x: {time: false, distr: 3, log: 2, range: () => low === high ? [low / 2, low * 2] : [low / 1.2, high * 1.2]},
            y: yScale(figure, scale),
        },
        axes: [
            axis({label: "threads", space: 26, size: 34, splits: () => figure.threads,
                  filter: (plot, splits) => splits, values: (plot, splits) => splits.map(String)}),
            axis({label: figure.unit, size: 62, ...yTicks(figure, scale)}),
        ],
        series: [{}, ...figure.locks.map((id) => ({
            label: id, stroke: () => colourOf(id), width: id === "reciprocating" ? 2.5 : 1.75, dash: dashOf(id),
            points: {show: true, size: 6, fill: () => colourOf(id), stroke: () => colourOf(id)}, spanGaps: true,
        }))],
        hooks: {
            setCursor: [showValues],
            draw: [(plot) => figure.intervals && drawIntervals(plot, figure)],
        },
    }, [figure.threads, ...figure.values], place);
    place.append(tip);
    place.addEventListener("keydown", (event) => movePointer(event, plot, figure.threads.length));
    place.addEventListener("blur", () => plot.setCursor({left: -10, top: -10}));
    keepPlot(plot, place, height, () => figure.locks.forEach((id, i) => plot.setSeries(i + 1, {show: shownLocks.has(id)})));
    return place;
}

/* The plot with its heading, and all its values in a table. */
function makeFigure(figure) {
    const interval = (i, j) => figure.intervals?.[i][j] ? ` (${figure.intervals[i][j].map(figure.text).join(" to ")})` : "";
    const rows = figure.locks.map((id, i) => [id, ...figure.values[i].map((value, j) =>
        value === null ? "" : make("span", {}, figure.text(value), make("small", {}, interval(i, j))))]);
    const holder = make("div", {}), note = make("p", {class: "note"});
    const draw = (scale) => {
        holder.replaceChildren(plotOverThreads(figure, scale));
        note.textContent = scale === 1 ? "One thread alone may be above the top." : "";
    };
    return make("figure", {"data-title": figure.title},
        make("figcaption", {}, figure.title, makeChoice("scale", scales, usualScale(figure), draw)),
        holder, note,
        make("details", {}, make("summary", {}, "The values"),
            makeTable(`${figure.title}, ${figure.unit}`, ["lock", ...figure.threads.map((count) => plural(count, "thread"))], rows)));
}

/* From rows of {lock, threads, ...}: a figure's threads, locks, values and intervals. */
function arrange(rows, valueOf, intervalOf) {
    const threads = unique(rows.map((row) => row.threads)).sort(byNumber);
    const locks = allLocks.filter((id) => rows.some((row) => row.lock === id));
    const cells = new Map(rows.map((row) => [`${row.lock} ${row.threads}`, row]));
    const grid = (read) => locks.map((id) => threads.map((count) => {
        const row = cells.get(`${id} ${count}`);
        return row ? read(row) : null;
    }));
    return {threads, locks, values: grid(valueOf), intervals: intervalOf ? grid(intervalOf) : null};
}

// SPDX-License-Identifier: MIT
// The page in Chromium: what it shows is what is in the files, by mouse, by keyboard, in dark and light, on a phone.
import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import test, {after, before} from "node:test";
import {Chromium} from "./chromium.mjs";

const folder = mkdtempSync(join(tmpdir(), "recip-page-"));
const page = join(folder, "page.html");
const files = readdirSync(process.env.RESULTS).filter((name) => name.endsWith(".json")).sort();
const results = files.map((name) => ({file: name, ...JSON.parse(readFileSync(join(process.env.RESULTS, name)))}));
const of = (schema) => results.filter((one) => one.schema === schema);
let browser, tab;

function report(paths, output) {
    execFileSync(process.env.RECIP, ["report", ...paths, "-o", output]);
}

/* A page of its own for one document. */
async function openDocument(name, document) {
    const file = join(folder, `${name}.json`), output = join(folder, `${name}.html`);
    writeFileSync(file, JSON.stringify(document));
    report([file], output);
    const other = await browser.open(output);
    assert.deepEqual(other.complaints, []);
    return other;
}

/* Results of `recip bench`: these rows are measurements and their summaries. */
function benchOf(kind, rows) {
    return {schema: "recip-bench", version: 2, kind, unit: "operations per second", better: "more", complete: true,
        environment: {}, options: {runs: 1, seconds: 1, baseline: "pthread"}, measurements: rows, counts: [], comparisons: [],
        summaries: rows.map((one) => ({...one, runs: 1, value: {median: one.value, low: one.value / 2, high: one.value * 2, confident: false}}))};
}

before(async () => {
    report(files.map((name) => join(process.env.RESULTS, name)), page);
    browser = await Chromium.start(process.env.CHROMIUM);
    tab = await browser.open(page);
});

after(async () => {
    await browser?.stop();
    rmSync(folder, {recursive: true, force: true});
});

/* Nine digits are written. */
const isNear = (one, other) => Math.abs(one - other) <= 1e-6 * Math.abs(one);

/* In the page: the points of each plot in the element, as "lock threads value". */
const pointsIn = (selector) => `[...document.querySelectorAll(${JSON.stringify(selector)})].map((figure) => {
    const {data, series} = figure.querySelector(".plot").plot;
    return series.slice(1).flatMap((one, i) => data[i + 1].map((value, j) => value === null ? null : [one.label, data[0][j], value].join(" "))).filter((text) => text);
})`;

test("it complains of nothing and asks for nothing", () => {
    assert.deepEqual(tab.complaints, []);
    assert.deepEqual(tab.requests.map((url) => url.replace(/^.*\//, "")), ["page.html"]);
});

test("every measured point is in its plot", async () => {
    for (const bench of of("recip-bench").filter((one) => one.kind !== "waiting")) {
        const workloads = [...new Set(bench.summaries.map((row) => row.workload))];
        const shown = await tab.evaluate(pointsIn(`[data-file="${bench.file}"] figure`));
        assert.equal(shown.length, workloads.length);
        workloads.forEach((workload, i) => {
            const rows = bench.summaries.filter((row) => row.workload === workload);
            assert.deepEqual(shown[i].map((text) => text.split(" ").slice(0, 2).join(" ")).sort(), rows.map((row) => `${row.lock} ${row.threads}`).sort());
            for (const text of shown[i]) {
                const [lock, threads, value] = text.split(" ");
                const row = rows.find((one) => one.lock === lock && one.threads === Number(threads));
                assert.ok(isNear(row.value.median, Number(value)), `${text}, not ${row.value.median}`);
            }
        });
    }
});

test("what a busy machine measured is marked at the top", async () => {
    const row = {lock: "mutex", workload: "max", threads: 1, run: 0, value: 1e6};
    for (const busy of [true, false]) {
        const bench = {...benchOf("mutexbench", [row]), environment: {cpus: 2, busy, others_cpus: busy ? 1.5 : 0}};
        const other = await openDocument(`busy-${busy}`, bench);
        const shown = await other.evaluate(`[...document.querySelectorAll(".busy")].map((one) => one.textContent)`);
        assert.equal(shown.length, busy ? 1 : 0);
        if (busy)
            assert.match(shown[0], /other programs had 1\.5 of its 2 CPUs/);
    }
});

test("every simulated point is in its plot", async () => {
    for (const machine of new Set(of("recip-sim").map((sim) => sim.machine))) {
        const shown = await tab.evaluate(pointsIn(`[data-machine="${machine}"] figure`));
        const sims = of("recip-sim").filter((sim) => sim.machine === machine);
        assert.deepEqual(shown.map((list) => list.length), sims.map((sim) => sim.runs.length));
        for (const [i, sim] of sims.entries())
            for (const row of sim.runs)
                assert.ok(shown[i].some((text) => text.startsWith(`${row.lock} ${row.threads} `) &&
                    isNear(row.throughput, Number(text.split(" ")[2]))), `${row.lock} ${row.threads}`);
    }
});

test("the axis of threads is logarithmic", async () => {
    const gaps = await tab.evaluate(`(() => {
        const plot = document.querySelector('[data-machine="altra-max"] .plot').plot;
        return [1, 2, 4, 8].map((count) => plot.valToPos(count, "x"));
    })()`);
    assert.ok(Math.abs((gaps[1] - gaps[0]) - (gaps[3] - gaps[2])) < 0.01);
});

test("the Pareto plot has a point for each lock that waited", async () => {
    const [bench] = of("recip-bench");
    const waited = bench.summaries.filter((row) => row.threads > 1 && row.acquire_ns_p999 > 0 && row.value.median > 0);
    const choices = [...new Set(waited.map((row) => `${row.workload} ${row.threads}`))];
    const last = waited.filter((row) => `${row.workload} ${row.threads}` === choices.at(-1));
    await tab.evaluate(`(() => {
        const select = document.querySelector("#pareto select");
        select.selectedIndex = ${choices.length - 1};
        select.dispatchEvent(new Event("change"));
    })()`);
    const [shown] = await tab.evaluate(pointsIn("#pareto figure"));
    const own = shown.filter((text) => !text.startsWith("frontier"));
    assert.deepEqual(own.map((text) => text.split(" ")[0]).sort(), last.map((row) => row.lock).sort());
    assert.ok(shown.some((text) => text.startsWith("frontier")));
});

/* In the page: chooses what the section shows. */
const choose = (section, index) => `(() => {
    const select = document.querySelector("#${section} select");
    select.selectedIndex = ${index};
    select.dispatchEvent(new Event("change"));
})()`;

test("waits by the clock: a point for each lock, and its percentiles, in every cell", async () => {
    const waiting = of("recip-bench").filter((one) => one.kind === "waiting").sort((a, b) => a.options.condition_variables - b.options.condition_variables);
    const cells = waiting.flatMap((bench) => {
        const rows = bench.summaries.filter((row) => row.wait_ns_p99?.median > 0 && row.value.median > 0);
        return [...new Set(rows.map((row) => `${row.workload} ${row.threads}`))].map((key) =>
            ({bench, rows: rows.filter((row) => `${row.workload} ${row.threads}` === key)}));
    });
    assert.ok(cells.length > 4, `${cells.length} cells`);
    assert.equal(await tab.evaluate(`document.querySelectorAll("#waiting select option").length`), cells.length);
    for (const [index, {bench, rows}] of cells.entries()) {
        await tab.evaluate(choose("waiting", index));
        const label = await tab.evaluate(`document.querySelector("#waiting select").selectedOptions[0].textContent`);
        assert.equal(label.includes("signalled"), bench.options.condition_variables);
        assert.ok(label.includes(`${rows[0].threads} hog`), label);
        const [pareto, percentiles] = await tab.evaluate(pointsIn("#waiting figure"));
        const points = pareto.map((text) => text.split(" ")).filter(([lock]) => lock !== "frontier");
        assert.deepEqual(points.map(([lock]) => lock).sort(), rows.map((row) => row.lock).sort());
        for (const row of rows) {
            const [, rate, wait] = points.find(([lock]) => lock === row.lock);
            const time = (name) => row[`${bench.options.condition_variables ? "wait" : "from_due"}_ns_${name}`];
            assert.ok(isNear(row.value.median, Number(rate)) && isNear(time("p99").median, Number(wait)), `${row.lock}: ${rate} ${wait}`);
            const shown = percentiles.map((text) => text.split(" ")).filter(([lock]) => lock === row.lock).map(([, , value]) => Number(value));
            const wanted = [time("p50").median, time("p90").median, time("p99").median, time("p999"), time("max")];
            assert.ok(shown.length === 5 && wanted.every((value, i) => isNear(value, shown[i])), `${row.lock}: ${shown}, not ${wanted}`);
        }
        assert.ok(pareto.some((text) => text.startsWith("frontier")));
        assert.equal(await tab.evaluate(`document.querySelectorAll("#waiting tbody tr").length`), rows.length);
        const note = await tab.evaluate(`[...document.querySelectorAll("#waiting .note")].map((one) => one.innerText).join("\\n")`);
        const titles = await tab.evaluate(`[...document.querySelectorAll("#waiting thead th")].map((one) => one.textContent)`);
        assert.equal(titles.some((title) => /^late, p99$/i.test(title)), !bench.options.condition_variables, titles.join("; "));
        assert.match(note, bench.options.condition_variables ? /from the signal/ : /Without any lock .* alone; .* beside \d+ threads? that compute/);
    }
    assert.deepEqual(tab.complaints, []);
});

test("waits are on a logarithmic axis, and the arrow keys go from percentile to percentile", async () => {
    await tab.evaluate(choose("waiting", 0));
    const gaps = await tab.evaluate(`(() => {
        const plot = document.querySelector('#waiting [data-plot="pareto"]').plot;
        return [1e3, 1e4, 1e5].map((wait) => plot.valToPos(wait, "y"));
    })()`);
    assert.ok(Math.abs((gaps[1] - gaps[0]) - (gaps[2] - gaps[1])) < 0.01);
    await tab.evaluate(`document.querySelector('#waiting [data-plot="percentiles"]').focus()`);
    await tab.press("ArrowRight");
    await tab.press("ArrowRight");
    assert.match(await tab.evaluate(`document.querySelector('#waiting [data-plot="percentiles"] .tip').innerText`), /^p90/);
});

test("Table 1 has every property, and marks what differs from the paper", async () => {
    const [table] = of("recip-table");
    const [cells, marked] = await tab.evaluate(`[document.querySelectorAll("#table tbody td").length, document.querySelectorAll("#table td .differs").length]`);
    assert.equal(cells, table.locks.length * table.properties.length);
    assert.equal(marked, table.locks.reduce((sum, lock) => sum + lock.differs.length, 0));
    assert.ok(marked > 0);
});

test("the explored executions are those of the file", async () => {
    const [check] = of("recip-check");
    const text = await tab.evaluate(`document.getElementById("checked").textContent`);
    assert.match(text, new RegExp(`${check.locks[0].clients[0].executions} executions in all`));
});

test("the mutexes of a program: a row for each place, its waiting over time and by length", async () => {
    const [stats] = of("recip-stats");
    const shown = await tab.evaluate(`(() => {
        const section = document.querySelector('#locked [data-file="${stats.file}"]');
        const values = (figure) => [...figure.children].map((one) => Number(one.dataset.value));
        return {rows: [...section.querySelectorAll('[aria-label="Mutexes"] tbody tr')].map((row) => [...row.children].map((cell) => cell.innerText)),
            widths: [...section.querySelectorAll('[aria-label="Mutexes"] .bar-inner')].map((one) => parseFloat(one.style.width)),
            time: [...section.querySelectorAll('[data-columns="time"]')].map(values),
            lengths: [...section.querySelectorAll('[data-columns="lengths"]')].map(values),
            stacks: [...section.querySelectorAll(".frames")].map((list) => [...list.children].map((one) => one.textContent)),
            threads: section.querySelectorAll('[aria-label="Threads"] tbody tr').length};
    })()`);
    const waited = stats.places.filter((place) => place.contended);
    assert.ok(stats.places.length > 1);
    assert.deepEqual(shown.rows.map((row) => row[0].split("\n")[0]), stats.places.map((place) => place.name ?? place.created ?? place.first_locked));
    assert.deepEqual(shown.rows.map((row) => row.at(-1)), stats.places.map((place) => String(place.mutexes)));
    assert.deepEqual(shown.widths.map(Math.round), stats.places.map((place) => Math.round(stats.places[0].wait_total_ns ? 100 * place.wait_total_ns / stats.places[0].wait_total_ns : 0)));
    assert.deepEqual(shown.time, [stats, ...waited].map((one) => one.waited_ns));
    assert.deepEqual(shown.lengths, waited.map((place) => place.waits.map((bucket) => bucket.count)));
    assert.deepEqual(shown.stacks, waited.flatMap((place) => place.waiters.map((one) => one.stack)));
    assert.equal(shown.threads, stats.threads.length);
});

/* In the page: the cells of the tables of a calibration, ratio and times apart. */
const calibrationIn = (file) => `[...document.querySelectorAll('[data-file="${file}"] table')].map((table) =>
    [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => [...(cell.firstElementChild ?? cell).childNodes].map((node) => node.textContent).join("; "))))`;

test("every cell of a calibration is in its table", async () => {
    for (const calibration of of("recip-calibration")) {
        const [columns, cells] = await tab.evaluate(calibrationIn(calibration.file));
        const measured = calibration.columns.filter((column) => column.locks > 0);
        assert.deepEqual(columns.map((row) => Number(row[1])), measured.map((column) => column.locks));
        assert.equal(cells.flatMap((row) => row.slice(1)).filter((text) => text).length, calibration.cells.filter((cell) =>
            measured.some((column) => column.workload === cell.workload && column.threads === cell.threads)).length);
    }
});

test("a calibration says how near the model is, and marks what is far off", async () => {
    const column = (workload, threads, locks, rank_correlation) =>
        ({workload, threads, locks, within_25_percent: Math.max(locks - 1, 0), within_10_percent: Math.max(locks - 2, 0), rank_correlation, repeated: rank_correlation});
    const cell = (lock, threads, measured_ns, modelled_ns) =>
        ({lock, workload: "max", threads, measured_ns, modelled_ns, ratio: measured_ns === null ? null : modelled_ns / measured_ns});
    const other = await openDocument("calibration", {schema: "recip-calibration", version: 1, machine_file: "pause = 20 # [M]\n", discarded: 0,
        cells: [cell("mcs", 1, 20, 16), cell("mcs", 2, 100, 150), cell("clh", 1, 20, 15), cell("clh", 2, null, 120), cell("ticket", 1, 10, 14)],
        columns: [column("max", 1, 3, -0.5), column("max", 2, 2, null), column("moderate", 1, 0, null)]});
    assert.deepEqual(await other.evaluate(calibrationIn("calibration.json")), [
        [["Maximum contention, 1 thread", "3", "2", "1", "-0.50", "-0.50"], ["Maximum contention, 2 threads", "2", "1", "0", "-", "-"]],
        [["mcs", "0.8; 20 ns, 16 ns", "1.5; 100 ns, 150 ns"], ["clh", "0.75; 20 ns, 15 ns", "-; not measured, 120 ns"],
            ["ticket", "1.4; 10 ns, 14 ns", ""]]]);
    assert.deepEqual(await other.evaluate(`[...document.querySelectorAll(".calibration .differs")].map((one) => one.firstChild.textContent)`), ["1.5", "1.4"]);
    assert.equal(await other.evaluate(`document.querySelector(".calibration pre").textContent`), "pause = 20 # [M]\n");
    await other.close();
    await tab.show();
});

test("the pointer shows the values", async () => {
    const at = await tab.evaluate(`(() => {
        const place = document.querySelector('[data-machine="altra-max"] .plot'), plot = place.plot;
        place.scrollIntoView({block: "center", behavior: "instant"});
        const box = plot.over.getBoundingClientRect();
        return [box.left + plot.valToPos(4, "x"), box.top + box.height / 2];
    })()`);
    await tab.point(...at);
    const text = await tab.evaluate(`(() => {
        const tip = document.querySelector('[data-machine="altra-max"] .tip');
        return tip.hidden ? "hidden" : tip.innerText;
    })()`);
    assert.match(text, /^4 threads/);
    const run = of("recip-sim").find((sim) => sim.machine === "altra-max").runs.find((row) => row.lock === "mcs" && row.threads === 4);
    assert.match(text, new RegExp(`mcs\\s+${Number((run.throughput / 1e6).toPrecision(3))} M/s`));
    await tab.point(1, 1);
});

test("the arrow keys show the values", async () => {
    await tab.evaluate(`document.querySelector('[data-machine="altra-max"] .plot').focus()`);
    await tab.press("ArrowRight");
    await tab.press("ArrowRight");
    const text = await tab.evaluate(`document.querySelector('[data-machine="altra-max"] .tip').innerText`);
    assert.match(text, /^4 threads/);
});

test("a lock is switched off and on from the keyboard, in every plot", async () => {
    const shown = `[...document.querySelectorAll(".plot")].filter((place) => place.plot).flatMap((place) =>
        place.plot.series.filter((one) => one.label === "mcs").map((one) => one.show))`;
    const pressed = `[...document.querySelectorAll('[data-lock="mcs"]')].map((button) => button.getAttribute("aria-pressed"))`;
    assert.ok((await tab.evaluate(shown)).length >= 5);
    assert.ok((await tab.evaluate(shown)).every((one) => one));
    await tab.evaluate(`document.querySelector('[data-lock="mcs"]').focus()`);
    await tab.press(" ");
    assert.ok((await tab.evaluate(shown)).every((one) => !one));
    assert.ok((await tab.evaluate(pressed)).every((word) => word === "false"));
    await tab.press("Enter");
    assert.ok((await tab.evaluate(shown)).every((one) => one));
});

test("what has the focus shows it", async () => {
    const seen = new Set(), fresh = await browser.open(page);
    for (let i = 0; i < 60; i++) {
        await fresh.press("Tab");
        const [kind, outline] = await fresh.evaluate(`(() => {
            const active = document.activeElement, style = getComputedStyle(active);
            return [active.tagName + "." + active.className, style.outlineStyle + " " + style.outlineWidth];
        })()`);
        seen.add(kind.split(" ")[0]);
        assert.match(outline, /^(solid|auto) [1-9]/, `${kind} has no outline`);
    }
    for (const kind of ["A.skip", "BUTTON.lock", "SELECT.", "DIV.plot", "SUMMARY."])
        assert.ok(seen.has(kind), `${kind} is not reached by the tab key`);
    await fresh.close();
    await tab.show();
});

test("other figures and scales can be chosen", async () => {
    const [before, events] = await tab.evaluate(`(() => {
        const machine = document.querySelector('[data-machine="altra-max"]'), choice = machine.querySelector(":scope > .choice select");
        const read = () => machine.querySelector(".plot").plot.data[1][0];
        const first = read();
        choice.selectedIndex = 1;
        choice.dispatchEvent(new Event("change"));
        const second = read();
        for (const scale of machine.querySelectorAll("figcaption select")) {
            scale.selectedIndex = 2;
            scale.dispatchEvent(new Event("change"));
        }
        return [first, second];
    })()`);
    const run = of("recip-sim").find((sim) => sim.machine === "altra-max").runs[0];
    assert.ok(isNear(before, run.throughput));
    assert.ok(isNear(events, run.events));
    assert.deepEqual(tab.complaints, []);
});

/* What the player shows. */
const playerState = `(() => {
    const player = document.querySelector(".player");
    const names = (zone) => [...player.querySelectorAll(".zone." + zone + " .token:not(.ghost)")].map((token) => token.dataset.thread).join("");
    return {position: Number(player.dataset.position), last: player.dataset.last === "true", word: player.querySelector(".stack .word").textContent,
        owner: names("owner"), entry: names("entry"), stack: names("stack"), outside: names("outside"),
        admitted: [...player.querySelectorAll(".order li")].map((item) => item.textContent).join(""),
        lit: player.querySelectorAll(".source .now").length, caption: player.querySelector(".caption").textContent};
})()`;

async function chooseScenario(index) {
    await tab.evaluate(`(document.querySelectorAll(".choices button")[${index}].click(), document.querySelector(".player").focus())`);
}

test("the step-through reaches the end of each scenario", async () => {
    const ends = [
        {admitted: "A", word: "0, unlocked", owner: "", entry: "", stack: "", outside: "A"},
        {admitted: "ACB", word: "0, unlocked", owner: "", entry: "", stack: "", outside: "ABC"},
        {admitted: "ADCBFE", word: "0, unlocked", owner: "", entry: "", stack: "", outside: "ABCDEF"},
        {admitted: "ABCDEDCBA", word: "B's element", owner: "A", entry: "", stack: "BCDE", outside: ""},
    ];
    for (const [index, end] of ends.entries()) {
        await chooseScenario(index);
        const total = await tab.evaluate(`Number(document.querySelector(".player input").max)`);
        for (let i = 0; i < total; i++) {
            await tab.press("ArrowRight");
            const state = await tab.evaluate(playerState);
            assert.equal(state.position, i + 1);
            assert.equal(state.last, i + 1 === total);
            assert.equal(state.lit, 1);
            assert.ok(state.caption.length > 20 && !state.caption.includes("undefined"), state.caption);
            assert.equal([...state.owner + state.entry + state.stack + state.outside].sort().join(""), [...new Set(end.admitted)].sort().join(""));
        }
        const {admitted, word, owner, entry, stack, outside} = await tab.evaluate(playerState);
        assert.deepEqual({admitted, word, owner, entry, stack, outside}, end);
    }
});

test("the step-through goes back, from owner to owner, to its ends, and plays", async () => {
    await chooseScenario(2);
    const positionAfter = async (...keys) => {
        for (const key of keys)
            await tab.press(key);
        return (await tab.evaluate(playerState)).position;
    };
    assert.equal(await positionAfter("ArrowRight", "ArrowRight", "ArrowLeft"), 1);
    assert.equal(await positionAfter("Home"), 0);
    const owners = [];
    while (!(await tab.evaluate(playerState)).last) {
        await tab.press("ArrowDown");
        owners.push((await tab.evaluate(playerState)).owner);
    }
    assert.equal(owners.slice(0, -1).join(""), "ADCBFE");
    assert.equal(await positionAfter("Home", "End"), await tab.evaluate(`Number(document.querySelector(".player input").max)`));
    const playing = `document.querySelector(".play").getAttribute("aria-pressed")`;
    await tab.press("Home");
    await tab.press(" ");
    assert.equal(await tab.evaluate(playing), "true");
    await tab.evaluate(`new Promise((moved) => new MutationObserver(moved).observe(document.querySelector(".player"), {attributeFilter: ["data-position"]}))`);
    await tab.press(" ");
    assert.equal(await tab.evaluate(playing), "false");
});

/* The luminance of a colour as getComputedStyle has it. */
const luminance = (colour) => {
    const [red, green, blue] = colour.match(/[\d.]+/g).map(Number);
    const linear = (part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
};
const contrast = (one, other) => (Math.max(luminance(one), luminance(other)) + 0.05) / (Math.min(luminance(one), luminance(other)) + 0.05);

for (const theme of ["light", "dark"])
    test(`it can be read in ${theme}`, async () => {
        await tab.setTheme(theme);
        const seen = await tab.evaluate(`(() => {
            const style = (selector) => getComputedStyle(document.querySelector(selector));
            return {paper: style("body").backgroundColor, card: style("figure").backgroundColor, text: style("body").color, soft: style(".note").color,
                link: style("nav a").color, mark: [style(".differs").color, style(".differs").backgroundColor],
                locks: allLocks.map((id) => [id, colourOf(id)])};
        })()`);
        assert.equal(luminance(seen.paper) > 0.5, theme === "light");
        assert.ok(contrast(seen.text, seen.paper) >= 7);
        for (const [colour, ground] of [[seen.soft, seen.paper], [seen.link, seen.paper], seen.mark])
            assert.ok(contrast(colour, ground) >= 4.5, `${colour} on ${ground}`);
        for (const [id, colour] of seen.locks) {
            const parts = colour.match(/[0-9a-f]{2}/gi).map((part) => parseInt(part, 16));
            assert.ok(contrast(`rgb(${parts.join(",")})`, seen.card) >= 3, `${id} ${colour} on ${seen.card}`);
        }
        // The canvas has been painted in the colours of the theme.
        await tab.settle();
        const painted = await tab.evaluate(`(() => {
            const plot = document.querySelector('[data-machine="altra-max"] .plot').plot, wanted = colourOf("reciprocating");
            const pixels = plot.ctx.getImageData(0, 0, plot.ctx.canvas.width, plot.ctx.canvas.height).data;
            const parts = wanted.match(/[0-9a-f]{2}/gi).map((part) => parseInt(part, 16));
            let count = 0;
            for (let i = 0; i < pixels.length; i += 4)
                count += pixels[i] === parts[0] && pixels[i + 1] === parts[1] && pixels[i + 2] === parts[2];
            return count;
        })()`);
        assert.ok(painted > 50, `${painted} pixels of the lock's colour`);
    });

test("nothing is wider than a phone", async () => {
    const phone = await browser.open(page, {width: 360, height: 740});
    assert.ok(await phone.evaluate(`document.documentElement.scrollWidth`) <= 360);
    await phone.evaluate(`document.querySelectorAll("details").forEach((one) => { one.open = true; })`);
    await phone.settle();
    assert.ok(await phone.evaluate(`document.documentElement.scrollWidth`) <= 360);
    const small = await phone.evaluate(`[...document.querySelectorAll("button.lock")].filter((button) => button.getBoundingClientRect().height < 24).length`);
    assert.equal(small, 0);
    assert.deepEqual(phone.complaints, []);
});

/* A program in C++, whose names are as long as they get in the file. */
function statisticsOfLongNames() {
    const long = "shop::basic_ledger<std::vector<std::pair<std::string, shop::amount>>, shop::default_policy>::post_entry(shop::entry const&)".slice(0, 119);
    const frame = `${long} (a_source_file_with_quite_a_long_name.cpp:12345)`;
    const place = (i) => ({...(i % 2 ? {created: frame} : {name: long}), first_locked: frame, mutexes: i + 1, acquisitions: 10 ** i, contended: i + 1, handovers: 0, parks: 0,
        wait_total_ns: 10 ** (10 - i), wait_max_ns: 5e8, wait_p50_ns: 1e6, wait_p99_ns: 4e8, hold_total_ns: 1e9, wait_least_ns: 0, wait_most_ns: 1e9,
        acquisitions_least: 1, acquisitions_most: 10 ** i, waited_ns: Array(64).fill(1e8), slice_ns: 2 ** 24,
        waits: Array.from({length: 60}, (_, k) => ({from_ns: 2 ** (k / 2), count: k + 1})), waiters: [{waits: 1, waited_ns: 5, stack: Array(16).fill(frame)}]});
    return {schema: "recip-stats", version: 1, program: "a-program-with-a-long-name", process: 4194304, lock: "mutex", nanoseconds: 1e12, mutexes_used: 1e6,
        acquisitions: 1e12, contended: 1e9, wait_total_ns: 1e13, threads_seen: 5000, slice_ns: 2 ** 34, waited_ns: Array(64).fill(1e9),
        places: Array.from({length: 9}, (_, i) => place(i)),
        threads: Array.from({length: 64}, (_, i) => ({name: "fifteen-letters", thread: 4194304 - i, wait_total_ns: 1e12, acquisitions: 1e9, contended: 1e6, hold_total_ns: 1e12, parks: 7}))};
}

for (const width of [1280, 360])
    test(`statistics with long names fit a window of ${width} pixels`, async () => {
        const other = await openDocument("long-names", statisticsOfLongNames());
        await other.resize(width, 800);
        await other.evaluate(`document.querySelectorAll("details").forEach((one) => { one.open = true; })`);
        await other.settle();
        assert.ok(await other.evaluate(`document.documentElement.scrollWidth`) <= width);
        // What sticks out of the window is in something that scrolls by itself, and what is cut off in something that shows it so.
        const lost = await other.evaluate(`[...document.querySelectorAll("#locked *")].filter((one) => {
            for (let box = one.parentElement; box; box = box.parentElement)
                if (/auto|scroll/.test(getComputedStyle(box).overflowX))
                    return false;
            const {left, right} = one.getBoundingClientRect();
            return right > innerWidth + 1 || left < -1;
        }).map((one) => one.outerHTML.slice(0, 80))`);
        assert.deepEqual(lost, []);
        const sizes = await other.evaluate(`[...document.querySelectorAll("#locked .columns > span, #locked [aria-label=Mutexes] tbody tr:first-child .bar-inner")].map((one) => one.getBoundingClientRect())
            .map(({width, height}) => Math.min(width, height))`);
        assert.ok(sizes.length > 64 && sizes.every((size) => size > 0.5), `${Math.min(...sizes)}`);
        const row = await other.evaluate(`document.querySelector("#locked [aria-label=Mutexes] tbody tr").innerText`);
        assert.match(row, /post_entry/);
        assert.deepEqual(other.complaints, []);
        await other.close();
        await tab.show();
    });

test("sections of the mutex have their titles, and the pair its times", async () => {
    const row = (lock, workload, threads, rate) => ({lock, workload, threads, run: 0, seconds: 1, operations: rate, value: rate});
    const measurements = [row("mutex", "pair/0", 1, 4e8), row("bare", "pair/0", 1, 5e8), row("mutex", "100us/250", 2, 9e3),
        row("mutex", "step/0", 2, 6e7), row("mutex", "3/4", 2, 6e7)];
    const other = await openDocument("mutex", benchOf("mutex", measurements));
    assert.deepEqual(await other.evaluate(`[...document.querySelectorAll("#measured figcaption")].map((one) => one.firstChild.textContent)`),
        ["Lock and unlock by one thread, inline", "Critical section 100us, up to 250 steps outside", "Critical section step, nothing outside", "Steps inside/outside: 3/4"]);
    assert.deepEqual(await other.evaluate(`[...document.querySelector("#measured figure tbody").rows].map((one) => [...one.cells].slice(0, 3).map((cell) => cell.innerText))`),
        [["bare", "1", "2 ns\n1 ns to 4 ns"], ["mutex", "1", "2.5 ns\n1.25 ns to 5 ns"]]);
    await other.close();
    await tab.show();
});

test("of many locks, those that were timed by the clock beside the mutex are shown at first, each in its colour", async () => {
    const hidden = ["pthread-adaptive", "mcs-park"];
    const locks = ["mutex", "pthread", "mutex:0", "mutex@old", "nsync", "absl", "tbb-spin", "tbb-queuing", "ck-mcs", ...hidden];
    const bench = benchOf("waiting", locks.map((lock, i) => ({lock, workload: "20/0", threads: 3, run: 0, seconds: 1, operations: 1e6, value: 1e6 + i,
        arrivals: 10, wait_ns_p50: 1e3, wait_ns_p90: 1e4, wait_ns_p99: 1e5, wait_ns_p999: 1e6, wait_ns_max: 1e6})));
    for (const row of bench.summaries)
        for (const name of ["wait_ns_p50", "wait_ns_p90", "wait_ns_p99"])
            row[name] = {median: row[name], low: row[name], high: row[name], confident: false};
    const other = await openDocument("peers", bench);
    const buttons = await other.evaluate(`[...document.querySelectorAll("#waiting [data-lock]")].map((button) =>
        [button.dataset.lock, button.getAttribute("aria-pressed"), button.querySelector(".swatch").style.background])`);
    assert.equal(buttons.length, locks.length);
    for (const [lock, pressed] of buttons)
        assert.equal(pressed, String(!hidden.includes(lock)), lock);
    assert.match(await other.evaluate(`[...document.querySelectorAll("#waiting .note")].map((one) => one.innerText).join("\\n")`), /from when the thread runs/); /* as older results have it */
    assert.equal(new Set(buttons.map(([, , background]) => background)).size, locks.length);
    await other.close();
    await tab.show();
});

test("the page tells its story in this order", async () => {
    const order = ["steps", "findings", "measured", "pareto", "waiting", "fairness", "simulated", "calibrated", "table", "checked", "locked"];
    const shown = await tab.evaluate(`[...document.querySelectorAll("main > section")].map((one) => one.id)`);
    assert.deepEqual(shown, order.filter((id) => shown.includes(id)));
    assert.ok(shown.length >= 10, shown.join(" "));
    assert.deepEqual(await tab.evaluate(`[...document.querySelectorAll("nav a")].map((one) => one.hash.slice(1))`), shown);
    assert.ok(await tab.evaluate(`document.querySelectorAll("#findings li").length`) === 3);
    const alone = await openDocument("stats-alone", of("recip-stats")[0]);
    assert.deepEqual(await alone.evaluate(`[...document.querySelectorAll("main > section")].map((one) => one.id)`), ["locked", "steps"]);
    await alone.close();
    await tab.show();
});

test("what was found is said as the runs say it", async () => {
    const row = (lock, value) => ({lock, workload: "max", threads: 2, run: 0, seconds: 1, operations: value, value});
    const found = async (name, speed, verdict, environment = {cpus: 2}) => {
        const bench = {...benchOf("mutexbench", [row("mutex", 3e7), row("pthread", 1e7), row("mcs", 2e7)]), environment};
        bench.comparisons = [{lock: "mutex", baseline: "pthread", workload: "max", threads: 2, runs: 6, speed, verdict}];
        const other = await openDocument(name, bench);
        const [text, note] = await other.evaluate(`[document.querySelector("#findings li").innerText, document.querySelector("#findings .note")?.innerText ?? ""]`);
        await other.close();
        return [text, note];
    };
    const first = "With 2 threads that do little but lock, the mutex has the highest median, 30 M/s. It is ";
    assert.deepEqual(await found("ahead", {median: 3, low: 2.5, high: 3.5, confident: true}, "faster"), [first + "3 times as fast as the system's mutex.", ""]);
    assert.deepEqual(await found("level", {median: 1.1, low: 0.9, high: 1.3, confident: true}, "no difference seen"),
        [first + "level with the system's mutex, as far as the runs can tell.", ""]);
    assert.deepEqual(await found("behind", {median: 0.5, low: 0.4, high: 0.6, confident: true}, "slower", {cpus: 2, busy: true, others_cpus: 1}),
        [first + "2 times slower than the system's mutex.", "On a busy machine: see the banner."]);
    await tab.show();
});

test("numbers have units that fit, and no exponents", async () => {
    assert.deepEqual(await tab.evaluate(`[8.58e-7, 0.0012, 12, 1234567, 0].map(digits)`), ["<0.001", "0.0012", "12", "1,230,000", "0"]);
    assert.deepEqual(await tab.evaluate(`[999.9, 999999, 1e9, 42].map(nanoseconds)`), ["1 µs", "1 ms", "1 s", "42 ns"]);
    assert.deepEqual(await tab.evaluate(`[999.9, 2.5e6, 3e4].map(shortNumber)`), ["1 k", "2.5 M", "30 k"]);
    assert.doesNotMatch(await tab.evaluate(`document.querySelector("main").textContent.match(/\\d+(\\.\\d+)?e[-+]\\d+/)?.[0] ?? ""`), /e/);
});

test("bars and points are where their values are", async () => {
    const bars = await tab.evaluate(`[...document.querySelectorAll("#fairness .barred")].map((one) => [Number(one.firstChild.textContent), parseFloat(one.querySelector(".bar-inner").style.width)])`);
    assert.ok(bars.length > 1);
    for (const [value, width] of bars)
        assert.ok(Math.abs(100 * value - width) < 0.1, `${value}: ${width} %`);
    const row = (lock, nanoseconds) => ({lock, workload: "uncontended", threads: 1, run: 0, value: nanoseconds});
    const other = await openDocument("times", {...benchOf("latency", [row("mutex", 10), row("pthread", 100), row("mcs", 1e5)]), better: "less", unit: "nanoseconds"});
    const points = await other.evaluate(`[...document.querySelectorAll(".spot-point")].map((one) => parseFloat(one.style.left))`);
    // 5 ns to 200 us, the ends of the intervals, are four decades and six tenths.
    const wanted = [10, 100, 1e5].map((time) => 100 * Math.log(time / 5) / Math.log(2e5 / 5));
    assert.ok(points.every((point, i) => Math.abs(point - wanted[i]) < 0.1), `${points}, not ${wanted}`);
    await other.close();
    await tab.show();
});

test("intervals stand side by side, and are left out where they are too many", async () => {
    const strokes = (count) => tab.evaluate(`(() => {
        const xs = [], nothing = () => {};
        const ctx = {save: nothing, restore: nothing, beginPath: nothing, stroke: nothing, lineTo: nothing, moveTo: (x) => xs.push(x)};
        const locks = Array.from({length: ${count}}, (_, i) => "lock" + i);
        drawIntervals({ctx, scales: {y: {}}, series: [{}, ...locks.map(() => ({show: true}))], valToPos: (value) => 100 * value},
            {locks: locks.map(() => "mutex").map((id, i) => allLocks[i] ?? id + i), threads: [1, 4], intervals: locks.map(() => [[1, 2], [1, 2]])});
        return xs;
    })()`);
    const few = await strokes(3);
    assert.equal(few.length, 6);
    assert.equal(new Set(few).size, 6);
    assert.equal((await strokes(40)).length, 0);
});

test("nothing is cut off at 1280", async () => {
    const [table] = of("recip-table");
    const locks = Array.from({length: 24}, (_, i) => ({...table.locks[i % table.locks.length], id: `reciprocating-doubleswap-${i}`}));
    const other = await openDocument("many-locks", {...table, locks});
    for (const one of [tab, other]) {
        const cut = await one.evaluate(`[...document.querySelectorAll(".scroll")].filter((place) => place.checkVisibility() && place.scrollWidth > place.clientWidth + 1)
            .map((place) => place.getAttribute("aria-label"))`);
        assert.deepEqual(cut, []);
        assert.ok(await one.evaluate(`document.documentElement.scrollWidth`) <= 1280);
    }
    assert.equal(await other.evaluate(`document.querySelectorAll("#table tbody td").length`), 24 * table.properties.length);
    await other.close();
    await tab.show();
});

test("names in the files are text, whatever they look like", async () => {
    const name = "</script><img src=x onerror=alert(1)>";
    const sim = {schema: "recip-sim", version: 1, machine: name, workload: "<b>max</b>", seed: 1, episodes: 1, store_buffer: 0, context: "body",
        runs: [1, 2].map((threads) => ({lock: name, threads, throughput: 1e6 * threads}))};
    const other = await openDocument("odd", sim);
    assert.equal(other.requests.length, 1);
    assert.equal(await other.evaluate(`document.querySelectorAll("img, b:not(.token b)").length`), 0);
    assert.equal(await other.evaluate(`document.querySelector("#simulated h3").firstChild.textContent`), name);
});

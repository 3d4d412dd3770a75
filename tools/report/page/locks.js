// SPDX-License-Identifier: MIT
/* The locks: their order, their colours, and which of them are shown. One choice for the whole page; every legend has it. */
"use strict";

/* In the order in which their locks are listed. */
const families = ["paper", "mutex", "system", "queue", "ticket", "numa", "few", "spin"];

/* Shown at first where there are many: those that the registry features. */
const mainLocks = families.flatMap((family) =>
    registry.filter((lock) => lock.family === family && lock.featured).map((lock) => lock.id));

/* Hue and lightness (light theme, dark theme); neighbours in the list are far apart. */
const palette = [
    ["#d9480f", "#ff8f50"], ["#1d4ed8", "#7aa5ff"], ["#52525b", "#b4b4bd"], ["#15803d", "#5fce86"],
    ["#8b1fa9", "#d58cf0"], ["#0891b2", "#55cfe8"], ["#713f12", "#d3a878"], ["#db2777", "#ff86b8"],
    ["#4d7c0f", "#a8d65c"], ["#4c1d95", "#a99bff"], ["#a16207", "#e8c14a"], ["#0f766e", "#5fd4c4"],
];

const dark = window.matchMedia("(prefers-color-scheme: dark)");

const baseOf = (id) => id.replace(/-park$/, "");

/* Every lock of the page, the main ones first, then in order of appearance. */
const allLocks = (() => {
    const found = documents.flatMap((one) =>
        one.schema === "recip-bench" ? one.summaries.map((row) => row.lock)
        : one.schema === "recip-sim" ? one.runs.map((row) => row.lock) : []);
    const present = new Set(found);
    return unique([...mainLocks.filter((id) => present.has(id)), ...found]);
})();

/* The main locks have the same colour on every page; the others have those that no lock of this page has, as long as there are some. */
const colourIndex = (() => {
    const present = unique(allLocks.map(baseOf)), others = present.filter((id) => !mainLocks.includes(id));
    const free = palette.map((_, i) => i).filter((i) => !present.includes(mainLocks[i]));
    return new Map([...mainLocks.map((id, i) => [id, i]),
        ...others.map((id, i) => [id, i < free.length ? free[i] : palette.length + i - free.length])]);
})();

function colourOf(id) {
    return palette[colourIndex.get(baseOf(id)) % palette.length][dark.matches ? 1 : 0];
}

/* The parking form of a lock has its colour, dashed; so has the second round through the palette, dotted. */
function dashOf(id) {
    if (baseOf(id) !== id) return [7, 4];
    return colourIndex.get(id) >= 2 * palette.length ? [8, 3, 2, 3] : colourIndex.get(id) >= palette.length ? [2, 3] : [];
}

/* Other libraries' mutexes, and the mutex with another bound or of another build, where waiting by the clock was measured: they were
 * asked for to be seen beside the mutex. */
const waitingPeers = unique(documents.filter((one) => one.schema === "recip-bench" && one.kind === "waiting")
    .flatMap((one) => one.summaries.map((row) => row.lock))).filter((id) => !registry.some((lock) => lock.id === id));

const shownLocks = new Set(allLocks.length > 10 ? allLocks.filter((id) => mainLocks.includes(id) || waitingPeers.includes(id)) : allLocks);
if (shownLocks.size === 0)
    allLocks.forEach((id) => shownLocks.add(id));

let watchers = [];

/* Calls it whenever the choice of locks or the theme has changed, as long as the element is in the page. */
function watchLocks(element, changed) {
    watchers.push({element, changed});
}

function changeLocks(change) {
    change();
    watchers = watchers.filter(({element}) => element.isConnected);
    watchers.forEach(({changed}) => changed());
}

dark.addEventListener("change", () => changeLocks(() => {}));

/* Colours that follow the theme. */
function paint(element, apply) {
    apply();
    watchLocks(element, apply);
}

function swatch(id) {
    const line = make("span", {class: "swatch", "aria-hidden": "true"});
    paint(line, () => {
        const [on, off] = dashOf(id).length ? dashOf(id) : [1, 0];
        line.style.background = `repeating-linear-gradient(90deg, ${colourOf(id)} 0 ${on}px, transparent ${on}px ${on + off}px)`;
    });
    return line;
}

/* Buttons, one for each of these locks, and three that set many at once. */
function makeLegend(ids) {
    const buttons = allLocks.filter((id) => ids.includes(id)).map((id) =>
        make("button", {
            type: "button", class: "lock", "data-lock": id,
            click: () => changeLocks(() => shownLocks.has(id) ? shownLocks.delete(id) : shownLocks.add(id)),
        }, swatch(id), id));
    const update = () => buttons.forEach((button) =>
        button.setAttribute("aria-pressed", shownLocks.has(button.dataset.lock)));
    const set = (word, wanted) => make("button", {
        type: "button", class: "set",
        click: () => changeLocks(() => ids.forEach((id) => wanted(id) ? shownLocks.add(id) : shownLocks.delete(id))),
    }, word);
    update();
    const isMain = (button) => mainLocks.includes(button.dataset.lock);
    const first = buttons.some(isMain) && buttons.length > 12 ? buttons.filter(isMain) : buttons;
    const rest = buttons.filter((button) => !first.includes(button));
    const legend = make("div", {class: "legend", role: "group", "aria-label": "Locks shown"}, first,
        make("span", {class: "sets"},
            rest.length ? set("main", (id) => mainLocks.includes(id)) : null,
            set("all", () => true), set("none", () => false)),
        rest.length ? make("details", {}, make("summary", {}, `${rest.length} more locks`), make("div", {class: "more"}, rest)) : null);
    watchLocks(legend, update);
    return legend;
}

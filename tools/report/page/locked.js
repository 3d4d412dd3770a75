// SPDX-License-Identifier: MIT
/* What recip run --stats counted in a program: which mutexes cost waiting, where, when, and whom. */
"use strict";

/* Columns side by side, each [label, value]; the highest fills the height. */
function columns(kind, list) {
    const most = Math.max(...list.map(([, value]) => value), 1);
    return make("div", {class: "columns", "data-columns": kind, role: "img", "aria-label": `${kind}: ${list.map(([label]) => label).join("; ")}`},
        list.map(([label, value]) => make("span", {title: label, "data-value": value, style: `height: ${100 * value / most}%`})));
}

/* A part of the greatest. */
function partBar(value, most) {
    return make("span", {class: "bar"}, make("span", {class: "bar-inner", style: `width: ${most ? 100 * value / most : 0}%; background: var(--accent)`}));
}

function overTime(title, one) {
    const from = (i) => nanoseconds(i * one.slice_ns);
    return make("figure", {}, make("figcaption", {}, title),
        columns("time", one.waited_ns.map((waited, i) => [`from ${from(i)}: ${nanoseconds(waited)}`, waited])),
        make("p", {class: "note"}, `${plural(one.waited_ns.length, "slice")} of ${nanoseconds(one.slice_ns)}; the highest has ${nanoseconds(Math.max(...one.waited_ns, 0))}, of all threads together.`));
}

function lengths(place) {
    return make("figure", {}, make("figcaption", {}, "How long the waits were"),
        columns("lengths", place.waits.map((bucket) => [`from ${nanoseconds(bucket.from_ns)}: ${plural(bucket.count, "wait")}`, bucket.count])),
        make("p", {class: "note"}, place.waits.length ? `From ${nanoseconds(place.waits[0].from_ns)} to ${nanoseconds(place.wait_max_ns)}, two columns for each doubling.` : "Nobody waited."));
}

function placeName(place) {
    return place.name ?? place.created ?? place.first_locked;
}

function waitersOf(place) {
    const all = place.waiters.reduce((sum, one) => sum + one.waited_ns, 0);
    return place.waiters.map((one) => make("figure", {}, make("figcaption", {}, `${digits(all ? 100 * one.waited_ns / all : 0)} % of the sampled waiting`),
        make("ol", {class: "frames"}, one.stack.map((frame) => make("li", {}, frame)))));
}

function detailsOf(place) {
    return make("details", {}, make("summary", {}, placeName(place)),
        make("p", {class: "note"}, [place.created ? `Created in ${place.created}. ` : "", `First locked in ${place.first_locked}. `,
            place.mutexes > 1 ? `${place.mutexes} mutexes, each locked ${place.acquisitions_least} to ${place.acquisitions_most} times and waited for ${nanoseconds(place.wait_least_ns)} to ${nanoseconds(place.wait_most_ns)}.` : ""].join("")),
        make("div", {class: "figures"}, overTime("Waiting over time", place), lengths(place), waitersOf(place)));
}

function statisticsOf(one) {
    const most = Math.max(...one.places.map((place) => place.wait_total_ns), 0);
    const part = (some, all) => `${digits(all ? 100 * some / all : 0)} %`;
    return make("div", {"data-file": one.file},
        make("h3", {}, `${one.program}, process ${one.process}, on ${one.lock}`),
        make("p", {}, origin("measured"), ` ${plural(one.mutexes_used, "mutex").replace("mutexs", "mutexes")}, ${one.acquisitions.toLocaleString("en")} acquisitions in ${nanoseconds(one.nanoseconds)}, ${part(one.contended, one.acquisitions)} of them after waiting; ${nanoseconds(one.wait_total_ns)} lost in waiting, by ${plural(one.threads_seen, "thread")}.`),
        overTime("Waiting over time, all mutexes", one),
        makeTable("Mutexes", ["mutex", "waited", "locked", "waiting", "p50", "p99", "longest", "held", "mutexes"], one.places.map((place) => [
            make("span", {}, placeName(place), place.name ? make("small", {}, place.first_locked) : null),
            make("span", {}, nanoseconds(place.wait_total_ns), partBar(place.wait_total_ns, most)),
            shortNumber(place.acquisitions), part(place.contended, place.acquisitions), nanoseconds(place.wait_p50_ns), nanoseconds(place.wait_p99_ns),
            nanoseconds(place.wait_max_ns), nanoseconds(place.acquisitions ? place.hold_total_ns / place.acquisitions : 0), String(place.mutexes)])),
        one.places.filter((place) => place.contended).slice(0, 20).map(detailsOf),
        make("details", {}, make("summary", {}, "The threads"), makeTable("Threads", ["thread", "waited", "locked", "waiting", "held"], one.threads.map((thread) => [
            `${thread.name} ${thread.thread}`, nanoseconds(thread.wait_total_ns), shortNumber(thread.acquisitions), part(thread.contended, thread.acquisitions),
            nanoseconds(thread.hold_total_ns)]))));
}

function lockedSection() {
    const list = documentsOf("recip-stats");
    return list.length ? ["locked", "Mutexes of programs", list.map(statisticsOf)] : null;
}

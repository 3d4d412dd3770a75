// SPDX-License-Identifier: MIT
/* What recip sim makes of the same sources on machines that are not there. */
"use strict";

const simMetrics = [
    {name: "throughput", label: "throughput", unit: "episodes per second", short: shortNumber, text: (value) => shortNumber(value) + "/s"},
    {name: "events", label: "coherence events in an episode", unit: "misses and upgrades in an episode", short: digits, text: digits},
    {name: "remote", label: "remote misses in an episode", unit: "remote misses in an episode", short: digits, text: digits},
];

function simFigure(sim, metric) {
    return {
        title: `${workloadTitle(sim.workload)}`, unit: metric.unit, short: metric.short, text: metric.text,
        ...arrange(sim.runs.filter((row) => typeof row[metric.name] === "number"), (row) => row[metric.name], null),
    };
}

function settingOf(sim) {
    const parts = [`seed ${sim.seed}`, `${shortNumber(sim.episodes)} episodes`,
        sim.store_buffer ? `store buffers of ${sim.store_buffer}` : "no store buffers",
        sim.context === "body" ? "context in the lock" : "context with the thread"];
    return make("p", {class: "note"}, parts.join(", ") + ".");
}

function machineSection(machine, sims) {
    const place = make("div", {class: "figures"});
    const draw = (index) => place.replaceChildren(...sims.map((sim) => {
        const figure = makeFigure(simFigure(sim, simMetrics[index]));
        figure.append(settingOf(sim));
        return figure;
    }));
    return make("section", {class: "machine", "data-machine": machine},
        make("h3", {}, machine, " ", origin("model")),
        makeChoice("Show", simMetrics.map((metric) => metric.label), 0, draw),
        place,
        makeLegend(unique(sims.flatMap((sim) => sim.runs.map((row) => row.lock)))));
}

function simulatedSection() {
    const sims = documentsOf("recip-sim");
    if (!sims.length)
        return null;
    const machines = unique(sims.map((sim) => sim.machine));
    return ["simulated", "Simulated machines", [
        make("p", {}, "The lock sources as they ship, on a model of caches, sockets and home nodes. The accesses are counted; time is modelled. Orders and shapes mean something, absolute figures do not. There is no spread: a run follows from its seed."),
        ...machines.map((machine) => machineSection(machine, sims.filter((sim) => sim.machine === machine)))]];
}

// SPDX-License-Identifier: MIT
/* What the other parts share: the results, and a short way to make elements. Texts become text nodes, never markup. */
"use strict";

const documents = JSON.parse(document.getElementById("documents").textContent);
/* Every lock: id, family, and whether it is featured. */
const registry = JSON.parse(document.getElementById("registry").textContent);
const trace = JSON.parse(document.getElementById("trace").textContent);

function documentsOf(schema) {
    return documents.filter((one) => one.schema === schema);
}

/* make("p", {class: "note"}, "text", child, ...): attributes that are functions are listeners; null children are left out. */
function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes ?? {}))
        if (typeof value === "function")
            element.addEventListener(name, value);
        else if (value !== null && value !== false)
            element.setAttribute(name, value === true ? "" : value);
    element.append(...children.flat().filter((child) => child !== null && child !== undefined));
    return element;
}

/* Rows of cells; the first cell of a row is its heading. A table may be wider than a phone: it scrolls by itself. */
function makeTable(label, head, rows) {
    const body = rows.map((cells) =>
        make("tr", {}, cells.map((cell, i) => make(i ? "td" : "th", i ? {} : {scope: "row"}, cell))));
    return make("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": label},
        make("table", {},
            make("thead", {}, make("tr", {}, head.map((cell) => make("th", {scope: "col"}, cell)))),
            make("tbody", {}, body)));
}

/* A labelled choice; `change` is called with the index, also now. */
function makeChoice(label, words, initial, change) {
    const select = make("select", {change: () => change(select.selectedIndex)},
        words.map((word, i) => make("option", {selected: i === initial}, word)));
    change(initial);
    return make("label", {class: "choice"}, make("span", {}, label), select);
}

/* 1234567 as "1.23 M"; three digits, as many as a benchmark can be believed. */
function shortNumber(value) {
    const size = Math.abs(Number(value.toPrecision(3)));
    if (size >= 1e9) return digits(value / 1e9) + " G";
    if (size >= 1e6) return digits(value / 1e6) + " M";
    if (size >= 1e3) return digits(value / 1e3) + " k";
    return digits(value);
}

/* Never with an exponent. */
function digits(value) {
    const rounded = Number(value.toPrecision(3));
    if (rounded !== 0 && Math.abs(rounded) < 0.001)
        return rounded < 0 ? "-0.001" : "<0.001";
    return Math.abs(rounded) >= 1e6 ? rounded.toLocaleString("en") : rounded.toString();
}

function nanoseconds(value) {
    const rounded = Number(value.toPrecision(3));
    if (rounded >= 1e9) return digits(value / 1e9) + " s";
    if (rounded >= 1e6) return digits(value / 1e6) + " ms";
    if (rounded >= 1e3) return digits(value / 1e3) + " µs";
    return digits(value) + " ns";
}

function plural(count, word) {
    return `${count} ${word}${count === 1 ? "" : "s"}`;
}

function unique(list) {
    return [...new Set(list)];
}

const byNumber = (a, b) => a - b;

/* Marks that say where a figure comes from. */
function origin(word) {
    return make("span", {class: "origin " + word}, word === "model" ? "model" : "measured");
}

// SPDX-License-Identifier: MIT
/* Table 1 beside the paper's. */
"use strict";

function tableWord(value) {
    if (value === null || value === undefined) return "n/a";
    if (typeof value === "boolean") return value ? "yes" : "no";
    return typeof value === "number" ? digits(value) : value;
}

function tableCell(lock, property) {
    const here = tableWord(lock[property.name]);
    if (!lock.paper)
        return make("span", {}, here);
    const paper = tableWord(lock.paper[property.name]);
    return make("span", lock.differs.includes(property.name) ? {class: "differs"} : {}, here, make("small", {title: "the paper"}, paper));
}

/* So many locks beside each other that the table is no wider than the page; the others below. */
function rowsOfTables(locks) {
    const most = 90, rows = [[]];
    let width = 0;
    for (const lock of locks) {
        const wants = Math.max(lock.id.length, 11);
        if (rows.at(-1).length && (width + wants > most || rows.at(-1).length === 8)) {
            rows.push([]);
            width = 0;
        }
        rows.at(-1).push(lock);
        width += wants;
    }
    return rows;
}

function tableOf(document) {
    const differing = document.locks.reduce((sum, lock) => sum + lock.differs.length, 0);
    const compared = document.locks.filter((lock) => lock.paper).length * document.properties.length;
    return [
        make("p", {}, `Each property as it follows from the lock sources, and small below it the paper's value. ${differing} of ${compared} differ: `,
            make("span", {class: "differs"}, "like this"), ". Properties are observed or follow from the types; events are counted by the ", origin("model"),
            `: invalidations with ${document.threads} threads, remote misses with ${document.remote_threads}. Counts of instructions and events differ when they are more than a tenth apart. Path complexity is that of this source under another compiler.`),
        ...rowsOfTables(document.locks).map((locks) => makeTable("Table 1", ["", ...locks.map((lock) => lock.id)],
            document.properties.map((property) => [property.title, ...locks.map((lock) => tableCell(lock, property))])))];
}

function tableSection() {
    const tables = documentsOf("recip-table");
    return tables.length ? ["table", "Table 1", tables.flatMap(tableOf)] : null;
}

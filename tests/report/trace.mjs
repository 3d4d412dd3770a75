// SPDX-License-Identifier: MIT
// The recording that the page plays: it is the lock's own source, and it is what the paper tells.
import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {readFileSync} from "node:fs";
import test from "node:test";

const trace = JSON.parse(execFileSync(process.env.RECORD, [process.env.LOCKS], {encoding: "utf8"}));
const scenario = (name) => trace.scenarios.find((one) => one.name === name);
const isAdmission = (step) => step.event === "take" || step.event === "admitted";
const admissions = (name) => scenario(name).steps.filter(isAdmission).map((step) => step.thread).join("");
const ownerOf = (step) => "ABCDEF"[step.threads.findIndex((thread) => ["owns", "handed", "releases"].includes(thread.state))] ?? null;

test("threads are admitted as in the paper's scenarios", () => {
    assert.equal(admissions("uncontended"), "A");
    assert.equal(admissions("onset"), "ACB");
    assert.equal(admissions("sustained"), "ADCBFE");
    assert.equal(admissions("palindrome"), "ABCDEDCBA");
});

test("the palindrome goes through the states of the paper's table", () => {
    const steps = scenario("palindrome").steps;
    // The state before each release: once all have arrived, then whenever the last owner waits again.
    const rests = steps.filter((step, i) => step.event === "wait" && ["not-alone", "hand-over"].includes(steps[i + 1]?.event ?? "hand-over"));
    const rows = rests.map((step) => [ownerOf(step), step.entry, step.stack.replace(/(?<=E)A$/, "")]);
    assert.deepEqual(rows, [
        ["A", "", "BCDE"], ["B", "CDE", "A"], ["C", "DE", "BA"], ["D", "E", "CBA"], ["E", "", "DCBA"],
        ["D", "CBA", "E"], ["C", "BA", "DE"], ["B", "A", "CDE"], ["A", "", "BCDE"]]);
});

test("the lock ends as it began, or as the paper's table repeats", () => {
    for (const name of ["uncontended", "onset", "sustained"]) {
        const last = scenario(name).steps.at(-1);
        assert.equal(last.arrivals, "0");
        assert.equal(last.stack + last.entry, "");
        assert.ok(last.threads.every((thread) => thread.state === "idle"));
    }
});

test("at the onset the buried element travels as the end of segment", () => {
    const steps = scenario("onset").steps;
    assert.deepEqual(steps.filter((step) => step.event === "hand-over").map((step) => step.after), ["A", "A"]);
    const last = steps.findLast(isAdmission);
    assert.deepEqual(last.threads[1], {state: "owns", gate: "A", successor: "0", eos: "1"});
});

test("each step has the line of the source that makes it", () => {
    const calls = {close: "gate_close", take: "arrivals_push", push: "arrivals_push", wait: "gate_await", admitted: "gate_await",
        "not-alone": "arrivals_unlock_or_detach", detach: "arrivals_unlock_or_detach", unlock: "arrivals_unlock_or_detach", "hand-over": "gate_open"};
    const file = readFileSync(`${process.env.LOCKS}/reciprocating.h`, "utf8").split("\n");
    for (const line of trace.source)
        assert.equal(line.text, file[line.number - 1]);
    for (const {steps} of trace.scenarios)
        for (const step of steps)
            assert.match(file[step.line - 1], new RegExp(`\\b${calls[step.event]}\\(`), `${step.event} at line ${step.line}`);
});

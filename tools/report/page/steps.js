// SPDX-License-Identifier: MIT
/* The algorithm, step by step: plays a recording of the lock's own source. Nothing of the lock is computed here; each step
 * has the words and the segments as they were after it. */
"use strict";

const threadName = (index) => String.fromCharCode(65 + index);

/* The state before the first step. */
function stateBefore(scenario) {
    return {arrivals: "0", stack: "", entry: "",
        threads: Array.from({length: scenario.threads}, () => ({state: "idle", gate: "0"}))};
}

const stepWords = {
    close: (step) => `${step.thread} closes its own gate, before it arrives.`,
    take: (step) => `${step.thread} exchanges its element into the arrivals word and finds 0: the lock was free and is ${step.thread}'s. The element stays behind as the end of the next segment.`,
    push: (step) => step.before === "1"
        ? `${step.thread} exchanges its element into the arrivals word and finds 1: locked, and nobody has arrived since the last detach. It has no successor.`
        : `${step.thread} exchanges its element into the arrivals word and finds ${step.before}, which is its successor.`,
    wait: (step) => `${step.thread} looks at its gate, which is closed, and waits there. It waits at its own element only.`,
    "not-alone": (step) => `${step.thread} would unlock with a compare-and-swap, but the word is ${step.before}: others have arrived.`,
    detach: (step) => `${step.thread} exchanges 1 into the arrivals word and so detaches all who have arrived. They are the entry segment now, newest first.`,
    "hand-over": (step) => `${step.thread} stores the end of segment, ${step.after}, into the gate of ${step.of}. The lock is ${step.of}'s.`,
    admitted: (step, state) => `${step.thread} finds its gate open, with ${step.after} as the end of segment.` +
        (endsSegment(step, state) ? " That is its successor: the segment ends here." : ""),
    unlock: (step) => `${step.thread} finds the word still ${step.before} and stores 0: the lock is free.`,
};

/* An admission that found its successor to be the end of segment has no successor, and the end is 1 again. */
function endsSegment(step, state) {
    const own = state.threads[step.thread.charCodeAt(0) - 65];
    return own.successor === "0" && own.eos === "1" && step.after !== "1";
}

function ownerOf(state) {
    const index = state.threads.findIndex((thread) => ["owns", "handed", "releases"].includes(thread.state));
    return index < 0 ? null : threadName(index);
}

/* Which zone a thread stands in. */
function zoneOf(state, name) {
    if (ownerOf(state) === name) return "owner";
    if (state.entry.includes(name)) return "entry";
    if (state.stack.includes(name)) return "stack";
    return "outside";
}

const stateWords = {idle: "elsewhere", arrives: "arrives", waits: "waits", handed: "is handed the lock", owns: "owns the lock", releases: "releases", leaves: "leaves"};

function makePlayer() {
    const zones = {};
    const zone = (id, title, ...more) => {
        zones[id] = make("div", {class: "tokens"});
        return make("div", {class: `zone ${id}`}, make("h4", {}, title), ...more, zones[id]);
    };
    const word = make("output", {class: "word"}), end = make("output", {class: "word"});
    const board = make("div", {class: "board"},
        zone("outside", "Elsewhere"),
        zone("stack", "Arrival stack", make("p", {}, "arrivals = ", word)),
        zone("entry", "Entry segment", make("p", {}, "end = ", end)),
        zone("owner", "Owner"));
    const caption = make("p", {class: "caption", "aria-live": "polite"});
    const access = make("p", {class: "access"});
    const order = make("ol", {class: "order", "aria-label": "Admissions"});
    const source = make("ol", {class: "source", "aria-label": trace.header});
    let lastNumber = 0;
    const lines = new Map(trace.source.map((line) => {
        const item = make("li", {"data-number": line.number}, make("code", {}, line.text || " "));
        if (lastNumber && line.number !== lastNumber + 1)
            source.append(make("li", {class: "gap", "aria-hidden": "true"}, "…"));
        lastNumber = line.number;
        source.append(item);
        return [line.number, item];
    }));
    let scenario, position, timer = null, tokens;

    /* Step 0 is the state before the first. */
    const stateAt = (index) => index ? scenario.steps[index - 1] : stateBefore(scenario);

    function makeToken(name) {
        return make("div", {class: "token", "data-thread": name}, make("b", {}, name), make("small", {}));
    }

    /* A mark that is no thread: an element left behind. */
    function makeGhost(name, text) {
        return make("div", {class: "token ghost"}, make("b", {}, name), make("small", {}, text));
    }

    /* Where each token was and is; it slides from one to the other. */
    function move(change) {
        const before = new Map([...tokens].map(([name, token]) => [name, token.getBoundingClientRect()]));
        change();
        if (matchMedia("(prefers-reduced-motion: reduce)").matches)
            return;
        for (const [name, token] of tokens) {
            const was = before.get(name), is = token.getBoundingClientRect();
            if (was.width && (was.left !== is.left || was.top !== is.top))
                token.animate([{transform: `translate(${was.left - is.left}px, ${was.top - is.top}px)`}, {transform: "none"}],
                    {duration: 320, easing: "cubic-bezier(.3,.7,.2,1)"});
        }
    }

    function fillZones(state) {
        const owner = ownerOf(state);
        const place = (id, names) => zones[id].replaceChildren(...names.map((name) =>
            id === "stack" && name === owner ? makeGhost(name, "left behind") : tokens.get(name)));
        place("outside", [...tokens.keys()].filter((name) => zoneOf(state, name) === "outside"));
        place("stack", [...state.stack]);
        place("entry", [...state.entry]);
        place("owner", owner ? [owner] : []);
        state.threads.forEach((thread, i) => {
            const token = tokens.get(threadName(i));
            token.dataset.state = thread.state;
            token.lastChild.textContent = thread.eos !== undefined
                ? `successor ${thread.successor === "0" ? "none" : thread.successor}, end ${thread.eos}` : `gate ${thread.gate}`;
            token.setAttribute("aria-label", `thread ${threadName(i)} ${stateWords[thread.state]}, gate ${thread.gate}`);
        });
    }

    function endOf(state) {
        const owner = state.threads.find((thread) => thread.eos !== undefined);
        const handed = state.threads.find((thread) => thread.state === "handed");
        return owner ? owner.eos : handed ? handed.gate : "none";
    }

    function fillOrder() {
        const admissions = scenario.steps.map((step, i) => [step, i + 1]).filter(([step]) => ["take", "admitted"].includes(step.event));
        const last = admissions.filter(([, at]) => at <= position).length - 1;
        order.replaceChildren(...admissions.map(([step], i) =>
            make("li", {class: i < last ? "past" : i === last ? "now" : "", "aria-current": i === last ? "step" : null}, step.thread)));
    }

    function show() {
        const state = stateAt(position), step = position ? state : null;
        move(() => fillZones(state));
        tokens.forEach((token, name) => token.classList.toggle("acts", step?.thread === name));
        word.textContent = state.arrivals === "0" ? "0, unlocked" : state.arrivals === "1" ? "1, locked, nobody arrived" : `${state.arrivals}'s element`;
        end.textContent = endOf(state);
        caption.textContent = step ? stepWords[step.event](step, state) : "The lock is free. Nobody is here.";
        access.textContent = step ? `${step.place === "gate" ? `gate of ${step.of}` : "arrivals"}: ${step.operation}, ${step.order}, ` +
            (step.before === step.after ? `finds ${step.before}` : `${step.before} becomes ${step.after}`) : "no access yet";
        lines.forEach((item, number) => item.classList.toggle("now", step?.line === number));
        slider.value = position;
        slider.setAttribute("aria-valuetext", `step ${position} of ${scenario.steps.length}`);
        counter.textContent = `${position} / ${scenario.steps.length}`;
        player.dataset.position = position;
        player.dataset.last = position === scenario.steps.length;
        fillOrder();
    }

    function go(to) {
        position = Math.max(0, Math.min(scenario.steps.length, to));
        if (position === scenario.steps.length)
            stop();
        show();
    }

    /* To the next admission in that direction, or the end. */
    function skip(direction) {
        let to = position + direction;
        while (to > 0 && to < scenario.steps.length && !["take", "admitted"].includes(scenario.steps[to - 1].event))
            to += direction;
        go(to);
    }

    function stop() {
        clearInterval(timer);
        timer = null;
        play.textContent = "Play";
        play.setAttribute("aria-pressed", "false");
    }

    function toggle() {
        if (timer) {
            stop();
            return;
        }
        if (position === scenario.steps.length)
            go(0);
        play.textContent = "Pause";
        play.setAttribute("aria-pressed", "true");
        timer = setInterval(() => go(position + 1), 1100);
    }

    function choose(index) {
        stop();
        scenario = trace.scenarios[index];
        tokens = new Map(Array.from({length: scenario.threads}, (_, i) => [threadName(i), makeToken(threadName(i))]));
        slider.max = scenario.steps.length;
        choices.forEach((button, i) => button.setAttribute("aria-pressed", i === index));
        player.dataset.scenario = scenario.name;
        go(0);
    }

    const button = (label, title, click) => make("button", {type: "button", title, click}, label);
    const play = make("button", {type: "button", class: "play", title: "Play or pause (space)", "aria-pressed": "false", click: toggle}, "Play");
    const slider = make("input", {type: "range", min: "0", value: "0", "aria-label": "Step", input: () => go(Number(slider.value))});
    const counter = make("span", {class: "counter", "aria-hidden": "true"});
    const choices = trace.scenarios.map((one, i) => make("button", {type: "button", click: () => choose(i)}, one.title));
    const keys = {ArrowRight: () => go(position + 1), ArrowLeft: () => go(position - 1), ArrowDown: () => skip(1), ArrowUp: () => skip(-1),
        Home: () => go(0), End: () => go(scenario.steps.length), " ": toggle};
    const player = make("div", {class: "player", tabindex: "0", role: "group", "aria-label": "Step through the algorithm: arrow keys step, space plays",
        keydown: (event) => {
            const pressed = event.target.tagName === "BUTTON" && event.key === " ";
            if (!keys[event.key] || pressed || event.ctrlKey || event.altKey || event.metaKey)
                return;
            event.preventDefault();
            keys[event.key]();
        }},
        make("div", {class: "choices", role: "group", "aria-label": "Scenario"}, choices),
        board,
        make("div", {class: "stage"},
            make("div", {}, caption, access,
                make("div", {class: "controls"}, button("Start", "To the start (Home)", () => go(0)), button("Back", "One step back (left arrow)", () => go(position - 1)),
                    play, button("Step", "One step on (right arrow)", () => go(position + 1)), button("Next owner", "To the next admission (down arrow)", () => skip(1)), counter),
                slider,
                make("div", {class: "admissions"}, make("span", {}, "Admitted"), order)),
            make("div", {class: "scroll source-box", tabindex: "0", role: "region", "aria-label": `Source, ${trace.header}`}, source)));
    /* What is seen first: threads in all four places. */
    const crowded = (state) => state.stack.length > 1 && state.entry.length > 1 && ownerOf(state) && state.threads.some((thread) => thread.state === "idle");
    const first = trace.scenarios.findIndex((one) => one.steps.some(crowded));
    choose(Math.max(first, 0));
    if (first >= 0)
        go(scenario.steps.findIndex(crowded) + 1);
    return player;
}

function stepsSection() {
    return ["steps", "How it works", [
        make("p", {}, `A recording of ${trace.header}: the scenarios of the paper, each step one access to shared memory. A letter in a word is the address of that thread's element. Arrow keys step, up and down go from owner to owner, space plays.`),
        makePlayer()]];
}

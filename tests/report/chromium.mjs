// SPDX-License-Identifier: MIT
// Chromium, without a window, through its DevTools protocol over a pipe: what the tests of the page need of it.
import {spawn} from "node:child_process";
import {mkdtempSync, rmSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {pathToFileURL} from "node:url";

const flags = ["--headless=new", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu", "--disable-dev-shm-usage",
    "--disable-background-networking", "--disable-component-update", "--disable-extensions", "--hide-scrollbars",
    "--force-device-scale-factor=1"];

export class Chromium {
    static async start(program) {
        const browser = new Chromium();
        browser.profile = mkdtempSync(join(tmpdir(), "recip-chromium-"));
        // A sandbox needs rights that root in a container has not; the page under test is ours.
        const rights = process.getuid() === 0 ? ["--no-sandbox"] : [];
        browser.process = spawn(program, [...flags, ...rights, `--user-data-dir=${browser.profile}`, "about:blank"],
            {stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], env: {...process.env, HOME: browser.profile}});
        browser.gone = new Promise((resolve) => browser.process.on("exit", resolve));
        browser.process.on("error", (error) => { throw error; });
        browser.waiting = new Map();
        browser.listeners = [];
        browser.next = 1;
        browser.#read(browser.process.stdio[4]);
        return browser;
    }

    // Messages are JSON texts, each ended by a zero byte.
    #read(pipe) {
        let rest = Buffer.alloc(0);
        pipe.on("data", (data) => {
            rest = Buffer.concat([rest, data]);
            for (let end; (end = rest.indexOf(0)) >= 0; rest = rest.subarray(end + 1))
                this.#take(JSON.parse(rest.subarray(0, end).toString()));
        });
    }

    #take(message) {
        if (!message.id) {
            this.listeners.forEach((listener) => listener(message));
            return;
        }
        const {resolve, reject} = this.waiting.get(message.id);
        this.waiting.delete(message.id);
        if (message.error)
            reject(new Error(message.error.message));
        else
            resolve(message.result);
    }

    send(method, params = {}, sessionId) {
        const id = this.next++;
        this.process.stdio[3].write(JSON.stringify({id, method, params, sessionId}) + "\0");
        return new Promise((resolve, reject) => this.waiting.set(id, {resolve, reject}));
    }

    // Opens a file in a tab of its own, of that size and theme; resolves when it has loaded.
    async open(path, {width = 1280, height = 900, theme = "light"} = {}) {
        const {targetId} = await this.send("Target.createTarget", {url: "about:blank"});
        const {sessionId} = await this.send("Target.attachToTarget", {targetId, flatten: true});
        const tab = new Tab(this, sessionId, targetId);
        for (const domain of ["Page", "Runtime", "Log", "Network"])
            await tab.send(`${domain}.enable`);
        await tab.resize(width, height);
        await tab.setTheme(theme);
        const loaded = tab.event("Page.loadEventFired");
        await tab.send("Page.navigate", {url: pathToFileURL(path).href});
        await loaded;
        await tab.show();
        await tab.settle();
        return tab;
    }

    async stop() {
        await this.send("Browser.close").catch(() => {});
        await this.gone;
        rmSync(this.profile, {recursive: true, force: true});
    }
}

class Tab {
    constructor(browser, session, target) {
        Object.assign(this, {browser, session, target, complaints: [], requests: []});
        browser.listeners.push((message) => message.sessionId === session && this.#note(message));
    }

    #note({method, params}) {
        if (method === "Runtime.exceptionThrown")
            this.complaints.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
        else if (method === "Runtime.consoleAPICalled" && ["error", "warning", "assert"].includes(params.type))
            this.complaints.push(params.args.map((one) => one.value ?? one.description).join(" "));
        else if (method === "Log.entryAdded" && params.entry.level !== "verbose")
            this.complaints.push(`${params.entry.text} ${params.entry.url ?? ""}`);
        else if (method === "Network.requestWillBeSent")
            this.requests.push(params.request.url);
    }

    send(method, params) {
        return this.browser.send(method, params, this.session);
    }

    event(method) {
        return new Promise((resolve) => this.browser.listeners.push((message) =>
            message.sessionId === this.session && message.method === method && resolve(message.params)));
    }

    resize(width, height) {
        return this.send("Emulation.setDeviceMetricsOverride", {width, height, deviceScaleFactor: 1, mobile: false});
    }

    setTheme(theme) {
        return this.send("Emulation.setEmulatedMedia", {features: [
            {name: "prefers-color-scheme", value: theme}, {name: "prefers-reduced-motion", value: "reduce"}]});
    }

    // The value of an expression in the page; a promise is waited for.
    async evaluate(expression) {
        const {result, exceptionDetails} = await this.send("Runtime.evaluate",
            {expression, awaitPromise: true, returnByValue: true});
        if (exceptionDetails)
            throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
        return result.value;
    }

    // A key as from a keyboard: "ArrowRight", "Tab", " ", ...
    async press(key, {shift = false} = {}) {
        const codes = {ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, Home: 36, End: 35, Tab: 9, " ": 32, Enter: 13};
        const event = {key, code: key === " " ? "Space" : key, windowsVirtualKeyCode: codes[key], modifiers: shift ? 8 : 0};
        const text = {" ": " ", Enter: "\r"}[key];
        await this.send("Input.dispatchKeyEvent", {type: text ? "keyDown" : "rawKeyDown", ...event, ...(text ? {text} : {})});
        await this.send("Input.dispatchKeyEvent", {type: "keyUp", ...event});
    }

    async point(x, y) {
        await this.send("Input.dispatchMouseEvent", {type: "mouseMoved", x, y});
    }

    // Layout and drawing are done.
    settle() {
        return this.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))");
    }

    async close() {
        await this.browser.send("Target.closeTarget", {targetId: this.target});
    }

    // A tab behind another draws nothing.
    show() {
        return this.send("Page.bringToFront");
    }

    async picture(clip) {
        const whole = clip ? {clip: {...clip, scale: 1}} : {};
        const {data} = await this.send("Page.captureScreenshot", {format: "png", captureBeyondViewport: true, ...whole});
        return Buffer.from(data, "base64");
    }
}

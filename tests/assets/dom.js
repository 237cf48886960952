// A page on happy-dom instead of a browser, as this process's own globals, with a clock that a test moves. What happy-dom does not do
// (layout, the order of tab stops, what a key does in a field) is tested in Chromium: tests/browser.

import { Window } from "happy-dom";

const window = new Window({ url: "http://127.0.0.1/", width: 1280, height: 720 });
const OURS = ["Event", "CustomEvent", "EventTarget", "MessageEvent", "navigator", "Blob", "File", "URL"]; // node has its own

for (let at = window; at && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
  for (const name of Object.getOwnPropertyNames(at)) {
    if (name in globalThis && !OURS.includes(name)) continue;
    const own = window[name];
    const value = typeof own === "function" && /^[a-z]/.test(name) ? own.bind(window) : own;
    Object.defineProperty(globalThis, name, { configurable: true, writable: true, value });
  }
}
globalThis.window = globalThis;

/** Whether the visitor wants no motion: then a race stands at its end at once. */
export const visitor = { still: true };
globalThis.matchMedia = (query) => ({
  matches: visitor.still && query.includes("prefers-reduced-motion"), // a wide window, light, with a mouse
  addEventListener() {},
  removeEventListener() {},
});

// nothing is laid out: what is on the page, and is not hidden by its attribute, has a size
for (const side of ["offsetWidth", "offsetHeight", "clientWidth"]) {
  const get = /** @this {any} */ function () {
    return this.isConnected && !this.closest("[hidden]") ? 1000 : 0;
  };
  Object.defineProperty(HTMLElement.prototype, side, { configurable: true, get });
}
Element.prototype.scrollIntoView = () => {};

const observers = /** @type {MutationObserver[]} */ ([]);
globalThis.MutationObserver = class extends MutationObserver {
  constructor(act) {
    super(act);
    observers.push(this);
  }
};

const observed = /** @type {(() => void)[]} */ ([]);
globalThis.ResizeObserver = class {
  constructor(act) {
    this.observe = () => observed.push(act);
  }
};

/** Another page takes the place of this one: who watched it watches no more. @param {string} body @param {Element[]} sheets */
export function open(body, ...sheets) {
  for (const observer of observers.splice(0)) observer.disconnect();
  document.head.replaceChildren(...sheets);
  document.body.innerHTML = body;
}

/** What was drawn gets its size, and whoever watches it hears of that. */
export function layOut() {
  for (const act of observed.splice(0)) act();
}

let now = 0;
let last = 0;
const frames = new Map();
performance.now = () => now;
globalThis.requestAnimationFrame = (act) => {
  frames.set(++last, act);
  return last;
};
globalThis.cancelAnimationFrame = (id) => frames.delete(id);

/** Time goes by on the screen, in one frame or several. @param {number} ms @param {number} [times] */
export function pass(ms, times = 1) {
  for (let i = 0; i < times; i++) {
    const due = [...frames.values()];
    frames.clear();
    now += ms;
    for (const act of due) act(now);
  }
}

/** What was asked for without a wait is there. */
export const settled = () => new Promise((done) => setTimeout(done));

/** @returns {any[]} */
export const all = (selector, within = document) => [...within.querySelectorAll(selector)];

/** The first that fits; a test fails where there is none. @returns {any} */
export function one(selector, within = document) {
  const found = within.querySelector(selector);
  if (!found) throw new Error(`nothing on the page is ${selector}`);
  return found;
}

export const count = (selector, within = document) => all(selector, within).length;

/** What is written in it, with single blanks. @param {string | Element} what */
export const text = (what) =>
  (typeof what === "string" ? one(what) : what).textContent.replace(/[\s\u200b]+/g, " ").trim();

export const texts = (selector, within = document) => all(selector, within).map(text);

/** The button of this name. @returns {any} */
export function button(name, within = document) {
  const found = all("button", within).find((each) => (each.getAttribute("aria-label") ?? text(each)).includes(name));
  if (!found) throw new Error(`no button is called ${name}: ${texts("button", within).join(", ")}`);
  return found;
}

/** The field that a label names. @returns {any} */
export function field(name, within = document) {
  const label = all("label", within).find((each) => text(each).startsWith(name));
  const found = label?.querySelector("input, select, textarea") ?? within.querySelector(`[aria-label="${name}"]`);
  if (!found) throw new Error(`no field is called ${name}`);
  return found;
}

/** Whether it has the focus. (To compare nodes with assert.equal writes out the whole page where they differ.) */
export const focused = (node) => document.activeElement === node;

/** A mouse presses it, which gives it the focus. @param {any} node */
export function click(node) {
  node.closest("button, summary, input, select, textarea, a, [tabindex]")?.focus();
  node.click();
}

/** A key goes down where the focus is, and does to a button what it does in a browser. @param {string} key as “Shift+ArrowLeft” */
export function press(key, target = document.activeElement ?? document.body) {
  const [name, ...held] = key.split("+").reverse();
  const held_ = { shiftKey: held.includes("Shift"), ctrlKey: held.includes("Control"), metaKey: held.includes("Meta") };
  const event = new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true, ...held_ });
  target.dispatchEvent(event);
  const acts = target.matches?.("button, summary, a[href]") && (name === "Enter" || name === " ");
  if (acts && !event.defaultPrevented) target.click();
}

/** A field takes a value, as by hand. @param {any} input @param {string | number} value */
export function fill(input, value) {
  input.value = String(value);
  for (const name of ["input", "change"]) input.dispatchEvent(new Event(name, { bubbles: true }));
}

/** A box is ticked, or not. @param {any} box @param {boolean} on */
export function tick(box, on = true) {
  if (box.checked !== on) box.click();
}

/** Whether style sheets, `hidden` and closed folds let it be seen. @param {string | Element} what */
export function visible(what) {
  const node = typeof what === "string" ? one(what) : what;
  for (let at = node; at; at = at.parentElement) {
    at.toggleAttribute("data-x");
    at.toggleAttribute("data-x");
  } // forgets what it knew
  for (let at = node; at.parentElement; at = at.parentElement) {
    if (getComputedStyle(at).display === "none") return false;
    const { localName, open, children } = /** @type {any} */ (at.parentElement);
    if (localName === "details" && !open && children[0] !== at) return false; // a summary comes first
  }
  return getComputedStyle(node).visibility !== "hidden";
}

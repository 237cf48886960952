// A page on happy-dom instead of a browser, as this process's own globals, with a clock that a test moves. What it does not do
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

const observed = [];
globalThis.ResizeObserver = class {
  constructor(act) {
    this.observe = () => observed.push(act);
  }
};

/** Another page takes the place of this one. */
export function open(body, ...sheets) {
  document.head.replaceChildren(...sheets);
  document.body.innerHTML = body;
}

/** What was drawn gets its size, and whoever watches it hears of that. */
export function layOut() {
  for (const act of observed.splice(0)) act();
}

let now = 0;
let last = 0;
/** What was asked for with the next frame. */
export const frames = new Map();
performance.now = () => now;
globalThis.requestAnimationFrame = (act) => {
  frames.set(++last, act);
  return last;
};
globalThis.cancelAnimationFrame = (id) => frames.delete(id);

/** Time goes by on the screen, in one frame or several. */
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

export const all = (selector, within = document) => [...within.querySelectorAll(selector)];

/** The first that fits; a test fails where there is none. */
export function one(selector, within = document) {
  const element = within.querySelector(selector);
  if (!element) throw new Error(`nothing on the page is ${selector}`);
  return element;
}

export const count = (selector, within = document) => all(selector, within).length;

/** What is written in it, with single blanks. */
export const text = (what) => (typeof what === "string" ? one(what) : what).textContent.replace(/[\s\u200b]+/g, " ").trim();

export const texts = (selector, within = document) => all(selector, within).map(text);

/** The button of this name. */
export function button(name, within = document) {
  const element = all("button", within).find((each) => (each.getAttribute("aria-label") ?? text(each)).includes(name));
  if (!element) throw new Error(`no button is called ${name}: ${texts("button", within).join(", ")}`);
  return element;
}

/** The field that a label names. */
export function field(name, within = document) {
  const label = all("label", within).find((each) => text(each).startsWith(name));
  const element = label?.querySelector("input, select, textarea") ?? within.querySelector(`[aria-label="${name}"]`);
  if (!element) throw new Error(`no field is called ${name}`);
  return element;
}

/** Whether it has the focus. (To compare nodes with assert.equal writes out the whole page where they differ.) */
export const focused = (node) => document.activeElement === node;

/** A mouse presses it, which gives it the focus. */
export function click(node) {
  node.closest("button, summary, input, select, textarea, a, [tabindex]")?.focus();
  node.click();
}

/** A key (as “Shift+ArrowLeft”) goes down where the focus is, and does to a button what it does in a browser. */
export function press(key, target = document.activeElement ?? document.body) {
  const [name, ...keys] = key.split("+").reverse();
  const modifiers = {
    shiftKey: keys.includes("Shift"),
    ctrlKey: keys.includes("Control"),
    metaKey: keys.includes("Meta"),
  };
  const event = new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true, ...modifiers });
  target.dispatchEvent(event);
  const acts = target.matches?.("button, summary, a[href]") && (name === "Enter" || name === " ");
  if (acts && !event.defaultPrevented) target.click();
}

/** A field takes a value, as by hand. */
export function fill(input, value) {
  input.value = String(value);
  for (const name of ["input", "change"]) input.dispatchEvent(new Event(name, { bubbles: true }));
}

/** A box is ticked, or not. */
export function tick(box, on = true) {
  if (box.checked !== on) box.click();
}

/** Whether style sheets, `hidden` and closed folds let it be seen. */
export function visible(what) {
  const node = typeof what === "string" ? one(what) : what;
  for (let at = node; at; at = at.parentElement) {
    at.toggleAttribute("data-x");
    at.toggleAttribute("data-x");
  } // forgets what it knew
  for (let at = node; at.parentElement; at = at.parentElement) {
    if (getComputedStyle(at).display === "none") return false;
    const { localName, open, children } = at.parentElement;
    if (localName === "details" && !open && children[0] !== at) return false; // a summary comes first
  }
  return getComputedStyle(node).visibility !== "hidden";
}

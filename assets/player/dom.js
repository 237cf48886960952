// What a panel is made of: elements, what a browser keeps, what is pressed and chosen from, tables, bars on a scale, tokens,
// the texts and marks of a chart. Everything that came from a model goes through textContent, nowhere else.

import { number, percent, plain, WORDS, wordOf } from "./words.js";

/** @import { Look } from "../chart/types.js" */
/** @import { AtPosition, Child, ElementOf, Token } from "../shared/types.js" */

/** el("p.sv-note", {title: "…"}, "text", node): strings become text nodes, null is left out. @template {string} Name
 * @param {Name} name the tag and its classes @param {Record<string, unknown> | null} [attributes]
 * @param {...Child} children @returns {ElementOf<Name>} */
export function el(name, attributes, ...children) {
  const [tag, ...classes] = name.split(".");
  const node = /** @type {ElementOf<Name>} */ (document.createElement(tag));
  if (classes.length) node.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined) node.setAttribute(key, String(value));
  }
  const flat = /** @type {(Node | string | null | undefined)[]} */ (/** @type {unknown[]} */ (children).flat(Infinity));
  node.append(...flat.filter((child) => child !== null && child !== undefined));
  return node;
}

/** @param {Node} node @param {string} text */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** The element of the page that is there for sure: what a template or this script made. @param {ParentNode} within
 * @param {string} selector @returns {HTMLElement} */
export function query(within, selector) {
  const element = /** @type {HTMLElement | null} */ (within.querySelector(selector));
  if (!element) throw new Error(`nothing on the page is ${selector}`);
  return element;
}

/** The nearest of an event's target and what holds it that fits; null where the target is no element.
 * @param {Event} event @param {string} selector @returns {HTMLElement | null} */
export function within(event, selector) {
  return event.target instanceof Element ? event.target.closest(selector) : null;
}

/** Listen to the whole page for as long as `element` is on it. @param {HTMLElement} element @param {EventTarget} where
 * @param {string} name @param {(event: any) => void} act @param {boolean} [capture] */
export function whileHere(element, where, name, act, capture = false) {
  const listen = (/** @type {Event} */ event) => {
    if (!element.isConnected) where.removeEventListener(name, listen, capture);
    else act(event);
  };
  where.addEventListener(name, listen, capture);
}

export const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// What a visitor's own browser keeps for the next visit, and nobody else: settings, runs, answers. Where a browser
// keeps nothing, or has no room, the page works all the same.

const OWN = "specviz.";
export const ROOM = "room"; // how the name of a teacher's open room begins

/** @param {string} name @returns {any} what was kept under it; null if nothing was, or nothing that can be read */
export const readStored = (name) => readItem(() => localStorage, name);

/** @param {string} name @param {unknown} value null forgets it @returns {boolean} whether there was room */
export const writeStored = (name, value) => write(() => localStorage, name, value);

/** The same of what this tab alone keeps, at this address, until it is closed. @param {string} name @returns {any} */
export const readTabStored = (name) => readItem(() => sessionStorage, `${name} ${location.pathname}`);

/** @param {string} name @param {unknown} value */
export const writeTabStored = (name, value) => write(() => sessionStorage, `${name} ${location.pathname}`, value);

/** Everything is forgotten, but a room that pupils are in; who still holds some of it hears of it. */
export function forgetAll() {
  try {
    for (const name of Object.keys(localStorage))
      if (name.startsWith(OWN) && !name.startsWith(OWN + ROOM)) localStorage.removeItem(name);
  } catch {
    // nothing was kept
  }
  document.dispatchEvent(new CustomEvent("specviz:forget"));
}

/** @param {() => Storage} where asking for it may fail already @param {string} name */
function readItem(where, name) {
  try {
    return JSON.parse(where().getItem(OWN + name) ?? "null");
  } catch {
    return null;
  }
}

/** @param {() => Storage} where @param {string} name @param {unknown} value */
function write(where, name, value) {
  try {
    if (value === null) where().removeItem(OWN + name);
    else where().setItem(OWN + name, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

/** @param {Child} word what stands on it @param {() => void} act @param {Record<string, string | null>} [attributes]
 * its classes among them */
export const button = (word, act, { class: own = "", ...attributes } = {}) =>
  plainButton("button", { ...attributes, class: `sv-button ${own}`.trim() }, act, word);

/** A button that looks otherwise. @template {`button${string}`} Name @param {Name} name
 * @param {Record<string, unknown> | null} attributes @param {() => void} act @param {...Child} children */
export function plainButton(name, attributes, act, ...children) {
  const node = el(name, { type: "button", ...attributes }, ...children);
  node.addEventListener("click", act);
  return node;
}

/** A list to choose from. @param {[value: unknown, word: string][]} options
 * @param {Record<string, unknown> | null} [attributes] @param {unknown} [value] what is chosen first */
export function select(options, attributes, value) {
  const node = el("select.sv-input", attributes, ...options.map(([value, word]) => el("option", { value }, word)));
  if (value !== undefined) node.value = String(value);
  return node;
}

/** Draw anew: what has the focus in the box hands it to the like of it that then stands in its place.
 * @param {HTMLElement} box @param {() => void} draw @param {HTMLElement} [otherwise] where none does */
export function redraw(box, draw, otherwise) {
  const focused = /** @type {HTMLElement} */ (document.activeElement);
  if (!box.contains(focused)) return draw();
  const alike = () =>
    /** @type {HTMLElement[]} */ ([...box.querySelectorAll(focused.localName)]).filter(
      ({ className }) => className === focused.className,
    );
  const at = alike().indexOf(focused);
  draw();
  (alike()[at] ?? otherwise)?.focus({ preventScroll: true });
}

/** @param {string | null} [scheme] */
export function followTheme(scheme) {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const set = () => document.documentElement.classList.toggle("dark", scheme ? scheme === "dark" : dark.matches);
  dark.onchange = set;
  set();
}

/** @param {number} value @param {number} top the end of the scale */
export function share(value, top) {
  return `${Math.max(0, Math.min(100, (100 * value) / top))}%`;
}

/** The end of the scale: the smallest round number that the longest bar fits in. @param {number[]} values */
export function scaleTop(values) {
  const most = Math.max(0, ...values);
  return [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1].find((top) => most <= top * 1.0001) || 1;
}

/** @param {string} look its classes, each after a dot @param {Child[] | null} heads null among them is: a column
 * without one @param {Child} lines @param {Child} [caption] */
export function table(look, heads, lines, caption) {
  const top = heads?.map((head) => (head === null ? el("td") : cell("th", { scope: "col" }, head)));
  return el(`table${look}`, null, caption, top && el("thead", null, el("tr", null, top)), el("tbody", null, lines));
}

/** One of words: on a phone, where it has no room for columns, each cell says its head. @param {string} look
 * @param {(string | null)[]} heads @param {HTMLTableRowElement[]} lines */
export function wordTable(look, heads, lines) {
  for (const { cells } of lines)
    for (const [i, head] of heads.entries()) if (head && cells[i].tagName === "TD") cells[i].dataset.head = head;
  return table(`.sv-words${look}`, heads, lines);
}

/** @param {Child} head @param {Child[]} cells @param {Record<string, unknown> | null} [attributes] */
export function line(head, cells, attributes = null) {
  return el("tr", attributes, cell("th", { scope: "row" }, head), ...cells.map((value) => cell("td", null, value)));
}

/** What is a cell already stays. @param {"th" | "td"} name @param {object | null} attributes @param {Child} value */
function cell(name, attributes, value) {
  return value instanceof Node && /^T[DH]$/.test(value.nodeName) ? value : el(name, { ...attributes }, value);
}

// Rows of bars on one scale: a name, its bars, its numbers; and the key to their colours. What stands in a `.sv-bars`
// has its columns in common.

/** @param {Child} name @param {Child} bars null is: numbers alone @param {Child[]} values @param {boolean} [marked] */
export function row(name, bars, values, marked = false) {
  const numbers = values.map((value) => el("span.sv-value", null, value));
  const parts = [el("span.sv-bar-name", null, name), el(bars === null ? "span" : "span.sv-track", null, bars), numbers];
  return el("div.sv-bar-row", { "data-marked": marked ? "" : null }, parts);
}

/** @param {string} series @param {number} value @param {number} top the end of the scale @param {number} [from] */
export function bar(series, value, top, from = 0) {
  const node = el("span.sv-fill", { "data-series": series });
  node.style.width = share(value, top);
  if (from) node.style.left = share(from, top);
  return node;
}

/** @param {...[series: string, word: string]} pairs */
export function keys(...pairs) {
  return pairs.map(([series, word]) => el("span.sv-key", { "data-series": series }, word));
}

/** @param {...[series: string, word: string]} pairs */
export const legend = (...pairs) => el("div.sv-bar-keys", null, keys(...pairs));

const SVG = "http://www.w3.org/2000/svg";

/** @template {keyof SVGElementTagNameMap} Name @param {Name} name
 * @param {Record<string, string | number | null>} attributes null leaves one out
 * @param {...(SVGElement | string | null | (SVGElement | null)[])} children a string is the text of the element
 * @returns {SVGElementTagNameMap[Name]} */
export function shape(name, attributes, ...children) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) if (value !== null) node.setAttribute(key, String(value));
  node.append(...children.flat().filter((child) => child !== null));
  return node;
}

// Tokens as text: what cannot be seen gets a sign.

// controls, a space that does not break, zero widths, changes of direction
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const INVISIBLE = /[\u0000-\u001f\u007f\u00a0\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
/** @type {Record<string, string>} */
const SIGNS = { "\n": "↵", "\t": "⇥", "\r": "␍", "\u200d": "\u200d" };
const MOST_SPACES = 12;
export const SPECIAL = /^<\|?[\w/]+\|?>$/; // looks like a control token

/** @param {string} text */
export function visible(text) {
  const code = (/** @type {string} */ c) => c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
  return text.replace(INVISIBLE, (c) => SIGNS[c] || `⟨U+${code(c)}⟩`);
}

/** Spaces that would not be seen, drawn. @param {string} spaces */
export function drawnSpaces(spaces) {
  return "␣".repeat(Math.min(spaces.length, MOST_SPACES));
}

/** A token in a box of its own: the space before a word is the gap between boxes. @param {string} text */
export function boxText(text) {
  return visible(/^ +\S/.test(text) ? text.trimStart() : text.replace(/^ +$/, drawnSpaces));
}

/** A token named inside a sentence or a row: its own direction, its spaces drawn as ␣ at the ends.
 * @param {Pick<Token, "text"> & { id: number | string, partial?: boolean }} token */
export function chip(token) {
  const look = { title: `id ${token.id}`, "data-bytes": token.partial ? "" : null };
  return el("bdi.sv-chip-token", look, chipText(token));
}

/** The text of a token that is named in a sentence, a row or a chart. @param {Pick<Token, "text">} token */
export const chipText = ({ text }) => visible(text).replace(/^ +| +$/g, drawnSpaces);

// Tokens for those who listen: what cannot be seen gets a name.

/** @type {Record<string, string>} */
const NAMES = { "\n": "newline", "\t": "tab", "\r": "return", "\u00a0": "no_break" };

/** @param {string} text */
export function speechText(text) {
  if (/^ +$/.test(text)) return text.length === 1 ? WORDS.space : plain("spaces", { n: text.length });
  return visible(text.replace(/[\n\t\r\u00a0]/g, (c) => ` ${wordOf(NAMES[c])} `)).trim();
}

// What people type, as it goes on after a text: a new word stands behind a space, a comma does not.

const CLOSES = /^[\p{Pe}\p{Pf}.,:;!?%'’]/u;

/** @param {string} words as they were typed @param {string} text what stands before @param {boolean} inside they go on
 * inside its last word */
export function continuation(words, text, inside) {
  const guess = words.trim();
  return !guess || inside || CLOSES.test(guess) || !text || /\s$/.test(text) ? guess : ` ${guess}`;
}

/** @typedef {Omit<AtPosition, "reached"> & { reached: number | null }} PositionCounts `reached`: null if untold */

const COLUMNS = ["position", "reached", "accepted", "given_reached", "of_blocks"];

/** Both shares of a position as they are written; none for one that no block reached.
 * @param {Pick<PositionCounts, "given_reached" | "of_blocks">} at */
export const shares = ({ given_reached, of_blocks }) => [percent(given_reached), percent(of_blocks)];

/** @param {PositionCounts[]} positions */
export function positionTable(positions) {
  const body = positions.map((at) => {
    const reached = at.reached === null ? WORDS.none : plain("position_counts", { ...at });
    return line(String(at.position), [reached, String(at.accepted), ...shares(at)]);
  });
  const heads = COLUMNS.map((key) => wordOf(`position_${key}`));
  return [el("h4", null, WORDS.position_title), table(".sv-table", heads, body)];
}

// What any chart has: its texts, and where an axis of numbers has marks.

export const LETTER = 7.4; // px of a letter, of 14 px text

/** @param {Look} look */
export const lookAttributes = ({ series, kind }) => ({ "data-series": series ?? null, "data-kind": kind || null });

/** @param {number} x @param {number} y @param {string} words @param {string} [anchor] @param {Look} [look] */
export const text = (x, y, words, anchor = "start", look = {}) =>
  shape("text", { class: "sv-chart-text", x, y, "text-anchor": anchor, ...lookAttributes(look) }, words);

/** A text in lines of at most so many letters, as far as its words allow.
 * @param {string} text @param {number} letters */
export function wrapWords(text, letters) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const last = lines.length - 1;
    if (lines[last] && lines[last].length + 1 + word.length > letters) lines.push(word);
    else lines[last] = `${lines[last]} ${word}`.trim();
  }
  return lines;
}

/** A name that stays in one line, and ends where the room does. @param {string} name @param {number} letters */
export const shortenName = (name, letters) =>
  (name.length > letters ? `${name.slice(0, letters - 1)}…` : name).replaceAll(" ", "\u00a0");

/** Round numbers from below `low` to above `high`, about so many steps.
 * @param {number} low @param {number} high @param {number} about @returns {number[]} */
export function roundNumbers(low, high, about) {
  const span = Math.max(high - low, 1e-9);
  const rough = span / about;
  const ten = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * ten).find((n) => n >= rough * 0.999) ?? 10 * ten;
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** The round numbers from `from` to `to`. @param {number} from @param {number} to @param {number} about */
export const roundNumbersInside = (from, to, about) =>
  roundNumbers(from, to, about).filter((value) => value >= from && value <= to * (1 + 1e-9));

/** Writes numbers with the digits that tell these apart. @param {number[]} at */
export function numberWriter(at) {
  const step = at.length > 1 ? at[1] - at[0] : 1;
  const digits = Math.max(0, Math.min(4, -Math.floor(Math.log10(step) + 1e-9)));
  return (/** @type {number} */ value) => number(value, digits);
}

// What stands around a panel on its page: the address, the tabs, menus and dialogs, the room of a class, the run that Watch
// shows, files that come and go, and what a term in a sentence means.

import { button, el, query, ROOM, readStored, setText, within, writeStored } from "./dom.js";
import { fill, TERMS, WORDS, wordOf } from "./words.js";

/** @import { OpenedRoom, OpenRoom, StoredRoom } from "../poll/types.js" */
/** @import { Checked } from "../shared/keys.js" */
/** @import { Child, Picture, Term } from "../shared/types.js" */
/** @import { Values } from "./words.js" */

// The address names what is on the screen: ?chapter=5 in Learn, ?lab=luck&lab_seeds=30 in the Lab, neither in Watch.
// Whoever comes onto the screen names itself and takes away what named another.

/** Names that belong to Learn or to the Lab. */
export const TAB_PARAMETERS = /^(chapter|lab(_.*)?)$/;

/** Names that set nothing of a run: Gradio's, a tab's, what others append (specviz/page/settings.py). */
export const NO_SETTING = /^(__.*|view|chapter|lab(_.*)?|utm_.*|fbclid|gclid|session_hash)$/;

/** The same address with these names only, of those that name a tab. @param {string} href
 * @param {Record<string, string>} parameters */
export function addressWith(href, parameters) {
  const address = new URL(href);
  for (const name of [...address.searchParams.keys()]) if (TAB_PARAMETERS.test(name)) address.searchParams.delete(name);
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
  return address.href;
}

/** A step that Back takes back; or, `same`, more of what the address already names.
 * @param {Record<string, string>} parameters @param {boolean} [same] */
export function keepAddress(parameters, same = false) {
  const address = addressWith(location.href, parameters);
  if (address === location.href) return;
  if (same) history.replaceState(history.state, "", address);
  else history.pushState(history.state, "", address);
}

/** @typedef {"watch" | "learn-tab" | "lab-tab"} TabName the elem_id of a tab */

/** @param {TabName} name */
export function openTab(name) {
  /** @type {HTMLElement | null} */ (document.querySelector(`#${name}-button`))?.click();
}

/** Of the Lab. @param {Record<string, string>} parameters as a link says it: the panel and what is set in it */
export function openPanel(parameters) {
  keepAddress(parameters);
  openTab("lab-tab");
  dispatchEvent(new PopStateEvent("popstate")); // the Lab goes where the address says
}

/** The tab that an address names. @param {string} search @returns {TabName} */
export function tabOf(search) {
  const parameters = new URLSearchParams(search);
  if (parameters.has("chapter")) return "learn-tab";
  return parameters.has("lab") ? "lab-tab" : "watch";
}

/** Whether a letter or Escape is typed where a tab was just chosen: it is for what the tab shows. A projector hides the
 * bar, whose tab has the focus for a moment longer. @param {KeyboardEvent} event */
export const onTabBar = (event) => /^([a-z]|Escape)$/i.test(event.key) && within(event, "[role=tab]") !== null;

/** Whether a key is for the page, and no element of it. @param {KeyboardEvent} event */
export const onBarePage = ({ target }) => target === document.body || target === document.documentElement;

/** What a key of a tab does, on the bare page and inside the tab: caught before the player of Watch hears it.
 * @param {KeyboardEvent} event @param {boolean} inside the tab @param {() => (() => void) | null} actionFor what it
 * asks for @returns {boolean} false where it asks for nothing here */
export function actOnKey(event, inside, actionFor) {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const act = inside || onBarePage(event) || onTabBar(event) ? actionFor() : null;
  if (!act) return false;
  act();
  event.preventDefault();
  event.stopImmediatePropagation();
  return true;
}

/** Whether the tab is the one that is open. @param {TabName} name */
export function isOpen(name) {
  return document.querySelector(`#${name}-button`)?.getAttribute("aria-selected") === "true";
}

// A menu: a button, and under it the box that it opens, which is called as the button is, and "-menu". Escape, a press
// elsewhere and a focus that goes elsewhere close it.

/** @param {Element} button */
const boxOf = (button) => document.getElementById(`${button.id}-menu`);

/** @param {Element} button @param {boolean} on */
function toggle(button, on) {
  boxOf(button)?.toggleAttribute("data-open", on);
  button.setAttribute("aria-expanded", String(on));
}

/** Those of the page, whoever made them, listened to once, before the first is there: a press opens it, however late
 * the rest of the page is. Called again, it says of those that came since that they are closed. */
export function listenToMenus() {
  const all = () => [...document.querySelectorAll(".sv-opens")];
  const isUnfolded = (/** @type {Element} */ button) => boxOf(button)?.hasAttribute("data-open") ?? false;
  for (const button of all()) toggle(button, isUnfolded(button));
  const page = document.documentElement; // a script of the head has no body yet
  if (page.hasAttribute("data-sv-menus")) return;
  page.setAttribute("data-sv-menus", "");
  /** @type {EventTarget[]} where the hand came down: an option that it chose may be gone at the click */
  let downPath = [];
  const keepPath = (/** @type {Event} */ event) => {
    downPath = event.composedPath();
  };
  document.addEventListener("pointerdown", keepPath, true);
  document.addEventListener("click", (event) => {
    const pressed = within(event, ".sv-opens");
    for (const button of all()) {
      const box = boxOf(button);
      const field =
        box && (box.contains(/** @type {Node} */ (event.target)) || downPath.includes(box)) && !within(event, "button");
      if (button === pressed) toggle(button, !isUnfolded(button));
      else if (!field && isUnfolded(button)) toggle(button, false);
    }
    downPath = [];
  });
  document.addEventListener("focusin", ({ target }) => {
    for (const button of all()) // gradio may have made one since
      if (!isUnfolded(button) || (button !== target && !boxOf(button)?.contains(/** @type {Node} */ (target))))
        toggle(button, false);
  });
  const onEscape = (/** @type {KeyboardEvent} */ event) => {
    const button = event.key === "Escape" && all().find(isUnfolded);
    if (!button) return;
    toggle(button, false);
    /** @type {HTMLElement} */ (button).focus();
    event.stopImmediatePropagation();
  };
  document.addEventListener("keydown", onEscape, true);
}

/** It is closed by its button and by Escape; then the focus is where it was. @param {HTMLElement} root what it is a
 * part of @param {string} title @param {Child[]} parts @param {string} [look] a class of its own */
export function openDialog(root, title, parts, look = "") {
  const dialog = el(`dialog.sv-dialog${look}`, { "aria-label": title });
  const close = button(WORDS.close, () => dialog.close());
  dialog.append(el("div.sv-flow.sv-ends", null, el("h2", { tabindex: -1 }, title), close), el("div", null, parts));
  dialog.addEventListener("close", () => dialog.remove());
  root.append(dialog);
  dialog.showModal();
  return dialog;
}

// What is unfolded by whoever wants it, and stays so in this browser.

/** @param {string} name by which the browser keeps it @param {string} looks its class @param {Node | string} title
 * @param {() => (Node | null)[]} inside made when it is first unfolded */
export function fold(name, looks, title, inside) {
  const isOpen = readStored(name) === true;
  const root = el(`details.${looks}`, { open: isOpen ? "" : null }, el("summary", null, title), isOpen ? inside() : []);
  const unfold = () => {
    if (root.childElementCount === 1) root.append(...inside().filter((node) => node !== null));
  };
  root.addEventListener("toggle", unfold); // a script unfolded it
  query(root, "summary").addEventListener("click", () => {
    unfold();
    writeStored(name, !root.open || null);
  });
  return root;
}

const LOCAL = /^(localhost|127\.|\[?::1\]?$)/;

/** An address as others have to write it: with the machine's own in its network, as the page was sent (specviz/page/serve.py),
 * where this page is open at one that is known to nobody else. `local`: they have no address. @param {string} href */
function reachable(href, lan = document.querySelector("meta[name=specviz-lan]")?.getAttribute("content")) {
  if (!URL.canParse(href, location.href)) return { link: href, local: true }; // in a frame that has no address
  const url = new URL(href, location.href);
  const local = LOCAL.test(url.hostname);
  if (local && lan) url.hostname = lan;
  return { link: url.href, local: local && !lan };
}

/** A link of this page, as it is passed on. @param {string} href */
export const sharedLink = (href) => reachable(href).link;

/** Where a class opens this page, without what a browser adds by itself; empty where only this machine reaches it. */
export function pageAddress() {
  const { link, local } = reachable(location.pathname);
  return local ? "" : link.replace(/^https?:\/\/|\/$/g, "");
}

/** A room that the server has just opened. @param {OpenedRoom} opened @returns {OpenRoom} */
export const openedRoom = ({ code, key, left, lan }) => ({
  code,
  key,
  ...reachable(`room/${code}`, lan ?? undefined), // else that of when the page was sent
  until: Date.now() + 1000 * left,
});

const roomKey = () => `${ROOM} ${location.pathname}`;

/** @type {StoredRoom | null} of a browser that keeps nothing */
let unstored = null;

/** The room that was opened in this browser, its key too, as long as it may last. A tab that was closed finds it again. */
export function readRoom() {
  /** @type {StoredRoom | null} */
  const stored = readStored(roomKey()) ?? unstored;
  return stored && Date.now() < stored.room.until ? stored : null;
}

/** @param {StoredRoom} stored */
export function writeRoom(stored) {
  unstored = writeStored(roomKey(), stored) ? null : stored;
}

/** A room that has ended; another one that was opened since is kept. @param {string} code */
export function forgetRoom(code) {
  if (readRoom()?.room.code !== code) return;
  unstored = null;
  writeStored(roomKey(), null);
}

/** Whether the room's code is shown, in every tab of this browser. @param {boolean} on */
export function showCode(on) {
  const stored = readRoom();
  if (stored) writeRoom({ ...stored, codeClosed: !on });
}

/** `payload`: the run as the page was given it; `packedOf`: as the visit keeps the one of that id; `files`: asks the server of
 * the page for what makes files of it; `plotly`: the address of Plotly's script, empty on a page that has none to give. @type
 * {{ picture: Picture | null, payload: string, packedOf?: (id: string) => string | undefined,
 *   files?: (request: string) => Promise<string>, plotly: string }} */
export const currentRun = { picture: null, payload: "", plotly: "" };

/** What the status line is at while a run is asked for and under way. */
export const BUSY = ["waiting", "fetching", "running", "again", "stopping", "resumed"];

// What most visits do not need is sent when it is first asked for: a script and its rules.

/** What the script calls itself, once it is there. @param {string} name of window
 * @param {{ script: string, style?: string }} bundle */
export function loadBundle(name, { script, style }) {
  const add = (/** @type {string} */ tag, /** @type {string} */ text) => {
    const node = document.createElement(tag);
    node.textContent = text;
    document.head.append(node);
  };
  if (!(name in window)) {
    if (style) add("style", style);
    add("script", script);
  }
  return /** @type {any} */ (window)[name];
}

/** @param {string} name @param {string} type @param {BlobPart} data */
export function save(name, type, data) {
  const href = URL.createObjectURL(new Blob([data], { type }));
  el("a", { download: name, href }).click();
  setTimeout(() => URL.revokeObjectURL(href), 1000);
}

// A file goes in by the button's own input, so that it is checked and read like any other, wherever it came from.

/** @param {FileList} files one of them */
export function upload(files) {
  const open = document.querySelector("#open");
  const input = /** @type {HTMLInputElement | null | undefined} */ (open?.parentElement?.querySelector("input[type=file]"));
  if (!input) return;
  input.files = files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

/** @param {Uint8Array<ArrayBuffer>} bytes @param {CompressionFormat} [format] */
export async function packBytes(bytes, format = "deflate") {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream(format));
  let text = "";
  for (const byte of new Uint8Array(await new Response(stream).arrayBuffer())) text += String.fromCharCode(byte);
  return btoa(text);
}

/** Base64, also as a part of an address → bytes; none of what is no such text. @param {string} text */
export function bytesOf(text) {
  try {
    return Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

/** Base64 as a part of an address. @param {string} text */
export const inAddress = (text) => text.replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");

/** Bytes from a text of anybody, at most so many; rejects what is none. @param {string} text @param {number} most */
export async function unpackBytes(text, most) {
  const bytes = bytesOf(text);
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")).getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    size += value.length;
    if (size > most) throw new RangeError("too many bytes");
    parts.push(value);
  }
}

// Terms in a sentence, each a button: what it means is shown on hover, on focus and on a tap, and gone by Escape.

const BOX_ID = "sv-meaning";
const GAP_PX = 6; // px between a term and what is said of it
/** @type {RegExp | null} */
let pattern = null;
/** @type {Map<string, Term>} by the form that stands in a sentence */
const byForm = new Map();

/** A sentence with its places filled in, as nodes; each of its terms is explained once. What is filled in is never
 * read. @param {string} sentence @param {Values} [values] @param {Set<string>} [explained] terms that were explained
 * before, in the same place @returns {Node[]} */
export function explain(sentence, values, explained = new Set()) {
  const parts = sentence.split(/(\{\w+\})/);
  return parts.flatMap((part) => (/^\{\w+\}$/.test(part) ? fill(part, values) : termNodes(part, explained)));
}

/** One of the shared sentences. @template {string} Key @param {Checked<Key>} key @param {Values} [values]
 * @param {Set<string>} [explained] */
export const explainWord = (key, values, explained) => explain(wordOf(/** @type {string} */ (key)), values, explained);

/** All terms, under the names of their groups. @returns {HTMLElement[]} */
export function glossary() {
  const sections = [];
  let rows = el("dl");
  for (const { name, says, group } of TERMS) {
    if (group) {
      rows = el("dl");
      sections.push(el("section.sv-terms", null, el("h3", null, group), rows));
    }
    rows.append(el("dt", null, name), el("dd", null, says));
  }
  return sections;
}

/** @param {string} text @param {Set<string>} explained @returns {Node[]} */
function termNodes(text, explained) {
  const forms = termPattern();
  if (!forms) return [document.createTextNode(text)];
  const nodes = text.split(forms).map((part) => {
    const term = byForm.get(part);
    if (!term || explained.has(term.name)) return document.createTextNode(part);
    explained.add(term.name);
    return el("button.sv-term", { type: "button", "data-term": term.name }, part);
  });
  return joinWords(nodes);
}

/** A browser may end a line before and after a button. What is written without a space stays in one line: p(x)/q(x).
 * @param {(Text | HTMLElement)[]} nodes */
function joinWords(nodes) {
  /** @type {Node[]} */
  const out = [];
  /** @type {HTMLElement | null} */
  let word = null;
  for (const node of nodes) {
    if (node instanceof HTMLElement) {
      const before = out.at(-1);
      const lead = before instanceof Text ? (/\S*$/.exec(before.data)?.[0] ?? "") : "";
      if (lead && before instanceof Text) before.data = before.data.slice(0, -lead.length);
      word ??= el("span.sv-unbroken", null, lead);
      word.append(node);
      if (word !== before) out.push(word);
    } else if (word) {
      const trail = /^\S*/.exec(node.data)?.[0] ?? "";
      word.append(trail);
      if (trail.length < node.data.length) {
        word = null;
        out.push(document.createTextNode(node.data.slice(trail.length)));
      }
    } else out.push(node);
  }
  return out;
}

/** What a term looks like in a sentence: longer forms first, and never inside a word. */
function termPattern() {
  if (pattern || !TERMS.length) return pattern;
  for (const term of TERMS)
    for (const form of term.forms ?? [term.name]) {
      byForm.set(form, term);
      if (form.length > 1) byForm.set(form[0].toUpperCase() + form.slice(1), term);
    }
  const forms = [...byForm.keys()].sort((a, b) => b.length - a.length).map((form) => form.replace(/[()]/g, "\\$&"));
  pattern = new RegExp(`(?<![\\p{L}\\p{N}'’\\-])(${forms.join("|")})(?![\\p{L}\\p{N}\\-])`, "u");
  listenToTerms();
  return pattern;
}

function listenToTerms() {
  // one on the page: a tab has a script of its own, and an id is one element's
  const existing = document.getElementById(BOX_ID);
  const box = existing ?? el("div.sv-meaning", { id: BOX_ID, role: "tooltip", popover: "manual", hidden: "" });
  if (!existing) document.body.append(box);
  /** @type {HTMLElement | null} */
  let openTerm = null;
  const termOf = (/** @type {Event} */ event) => within(event, ".sv-term");

  /** @param {HTMLElement} node */
  function show(node) {
    const term = TERMS.find(({ name }) => name === node.dataset.term);
    if (!term || openTerm === node) return;
    hide();
    openTerm = node;
    box.replaceChildren(el("strong", null, term.name), " ", el("span"));
    setText(query(box, "span"), term.says);
    box.hidden = false;
    box.showPopover?.();
    node.setAttribute("aria-describedby", BOX_ID);
    placeBox(box, node.getBoundingClientRect());
  }

  function hide() {
    if (!openTerm) return;
    openTerm.removeAttribute("aria-describedby");
    openTerm = null;
    if (box.isConnected) box.hidePopover?.();
    box.hidden = true;
  }

  /** @param {Event} event */
  const onEnter = (event) => {
    const node = termOf(event);
    if (node) show(node);
  };
  document.addEventListener("pointerover", onEnter);
  document.addEventListener("focusin", onEnter);
  document.addEventListener("click", onEnter);
  document.addEventListener("pointerout", (event) => {
    if (termOf(event) && termOf(event) !== document.activeElement) hide();
  });
  document.addEventListener("focusout", hide);
  document.addEventListener("pointerdown", (event) => termOf(event) ?? hide());
  addEventListener("scroll", hide, { capture: true, passive: true });
  const onEscape = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Escape" || !openTerm) return;
    hide();
    event.stopImmediatePropagation();
  };
  addEventListener("keydown", onEscape, true);
}

/** Under the term, or above it where the screen ends. @param {HTMLElement} box @param {DOMRect} at */
function placeBox(box, at) {
  const { width, height } = box.getBoundingClientRect();
  const left = Math.max(GAP_PX, Math.min(at.left, innerWidth - width - GAP_PX));
  const under = at.bottom + GAP_PX + height <= innerHeight;
  box.style.left = `${left}px`;
  box.style.top = `${under ? at.bottom + GAP_PX : Math.max(GAP_PX, at.top - height - GAP_PX)}px`;
}

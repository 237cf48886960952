// Terms in a sentence, each a button: what it means is shown on hover, on focus and on a tap, and gone by Escape.

import { el, query, setText } from "./dom.js";
import { fill } from "./sentences.js";
import { TERMS, wordOf } from "./words.js";

/** @import { Checked } from "./keys.js" */
/** @import { Values } from "./sentences.js" */
/** @import { Term } from "./types.js" */

const BOX = "sv-meaning";
const GAP = 6; // px between a term and what is said of it
/** @type {RegExp | null} */
let pattern = null;
/** @type {Map<string, Term>} by the form that stands in a sentence */
const byForm = new Map();

/**
 * A sentence with its places filled in, as nodes; each of its terms is explained once. What is filled in is never read.
 * @param {string} sentence @param {Values} [values]
 * @param {Set<string>} [seen] terms that were explained before, in the same place @returns {Node[]}
 */
export function explain(sentence, values, seen = new Set()) {
  const parts = sentence.split(/(\{\w+\})/);
  return parts.flatMap((part) => (/^\{\w+\}$/.test(part) ? fill(part, values) : marked(part, seen)));
}

/**
 * One of the shared sentences.
 * @template {string} Key @param {Checked<Key>} key @param {Values} [values] @param {Set<string>} [seen]
 */
export const explainWord = (key, values, seen) => explain(wordOf(/** @type {string} */ (key)), values, seen);

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

/** @param {string} text @param {Set<string>} seen @returns {Node[]} */
function marked(text, seen) {
  const forms = known();
  if (!forms) return [document.createTextNode(text)];
  const nodes = text.split(forms).map((part) => {
    const term = byForm.get(part);
    if (!term || seen.has(term.name)) return document.createTextNode(part);
    seen.add(term.name);
    return el("button.sv-term", { type: "button", "data-term": term.name }, part);
  });
  return glued(nodes);
}

/**
 * A browser may end a line before and after a button. What is written without a space stays in one line: p(x)/q(x).
 * @param {(Text | HTMLElement)[]} nodes
 */
function glued(nodes) {
  /** @type {Node[]} */
  const out = [];
  /** @type {HTMLElement | null} */
  let word = null;
  for (const node of nodes) {
    if (node instanceof HTMLElement) {
      const before = out.at(-1);
      const lead = before instanceof Text ? (/\S*$/.exec(before.data)?.[0] ?? "") : "";
      if (lead && before instanceof Text) before.data = before.data.slice(0, -lead.length);
      word ??= el("span.sv-word", null, lead);
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
function known() {
  if (pattern || !TERMS.length) return pattern;
  for (const term of TERMS)
    for (const form of term.forms ?? [term.name]) {
      byForm.set(form, term);
      if (form.length > 1) byForm.set(form[0].toUpperCase() + form.slice(1), term);
    }
  const forms = [...byForm.keys()].sort((a, b) => b.length - a.length).map((form) => form.replace(/[()]/g, "\\$&"));
  pattern = new RegExp(`(?<![\\p{L}\\p{N}'’\\-])(${forms.join("|")})(?![\\p{L}\\p{N}\\-])`, "u");
  listen();
  return pattern;
}

function listen() {
  // one on the page: a tab has a script of its own, and an id is one element's
  const made = document.getElementById(BOX);
  const box = made ?? el("div.sv-meaning", { id: BOX, role: "tooltip", popover: "manual", hidden: "" });
  if (!made) document.body.append(box);
  /** @type {HTMLElement | null} */
  let shown = null;
  const of = (/** @type {Event} */ event) =>
    event.target instanceof Element ? /** @type {HTMLElement | null} */ (event.target.closest(".sv-term")) : null;

  /** @param {HTMLElement} node */
  function show(node) {
    const term = TERMS.find(({ name }) => name === node.dataset.term);
    if (!term || shown === node) return;
    hide();
    shown = node;
    box.replaceChildren(el("strong", null, term.name), " ", el("span"));
    setText(query(box, "span"), term.says);
    box.hidden = false;
    box.showPopover?.();
    node.setAttribute("aria-describedby", BOX);
    place(box, node.getBoundingClientRect());
  }

  function hide() {
    if (!shown) return;
    shown.removeAttribute("aria-describedby");
    shown = null;
    if (box.isConnected) box.hidePopover?.();
    box.hidden = true;
  }

  /** @param {Event} event */
  const begin = (event) => {
    const node = of(event);
    if (node) show(node);
  };
  /** @param {Event} event */
  const end = (event) => {
    if (of(event) && of(event) !== document.activeElement) hide();
  };
  document.addEventListener("pointerover", begin);
  document.addEventListener("focusin", begin);
  document.addEventListener("click", begin);
  document.addEventListener("pointerout", end);
  document.addEventListener("focusout", hide);
  document.addEventListener("pointerdown", (event) => of(event) ?? hide());
  addEventListener("scroll", hide, { capture: true, passive: true });
  const leave = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Escape" || !shown) return;
    hide();
    event.stopImmediatePropagation();
  };
  addEventListener("keydown", leave, true);
}

/** Under the term, or above it where the screen ends. @param {HTMLElement} box @param {DOMRect} at */
function place(box, at) {
  const { width, height } = box.getBoundingClientRect();
  const left = Math.max(GAP, Math.min(at.left, innerWidth - width - GAP));
  const under = at.bottom + GAP + height <= innerHeight;
  box.style.left = `${left}px`;
  box.style.top = `${under ? at.bottom + GAP : Math.max(GAP, at.top - height - GAP)}px`;
}

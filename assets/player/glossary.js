// Terms in a sentence, each a button: what it means is shown on hover, on focus and on a tap, and gone by Escape.

import { el, query, setText, within } from "./dom.js";
import { fill, TERMS, wordOf } from "./words.js";

/** @import { Values } from "./words.js" */
/** @import { Checked } from "../shared/keys.js" */
/** @import { Term } from "../shared/types.js" */

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
  /** @param {Event} event */
  const onLeave = (event) => {
    if (termOf(event) && termOf(event) !== document.activeElement) hide();
  };
  document.addEventListener("pointerover", onEnter);
  document.addEventListener("focusin", onEnter);
  document.addEventListener("click", onEnter);
  document.addEventListener("pointerout", onLeave);
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

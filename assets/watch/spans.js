// The tokens of a lane as spans: each is made once, at its final place and unseen; the clock only changes how it looks.

import { el } from "../shared/dom.js";
import { plain } from "../shared/sentences.js";
import { speechText } from "../shared/speech.js";
import { SPECIAL, visible } from "../shared/tokens.js";
import { ROLES, roleWord, WORDS } from "../shared/words.js";
import { entropiesAt, levelOf } from "./hardness.js";

/** @import { PromptToken, Round } from "../shared/types.js" */
/** @import { LaneView, Look, TokenRef, TokenSpan } from "./types.js" */

/** @param {LaneView} view @param {PromptToken} token @param {number} index @param {HTMLElement} into */
export function addPromptToken(view, token, index, into) {
  const label = plain("prompt_label", { text: speechText(token.shown) });
  const ref = { lane: view.name, prompt: index, drafted: null, emitted: null };
  const span = makeSpan(view, { text: token.shown, kind: token.kind, label, lost: false, picked: ref }, into);
  span.dataset.role = "prompt";
  span.dataset.final = "prompt";
  addLineBreaks(into, token.shown);
}

/** @param {LaneView} view @param {Round} round @param {number} index */
export function addRound(view, round, index) {
  view.byRound[index] = round.shown.map((token) => {
    const { text, kind, drafted, emitted } = token;
    const firstRole = drafted === null ? token.role : "drafted";
    const label = plain("token_label", { text: speechText(text), word: ROLES[firstRole].word, round: round.index + 1 });
    const ref = { lane: view.name, round: index, drafted, emitted };
    const span = makeSpan(view, { text, kind, label, lost: emitted === null, picked: ref }, view.text);
    if (drafted !== null && round.drafted[drafted].void) span.dataset.void = WORDS.void_sign;
    const { p } = entropiesAt(round, token);
    if (p !== null) span.dataset.hard = String(levelOf(p));
    Object.assign(span.dataset, { glyph: ROLES[token.role].glyph, role: "", final: token.role });
    span.labelValues = { text: speechText(text), round: round.index + 1 };
    if (emitted !== null) addLineBreaks(view.text, text);
    return span;
  });
}

/**
 * The space that begins a word stands before its span, so that words look like words; a token of nothing but spaces
 * keeps them. What did not stay in the text (`lost`) can be hidden, its space with it.
 * @param {LaneView} view @param {{ text: string, kind: string, label: string, lost: boolean, picked: TokenRef }} token
 * @param {HTMLElement} into @returns {TokenSpan}
 */
function makeSpan(view, { text, kind, label, lost, picked: ref }, into) {
  const gap = /^ (?=\S)/.test(text) ? 1 : 0;
  const attributes = { role: "button", tabindex: -1, "aria-label": label, "aria-pressed": "false" };
  const looks = { ...attributes, "data-kind": SPECIAL.test(text) ? "special" : kind };
  const span = Object.assign(el("span.sv-token", looks, visible(text.slice(gap))), {
    at: view.spans.length,
    lost,
    ref,
    labelValues: null,
  });
  view.spans.push(span);
  if (lost) into.append(el("span.sv-lost", null, text.slice(0, gap), span));
  else into.append(text.slice(0, gap), span);
  return span;
}

/** @param {HTMLElement} into @param {string} text */
function addLineBreaks(into, text) {
  for (const _ of text.match(/\n/g) || []) into.append(document.createElement("br"));
}

/**
 * While the target's pass checks a block, its tokens are still drafts: lit all at once, none of them decided. What is
 * read aloud is what is seen.
 * @param {TokenSpan} span @param {Look} look
 */
export function setLook(span, look) {
  const role = look === "verified" ? "drafted" : look;
  span.dataset.role = role;
  if (role && span.labelValues)
    span.setAttribute(
      "aria-label",
      plain("token_label", { ...span.labelValues, word: roleWord(role, "void" in span.dataset) }),
    );
  if (look === "verified") span.dataset.phase = "verify";
  else delete span.dataset.phase;
}

/** @param {TokenSpan} span @param {boolean} hiding what did not stay is hidden */
export const isVisible = (span, hiding) =>
  span.dataset.role !== "" && !(span.lost && hiding) && !span.closest("[hidden]");

/**
 * The nearest token that can be seen, from `span` on in one direction.
 * @param {LaneView} view @param {TokenSpan} span @param {number} way @param {boolean} hiding
 * @returns {TokenSpan | undefined}
 */
export function nextVisible(view, span, way, hiding) {
  let at = span.at + way;
  while (view.spans[at] && !isVisible(view.spans[at], hiding)) at += way;
  return view.spans[at];
}

/**
 * One stop of the Tab key a lane; arrows go on from there (WAI-ARIA, roving tabindex).
 * @param {LaneView} view @param {TokenSpan} span
 */
export function setTabStop(view, span) {
  if (view.tabStop) view.tabStop.tabIndex = -1;
  view.tabStop = span;
  span.tabIndex = 0;
}

/**
 * A token that is no longer shown can be no stop, and hands over the focus if it has it.
 * @param {LaneView} view @param {boolean} hiding
 */
export function moveTabStop(view, hiding) {
  const { tabStop: stop } = view;
  if (!stop || isVisible(stop, hiding)) return;
  const next = nextVisible(view, stop, -1, hiding) || nextVisible(view, stop, 1, hiding);
  if (!next) return;
  const hadFocus = document.activeElement === stop;
  setTabStop(view, next);
  if (hadFocus) next.focus({ preventScroll: true });
}

/** The token that an event happened to. @param {Event} event @returns {TokenSpan | null} */
export function tokenOf(event) {
  const element = event.target instanceof Element ? event.target.closest(".sv-text .sv-token") : null;
  return /** @type {TokenSpan | null} */ (element);
}

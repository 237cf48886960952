// Chapter 3: the draft writes its block token by token, each drawn from the q that is drawn here; then easy and hard
// tokens.

import { bar, row } from "../../shared/bars.js";
import { el } from "../../shared/dom.js";
import { milliseconds, probability } from "../../shared/numbers.js";
import { scaleTop } from "../../shared/scale.js";
import { chip } from "../../shared/tokens.js";
import { ROLES } from "../../shared/words.js";
import { PAGE } from "../lesson.js";
import { addPicture } from "../pictures.js";
import { flow, setRole, tokenBox } from "../tokens.js";
import { views } from "../views.js";
import { hard } from "./hard.js";

/** @import { Drafting, Known, Picture, Say, Stage, View } from "../types.js" */

const STEP_MS = 1300;
const ROWS = 6;

/** @param {Drafting} excerpt @param {Stage} stage @returns {Picture} */
function draft(excerpt, stage) {
  const parts = [
    { ...block(excerpt), word: PAGE.draft_view },
    { ...hard(excerpt.answer), word: PAGE.hard_view },
  ];
  return views("lrn-drafting", parts, STEP_MS, stage);
}

/** @param {Drafting} excerpt @returns {View} */
function block({ before, round: { drafted, times } }) {
  const K = drafted.length;
  const ghosts = drafted.map((d) => tokenBox(d.token.text, ""));
  const rows = el("div.sv-bars");
  const steps = drafted.flatMap((d, i) => {
    /** @type {Say[]} */
    const says = [
      [PAGE.draft_look, { i: i + 1, K }],
      [PAGE.draft_draw, { x: chip(d.token), q: probability(d.q) }],
    ];
    return says;
  });
  const took = { K, ms: milliseconds(times.draft), verify: milliseconds(times.verify) };
  const show = (/** @type {number} */ i) => {
    const at = Math.min(K - 1, i >> 1);
    const landed = i % 2 === 1 || i >= 2 * K;
    for (const [k, ghost] of ghosts.entries()) setRole(ghost, k < at || (k === at && landed) ? "drafted" : "");
    rows.replaceChildren(...qRows(drafted[at], landed));
  };
  return {
    node: el("div.lrn-draft.sv-stack", null, flow(before, ...ghosts), el("h4", null, PAGE.q_here), rows),
    says: [...steps, [PAGE.draft_done, took]],
    show,
  };
}

/**
 * The largest of q; the last row is the drafted token's where it is not among them.
 * @param {Known} drafted @param {boolean} landed
 */
function qRows({ token, q, position }, landed) {
  const ranked = position.entries.filter((e) => e.q > 0).sort((a, b) => b.q - a.q);
  const entries = ranked.slice(0, ROWS).map((e) => ({ token: e.token, q: e.q }));
  if (!entries.some((e) => e.token.id === token.id)) {
    entries.splice(-1, 1, ranked.find((e) => e.token.id === token.id) ?? { token, q });
  }
  const top = scaleTop(entries.map((e) => e.q));
  return entries.map((e) => {
    const drawn = landed && e.token.id === token.id;
    const sign = drawn
      ? el("span.sv-landed", { "data-role": "drafted" }, `${ROLES.drafted.glyph} ${PAGE.drawn}`)
      : null;
    return row(chip(e.token), [bar("draft", e.q, top), sign], [probability(e.q)], drawn);
  });
}

addPicture("draft", draft);

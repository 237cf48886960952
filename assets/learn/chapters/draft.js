// The draft writes its block token by token, each drawn from the q that is drawn here; then easy and hard
// tokens.

import { bar, chip, el, row, SPECIAL, scaleTop } from "../../player/dom.js";
import { entropiesAt, levelOf, shades } from "../../player/lane.js";
import { fillText, milliseconds, number, probability, ROLES } from "../../player/words.js";

import { PAGE } from "../lesson.js";
import { flow, setRole, tokenBox, views } from "../picture.js";

/** @import { Answer, DraftExcerpt, KnownDraft, Picture, Sentence, Stage, View } from "../types.js" */

const STEP_MS = 1300;
const ROWS = 6;
const [EASY, HARD] = [0, 3]; // levels: almost certain; 1 nat and more

/** @param {DraftExcerpt} excerpt @param {Stage} stage @returns {Picture} */
export function draft(excerpt, stage) {
  const parts = [
    { ...block(excerpt), word: PAGE.draft_view },
    { ...hardness(excerpt.answer), word: PAGE.hard_view },
  ];
  return views("lrn-drafting", parts, STEP_MS, stage);
}

/** @param {DraftExcerpt} excerpt @returns {View} */
function block({ before, round: { drafted, times } }) {
  const K = drafted.length;
  const ghosts = drafted.map((d) => tokenBox(d.token.text, ""));
  const rows = el("div.sv-bars");
  const steps = drafted.flatMap((d, i) => {
    return /** @type {Sentence[]} */ ([
      [PAGE.draft_look, { i: i + 1, K }],
      [PAGE.draft_draw, { x: chip(d.token), q: probability(d.q) }],
    ]);
  });
  const values = { K, ms: milliseconds(times.draft), verify: milliseconds(times.verify) };
  const show = (/** @type {number} */ i) => {
    const at = Math.min(K - 1, i >> 1);
    const landed = i % 2 === 1 || i >= 2 * K;
    for (const [k, ghost] of ghosts.entries()) setRole(ghost, k < at || (k === at && landed) ? "drafted" : "");
    rows.replaceChildren(...qRows(drafted[at], landed));
  };
  return {
    node: el("div.lrn-draft.sv-stack", null, flow(before, ...ghosts), el("h4", null, PAGE.q_here), rows),
    sentences: [...steps, [PAGE.draft_done, values]],
    show,
  };
}

/** The largest of q; the last row is the drafted token's where it is not among them.
 * @param {KnownDraft} drafted @param {boolean} landed */
function qRows({ token, q, position }, landed) {
  const ranked = position.entries.filter((e) => e.q > 0).sort((a, b) => b.q - a.q);
  const entries = ranked.slice(0, ROWS).map((e) => ({ token: e.token, q: e.q }));
  if (!entries.some((e) => e.token.id === token.id)) {
    entries.splice(-1, 1, ranked.find((e) => e.token.id === token.id) ?? { token, q });
  }
  const top = scaleTop(entries.map((e) => e.q));
  return entries.map((e) => {
    const isDrafted = landed && e.token.id === token.id;
    const sign = isDrafted ? el("span.sv-landed", { "data-role": "drafted" }, `${ROLES.drafted.glyph} ${PAGE.drawn}`) : null;
    return row(chip(e.token), [bar("draft", e.q, top), sign], [probability(e.q)], isDrafted);
  });
}

/** A recorded answer, shaded by how sure the target was at each place, then by how sure the draft was.
 * @param {Answer} answer @returns {View} */
function hardness({ target, draft, device, temperature, asked, rounds }) {
  const tokens = rounds.flatMap((round) =>
    round.shown
      .filter(({ text, role }) => role !== "unexamined" && !SPECIAL.test(text))
      .map((span) => ({ box: tokenBox(span.text, span.role), ...entropiesAt(round, span) })),
  );
  const pair = { target: target.name, draft: draft.name, temperature };
  /** @type {Sentence[]} */
  const sentences = [
    [PAGE.hard_p, pair],
    [PAGE.hard_easy, acceptedCount(rounds, (level) => level === EASY)],
    [PAGE.hard_hard, acceptedCount(rounds, (level) => level >= HARD)],
    [PAGE.hard_q, pair],
  ];
  return {
    node: el(
      "div.lrn-hard.sv-stack",
      { "data-hardness": "" },
      el("p", null, fillText(PAGE.hard_asked, { asked })),
      el("div.lrn-flow.sv-flow", null, ...tokens.map(({ box }) => box)),
      shades(),
      el("p.sv-note", null, fillText(PAGE.hard_where, { ...pair, device })),
    ),
    sentences,
    show(i) {
      for (const { box, p, q } of tokens) {
        const entropy = i === sentences.length - 1 ? q : p;
        if (entropy === null) delete box.dataset.hard;
        else box.dataset.hard = String(levelOf(entropy));
      }
    },
  };
}

/** Of the guesses that were tested where p was so wide, how many were accepted.
 * @param {Answer["rounds"]} rounds @param {(level: number) => boolean} counts */
export function acceptedCount(rounds, counts) {
  const guesses = rounds
    .flatMap(({ drafted }) => drafted)
    .filter(({ position }) => position && counts(levelOf(position.p_entropy)));
  const accepted = guesses.filter(({ verdict }) => verdict === "accepted").length;
  return { accepted: number(accepted, 0), of: number(guesses.length, 0) };
}

// Each tested token of a recorded round: p, q and their overlap, then the coin; then the overlaps of the
// whole run. And a u of one's own.

import { button, chip, el, legend, scaleTop, share } from "../../player/dom.js";
import { makeScale } from "../../player/round.js";
import { fill, fillText, formatted, number, probability } from "../../player/words.js";
import { sum } from "../../trace/events.js";
import { PAGE } from "../lesson.js";
import { evenBeats, onceABeat, pqRow, roundPicture } from "../picture.js";

/** @import { AcceptExcerpt, Picture, Sentence, Stage, TestedDraft } from "../types.js" */

const BEAT_MS = 2400;
const ROWS = 4;
const PHASES = 3; // of a token: its bars, its coin, its verdict

/** @param {AcceptExcerpt} excerpt @param {Stage} stage @returns {Picture} */
export function accept({ before, round, betas }, stage) {
  const { drafted } = round;
  const tested = /** @type {TestedDraft[]} */ (drafted.filter((d) => d.verdict !== "unexamined"));
  const picture = roundPicture([round], [before[before.length - 1].text], { mask: false, caches: false });
  const keys = legend(["p", PAGE.p], ["q", PAGE.q], ["shared", PAGE.shared]);
  const rows = el("div.sv-bars");
  const coin = makeCoin();
  const run = overlaps(betas);
  const values = { n: run.n, alpha: number(run.alpha, 2) };
  let current = tested[0];
  const own = uSlider(stage, (u) => coin.show(current, u, true));
  const show = onceABeat((i) => {
    const last = i >= tested.length * PHASES; // the moment of α: the token before stays in sight
    const at = last ? tested.length - 1 : Math.floor(i / PHASES);
    const phase = last ? PHASES - 1 : i % PHASES;
    run.root.toggleAttribute("data-on", last);
    const isDecided = phase === PHASES - 1;
    const over = isDecided && at === tested.length - 1;
    current = tested[at];
    const decidedAt = round.shown[at].decided;
    const since = at ? round.shown[at - 1].decided : round.verified_at;
    picture.show(over ? round.end : isDecided ? decidedAt : phase ? since + 0.99 * (decidedAt - since) : since);
    rows.replaceChildren(...pqRows(current));
    own.clear();
    coin.show(current, phase ? current.u : null);
  });
  return {
    node: el("div.lrn-accept.sv-stack", null, picture.root, keys, rows, coin.root, own.root, run.root),
    beats: evenBeats([...tested.flatMap(sentencesOf), [PAGE.accept_alpha, values]], BEAT_MS),
    tail: BEAT_MS,
    paint: (_, i, anew) => show(i, anew),
  };
}

/** The sentences of a token, one a phase. @param {TestedDraft} tested @returns {Sentence[]} */
function sentencesOf({ token, p, q, ratio, u, verdict, position }) {
  const values = { x: chip(token), ...formatted({ p, q, beta: position.beta, u, ratio }, probability) };
  const end = verdict === "rejected" ? PAGE.accept_gone : ratio >= 1 ? PAGE.accept_sure : PAGE.accept_kept;
  return [PAGE.accept_bars, PAGE.accept_coin, end].map((sentence) => [sentence, values]);
}

/** The largest of p and q; the last row is the tested token's if it is not among them. @param {TestedDraft} tested */
function pqRows({ token, p, q, position }) {
  const entries = [...position.entries].sort((a, b) => Math.max(b.p, b.q) - Math.max(a.p, a.q)).slice(0, ROWS);
  if (!entries.some((e) => e.token.id === token.id)) entries.splice(-1, 1, { token, p, q });
  const top = scaleTop(entries.flatMap((e) => [e.p, e.q]));
  return entries.map((e) => pqRow(chip(e.token), e, top, probability, e.token.id === token.id));
}

/** @param {number[]} betas */
function overlaps(betas) {
  const alpha = sum(betas) / betas.length;
  const bars = betas.map((beta) => {
    const bar = el("i");
    bar.style.height = share(beta, 1);
    return bar;
  });
  const line = el("span.lrn-alpha", null, el("b", null, `α = ${number(alpha, 2)}`));
  line.style.bottom = share(alpha, 1);
  const label = fillText(PAGE.overlaps_label, { n: betas.length, alpha: number(alpha, 2) });
  const chart = el("div.lrn-overlap-bars", { role: "img", "aria-label": label }, bars, line);
  return { root: el("div.lrn-overlaps", null, el("h4", null, PAGE.overlaps), chart), alpha, n: betas.length };
}

/** Below p/q, never at it: a token with a p of 0 goes also where u is 0.
 * @param {Pick<TestedDraft, "p" | "q">} tested @param {number} u */
export const isAccepted = ({ p, q }, u) => u * q < p;

/** u on [0, 1): left of p/q the token stays, right of it it goes. */
function makeCoin() {
  const scale = makeScale(PAGE.coin_keep, PAGE.coin_reject);
  const head = el("h4", null, PAGE.coin);
  const verdict = el("p.sv-note", { "aria-live": "polite" });

  /** @param {TestedDraft} tested @param {number | null} u null: not thrown yet
   * @param {boolean} [own] a u that was not in the run, so the verdict is said here */
  function show(tested, u, own = false) {
    const { ratio, token } = tested;
    const line = fillText(ratio >= 1 ? PAGE.coin_any : PAGE.coin_limit, { ratio: probability(ratio) });
    head.toggleAttribute("data-aside", u !== null && u < 0.25); // there its number stands
    scale.show(ratio, u, u === null ? "" : `u = ${probability(u)}`, line);
    if (!own || u === null) return verdict.replaceChildren();
    const sentence = isAccepted(tested, u) ? PAGE.accept_own_kept : PAGE.accept_own_gone;
    verdict.replaceChildren(...fill(sentence, { u: probability(u), x: chip(token) }));
  }

  return { root: el("div.lrn-coin", null, head, scale.root, verdict), show };
}

/** A u by hand. @param {Stage} stage @param {(u: number) => void} onChange */
function uSlider(stage, onChange) {
  const range = { type: "range", min: 0, max: 0.999, step: 0.001, value: 0.5, "aria-label": PAGE.coin_own };
  const input = el("input", range);
  const back = button(PAGE.coin_back, () => stage.player?.restoreMoment());
  input.addEventListener("input", () => {
    back.disabled = false;
    stage.player?.pauseForVisitor();
    onChange(Number(input.value));
  });
  const clear = () => {
    back.disabled = true;
  };
  clear();
  const label = el("label.sv-slider", null, el("span", null, PAGE.coin_own), input);
  return { root: el("div.sv-flow", null, label, back), clear };
}

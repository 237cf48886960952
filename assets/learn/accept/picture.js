// Chapter 5: each tested token of a recorded round: p, q and their overlap, then the coin; then the overlaps of the
// whole run. And a u of one's own.

import { bar, legend, row } from "../../shared/bars.js";
import { el } from "../../shared/dom.js";
import { number, probability } from "../../shared/numbers.js";
import { scaleTop, share } from "../../shared/scale.js";
import { fillText } from "../../shared/sentences.js";
import { chip } from "../../shared/tokens.js";
import { evenly, onceABeat } from "../beats.js";
import { PAGE } from "../lesson.js";
import { addPicture } from "../pictures.js";
import { roundPicture } from "../round.js";
import { mean } from "../tally.js";
import { makeCoin, ownU } from "./coin.js";

/** @import { Accepting, Picture, Say, Stage, Tested } from "../types.js" */

const BEAT_MS = 2400;
const ROWS = 4;
const PHASES = 3; // of a token: its bars, its coin, its verdict

/** @param {Accepting} excerpt @param {Stage} stage @returns {Picture} */
function accept({ before, round, betas }, stage) {
  const { drafted } = round;
  const tested = /** @type {Tested[]} */ (drafted.filter((d) => d.verdict !== "unexamined"));
  const picture = roundPicture([round], [before[before.length - 1].text], { mask: false, caches: false });
  const keys = legend(["p", PAGE.p], ["q", PAGE.q], ["shared", PAGE.shared]);
  const rows = el("div.sv-bars");
  const coin = makeCoin();
  const run = overlaps(betas);
  const mean = { n: run.n, alpha: number(run.alpha, 2) };
  let now = tested[0];
  const own = ownU(stage, (u) => coin.show(now, u, true));
  const show = onceABeat((i) => {
    const last = i >= tested.length * PHASES; // the moment of α: the token before stays in sight
    const at = last ? tested.length - 1 : Math.floor(i / PHASES);
    const phase = last ? PHASES - 1 : i % PHASES;
    run.root.toggleAttribute("data-on", last);
    const decided = phase === PHASES - 1;
    const over = decided && at === tested.length - 1;
    now = tested[at];
    const fallen = round.shown[at].decided;
    const since = at ? round.shown[at - 1].decided : round.verified_at;
    picture.show(over ? round.end : decided ? fallen : phase ? since + 0.99 * (fallen - since) : since);
    rows.replaceChildren(...pqRows(now));
    own.clear();
    coin.show(now, phase ? now.u : null);
  });
  return {
    node: el("div.lrn-accept.sv-stack", null, picture.root, keys, rows, coin.root, own.root, run.root),
    beats: evenly([...tested.flatMap(says), [PAGE.accept_alpha, mean]], BEAT_MS),
    tail: BEAT_MS,
    paint: (_, i, anew) => show(i, anew),
  };
}

/** What is said of a token, one sentence a phase. @param {Tested} tested @returns {Say[]} */
function says({ token, p, q, ratio, u, verdict, position }) {
  const values = {
    x: chip(token),
    p: probability(p),
    q: probability(q),
    beta: probability(position.beta),
    u: probability(u),
    ratio: probability(ratio),
  };
  const end = verdict === "rejected" ? PAGE.accept_gone : ratio >= 1 ? PAGE.accept_sure : PAGE.accept_kept;
  return [PAGE.accept_bars, PAGE.accept_coin, end].map((sentence) => [sentence, values]);
}

/** The largest of p and q; the last row is the tested token's where it is not among them. @param {Tested} tested */
function pqRows({ token, p, q, position }) {
  const entries = [...position.entries].sort((a, b) => Math.max(b.p, b.q) - Math.max(a.p, a.q)).slice(0, ROWS);
  if (!entries.some((e) => e.token.id === token.id)) entries.splice(-1, 1, { token, p, q });
  const top = scaleTop(entries.flatMap((e) => [e.p, e.q]));
  return entries.map((e) => {
    const bars = [bar("shared", Math.min(e.p, e.q), top), bar("p", e.p, top), bar("q", e.q, top)];
    const value = fillText(PAGE.pq, { p: probability(e.p), q: probability(e.q) });
    return row(chip(e.token), bars, [value], e.token.id === token.id);
  });
}

addPicture("accept", accept);

/** @param {number[]} betas */
function overlaps(betas) {
  const alpha = mean(betas);
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

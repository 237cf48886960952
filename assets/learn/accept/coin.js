// The coin u on [0, 1): left of p/q the token stays, right of it it goes. And a u of one's own.

import { button } from "../../shared/button.js";
import { el, setText } from "../../shared/dom.js";
import { probability } from "../../shared/numbers.js";
import { share } from "../../shared/scale.js";
import { fill, filled } from "../../shared/sentences.js";
import { chip } from "../../shared/tokens.js";
import { PAGE } from "../lesson.js";

/** @import { Stage, Tested } from "./types.js" */

/**
 * Below p/q, never at it: a token with a p of 0 goes also where u is 0.
 * @param {Pick<Tested, "p" | "q">} tested @param {number} u
 */
export const keeps = ({ p, q }, u) => u * q < p;

export function makeCoin() {
  const keep = el("span.lrn-keep");
  const reject = el("span.lrn-reject");
  const number = el("b");
  const mark = el("span.lrn-u", null, number);
  const limit = el("span.lrn-limit");
  const told = el("p.lrn-note", { "aria-live": "polite" });
  const head = el("h4", null, PAGE.coin);
  const track = el("div.lrn-coin-track", null, keep, reject, mark);
  const ends = el("div.lrn-coin-ends", null, el("span", null, "0"), limit, el("span", null, "1"));

  /**
   * @param {Tested} tested @param {number | null} u null: not thrown yet
   * @param {boolean} [own] a u that was not in the run, so the verdict is said here
   */
  function show(tested, u, own = false) {
    const { ratio, token } = tested;
    const edge = Math.min(1, ratio);
    keep.style.width = share(edge, 1);
    reject.style.width = share(1 - edge, 1);
    setText(keep, edge > 0.15 ? PAGE.coin_keep : "");
    setText(reject, edge < 0.85 ? PAGE.coin_reject : "");
    setText(limit, filled(ratio >= 1 ? PAGE.coin_any : PAGE.coin_limit, { ratio: probability(ratio) }));
    limit.style.left = `clamp(7em, ${share(edge, 1)}, calc(100% - 9em))`;
    mark.toggleAttribute("data-on", u !== null);
    mark.dataset.side = (u ?? 0) > 0.5 ? "left" : "right";
    mark.style.left = share(u ?? 0, 1);
    head.toggleAttribute("data-aside", u !== null && u < 0.25); // there its number stands
    setText(number, u === null ? "" : `u = ${probability(u)}`);
    if (!own || u === null) return told.replaceChildren();
    const sentence = keeps(tested, u) ? PAGE.accept_own_kept : PAGE.accept_own_gone;
    told.replaceChildren(...fill(sentence, { u: probability(u), x: chip(token) }));
  }

  return { root: el("div.lrn-coin", null, head, track, ends, told), show };
}

/**
 * A u by hand.
 * @param {Stage} stage
 * @param {(u: number | null) => void} changed hears it, and null when the recorded one is wanted back
 */
export function ownU(stage, changed) {
  const input = el("input", {
    type: "range",
    min: 0,
    max: 0.999,
    step: 0.001,
    value: 0.5,
    "aria-label": PAGE.coin_own,
  });
  const back = button(PAGE.coin_back, () => {
    clear();
    changed(null);
  });
  input.addEventListener("input", () => {
    back.disabled = false;
    stage.player?.clock.pause();
    changed(Number(input.value));
  });
  const clear = () => {
    back.disabled = true;
  };
  clear();
  const label = el("label", null, el("span", null, PAGE.coin_own), input);
  return { root: el("div.lrn-own", null, label, back), clear };
}

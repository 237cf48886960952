// The coin u on [0, 1): left of p/q the token stays, right of it it goes. And a u of one's own.

import { button } from "../../shared/controls.js";
import { el } from "../../shared/dom.js";
import { probability } from "../../shared/numbers.js";
import { fill, fillText } from "../../shared/sentences.js";
import { chip } from "../../shared/tokens.js";
import { makeScale } from "../../shared/uscale.js";
import { PAGE } from "../lesson.js";

/** @import { Stage, Tested } from "../types.js" */

/**
 * Below p/q, never at it: a token with a p of 0 goes also where u is 0.
 * @param {Pick<Tested, "p" | "q">} tested @param {number} u
 */
export const keeps = ({ p, q }, u) => u * q < p;

export function makeCoin() {
  const scale = makeScale(PAGE.coin_keep, PAGE.coin_reject);
  const head = el("h4", null, PAGE.coin);
  const told = el("p.sv-note", { "aria-live": "polite" });

  /**
   * @param {Tested} tested @param {number | null} u null: not thrown yet
   * @param {boolean} [own] a u that was not in the run, so the verdict is said here
   */
  function show(tested, u, own = false) {
    const { ratio, token } = tested;
    const line = fillText(ratio >= 1 ? PAGE.coin_any : PAGE.coin_limit, { ratio: probability(ratio) });
    head.toggleAttribute("data-aside", u !== null && u < 0.25); // there its number stands
    scale.show(ratio, u, u === null ? "" : `u = ${probability(u)}`, line);
    if (!own || u === null) return told.replaceChildren();
    const sentence = keeps(tested, u) ? PAGE.accept_own_kept : PAGE.accept_own_gone;
    told.replaceChildren(...fill(sentence, { u: probability(u), x: chip(token) }));
  }

  return { root: el("div.lrn-coin", null, head, scale.root, told), show };
}

/** A u by hand. @param {Stage} stage @param {(u: number) => void} changed */
export function ownU(stage, changed) {
  const range = { type: "range", min: 0, max: 0.999, step: 0.001, value: 0.5, "aria-label": PAGE.coin_own };
  const input = el("input", range);
  const back = button(PAGE.coin_back, () => stage.player?.asRecorded());
  input.addEventListener("input", () => {
    back.disabled = false;
    stage.player?.byHand();
    changed(Number(input.value));
  });
  const clear = () => {
    back.disabled = true;
  };
  clear();
  const label = el("label.sv-slider", null, el("span", null, PAGE.coin_own), input);
  return { root: el("div.sv-flow", null, label, back), clear };
}

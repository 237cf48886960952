// Positions of a recorded run at which rules differ most, and what each rule keeps over all that the run tested.

import { bar, legend, row } from "../../shared/bars.js";
import { el } from "../../shared/dom.js";
import { number, probability } from "../../shared/numbers.js";
import { scaleTop } from "../../shared/scale.js";
import { fillText } from "../../shared/sentences.js";
import { chip } from "../../shared/tokens.js";
import { PAGE } from "../lesson.js";
import { positions } from "../positions.js";
import { largest } from "./chances.js";
import { makeMatrix } from "./matrix.js";

/** @import { Engines, Place, Say, Stage, View } from "../types.js" */

/**
 * @param {NonNullable<Engines["recorded"]>} found @param {number} T its temperature @param {Stage} stage
 * @returns {View}
 */
export function recordedPlaces({ places, means, positions: tested }, T, stage) {
  const tokens = el("div.sv-bars");
  const matrix = makeMatrix();
  const numbers = places.map((_, i) => String(i + 1));
  const choice = positions("lrn-place", numbers, 0, (i) => {
    stage.player?.byHand();
    draw(i);
  });

  /** @param {number} i */
  function draw(i) {
    const { entries, chances, equal } = places[i];
    const top = scaleTop(entries.flatMap(({ p, q }) => [p, q]));
    const favourite = draftsOwn(places[i]);
    const rows = entries.map((e) => {
      const bars = [bar("shared", Math.min(e.p, e.q), top), bar("p", e.p, top), bar("q", e.q, top)];
      const value = fillText(PAGE.pq, { p: probability(e.p), q: probability(e.q) });
      return row(chip(e.token), bars, [value], e === favourite);
    });
    tokens.replaceChildren(...rows);
    choice.show(i);
    matrix.show({ ...chances, equal });
  }

  const run = {
    n: tested,
    T,
    rejection: number(means.rejection, 2),
    match: number(means.match, 2),
    argmax: number(means.argmax, 2),
  };
  return {
    node: el(
      "div.lrn-rules.sv-stack",
      null,
      choice.root,
      legend(["p", PAGE.p], ["q", PAGE.q], ["shared", PAGE.shared], ["best", PAGE.rule_best]),
      tokens,
      matrix.root,
    ),
    says: [...places.map((place) => /** @type {Say} */ ([PAGE.place_says, told(place)])), [PAGE.place_run, run]],
    show: (i) => draw(Math.min(i, places.length - 1)),
  };
}

/** The draft's largest, which it takes where it drafts by argmax. @param {Place} place */
const draftsOwn = ({ entries }) => entries[largest(entries.map(({ q }) => q))];

/** @param {Place} place */
function told(place) {
  const { token, p, q } = draftsOwn(place);
  const { rejection, argmax } = place.chances;
  const chances = { rejection: number(rejection, 2), argmax: number(argmax, 2) };
  return { x: chip(token), p: probability(p), q: probability(q), ...chances };
}

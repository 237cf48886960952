// Which rule keeps most: of three tokens whose p and q can be moved; at positions of a recorded run at which rules
// differ most, and over all that the run tested.

import { legend } from "../../shared/bars.js";
import { el } from "../../shared/dom.js";
import { formatted, number, probability, rounded } from "../../shared/numbers.js";
import { scaleTop } from "../../shared/scale.js";
import { slider } from "../../shared/slider.js";
import { chip } from "../../shared/tokens.js";
import { PAGE } from "../lesson.js";
import { positionChoice, pqRow } from "../positions.js";
import { onceABeat } from "../views.js";
import { chancesOf, largestIndex, makeMatrix, shiftMass } from "./chances.js";

/** @import { Engines, Place, Sentence, Stage, View } from "../types.js" */

/** @typedef {{ p: number[], q: number[] }} Distributions */

const NAMES = ["a", "b", "c"];
/** The draft is the surer one; the target is; they prefer different tokens. @type {Distributions[]} */
const EXAMPLES = [
  { p: [0.4, 0.35, 0.25], q: [0.7, 0.2, 0.1] },
  { p: [0.9, 0.05, 0.05], q: [0.4, 0.3, 0.3] },
  { p: [0.3, 0.5, 0.2], q: [0.5, 0.4, 0.1] },
];

/**
 * @param {NonNullable<Engines["recorded"]>} recorded @param {number} T its temperature @param {Stage} stage
 * @returns {View}
 */
export function recordedPlaces({ places, means, positions }, T, stage) {
  const tokens = el("div.sv-bars");
  const matrix = makeMatrix();
  const numbers = places.map((_, i) => String(i + 1));
  const choice = positionChoice("lrn-place", numbers, 0, (i) => {
    stage.player?.pauseForVisitor();
    draw(i);
  });

  /** @param {number} i */
  function draw(i) {
    const { entries, chances, equal } = places[i];
    const top = scaleTop(entries.flatMap(({ p, q }) => [p, q]));
    const favourite = draftArgmax(places[i]);
    tokens.replaceChildren(...entries.map((e) => pqRow(chip(e.token), e, top, probability, e === favourite)));
    choice.show(i);
    matrix.show({ ...chances, equal });
  }

  const run = { n: positions, T, ...rounded({ ...means }) };
  return {
    node: el(
      "div.lrn-rules.sv-stack",
      null,
      choice.root,
      legend(["p", PAGE.p], ["q", PAGE.q], ["shared", PAGE.shared], ["best", PAGE.rule_best]),
      tokens,
      matrix.root,
    ),
    sentences: [
      ...places.map((place) => /** @type {Sentence} */ ([PAGE.place_says, placeValues(place)])),
      [PAGE.place_run, run],
    ],
    show: (i) => draw(Math.min(i, places.length - 1)),
  };
}

/** The draft's largest, which it takes where it drafts by argmax. @param {Place} place */
const draftArgmax = ({ entries }) => entries[largestIndex(entries.map(({ q }) => q))];

/** @param {Place} place */
function placeValues(place) {
  const { token, p, q } = draftArgmax(place);
  const { rejection, argmax } = place.chances;
  return { x: chip(token), ...formatted({ p, q }, probability), ...rounded({ rejection, argmax }) };
}

/** @param {Stage} stage @returns {View} */
export function trio(stage) {
  const tokens = el("div.sv-bars");
  const matrix = makeMatrix();
  let current = EXAMPLES[0];
  const sliders = ["p", "q"].flatMap((of) =>
    [0, 1].map((i) => chanceSlider(/** @type {"p" | "q"} */ (of), /** @type {0 | 1} */ (i))),
  );

  /** @param {"p" | "q"} of @param {0 | 1} i */
  function chanceSlider(of, i) {
    const onMove = (/** @type {number} */ value) => {
      stage.player?.pauseForVisitor();
      draw({ ...current, [of]: shiftMass(current[of], i, value) });
    };
    return { of, i, slider: slider(`${of}(${NAMES[i]})`, 0, 1, 0.01, onMove) };
  }

  /** @param {Distributions} distributions */
  function draw(distributions) {
    current = distributions;
    const { p, q } = distributions;
    const format = (/** @type {number} */ chance) => number(chance, 2);
    const rows = NAMES.map((name, i) => pqRow(name, { p: p[i], q: q[i] }, 1, format, i === largestIndex(q)));
    tokens.replaceChildren(...rows);
    for (const { of, i, slider } of sliders) slider.show(distributions[of][i], format(distributions[of][i]));
    matrix.show(chancesOf(p, q));
  }

  const templates = [PAGE.trio_draft, PAGE.trio_target, PAGE.trio_apart];
  return {
    node: el(
      "div.lrn-rules.sv-stack",
      null,
      legend(["p", PAGE.p], ["q", PAGE.q], ["shared", PAGE.shared], ["best", PAGE.rule_best]),
      tokens,
      el("div.lrn-sliders.sv-flow", null, ...sliders.map(({ slider }) => slider.root)),
      matrix.root,
      el("p.sv-note", null, PAGE.rule_block),
    ),
    sentences: templates.map((template, i) => [template, exampleValues(EXAMPLES[i])]),
    show: onceABeat((i) => draw(EXAMPLES[i])),
  };
}

/** @param {Distributions} distributions */
function exampleValues({ p, q }) {
  const { rejection, argmax } = chancesOf(p, q);
  return { ...rounded({ rejection, argmax }), x: NAMES[largestIndex(q)] };
}

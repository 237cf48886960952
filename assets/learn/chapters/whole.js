// Every text of three tokens of a made-up language: the ways in which rounds write it end where the target
// alone would have it, and miss with the wrong rule.

import { bar, el, legend, query, row, scaleTop, setText, share } from "../../player/dom.js";
import { formatted, probability, ROLES } from "../../player/words.js";
import { chanceOf, texts } from "../../shared/formulas.js";
import { PAGE } from "../lesson.js";
import { evenBeats, onceABeat } from "../picture.js";

/** @import { Text } from "../../shared/formulas.js" */
/** @import { Picture, Whole } from "../types.js" */

const BEAT_MS = 2800;
const WRONG = 4; // the beat in which replacements are drawn from p

/** @param {Whole} excerpt @returns {Picture} */
export function whole({ K, length }) {
  const right = texts(length, K);
  const wrong = texts(length, K, true);
  const example = right.reduce((best, one) => (one.ways.length > best.ways.length ? one : best)); // with the most ways
  const off = furthest(right, wrong);
  const top = scaleTop([...right, ...wrong].map(chanceOf));
  const cells = right.map((text, i) => cell(text, wrong[i], top, text === example));
  const ways = el("p.lrn-way-list.sv-note");
  const values = {
    ...{ n: right.length, K, text: example.text, ways: example.ways.length, off: right[off].text },
    ...formatted({ p: example.alone, instead: chanceOf(wrong[off]), right: right[off].alone }, probability),
  };
  const keys = legend(
    ["rounds-one", PAGE.whole_one],
    ["rounds-two", PAGE.whole_two],
    ["rounds-three", PAGE.whole_three],
    ["line", PAGE.whole_line],
  );
  const terms = example.ways.flatMap((way, i) => [i ? " + " : " ", ...wayNodes(way)]);
  const sums = el("span", null, PAGE.whole_signs, terms, ` = ${probability(example.alone)}`);
  const show = onceABeat((i) => {
    for (const one of cells) one.show(i);
    ways.replaceChildren(i > WRONG ? sums : PAGE.whole_models);
  });
  const templates = [PAGE.whole_1, PAGE.whole_2, PAGE.whole_3, PAGE.whole_4, PAGE.whole_wrong, PAGE.whole_ways];
  return {
    node: el("div.lrn-whole.sv-stack", null, keys, el("div.lrn-texts", null, ...cells.map(({ node }) => node)), ways),
    beats: evenBeats(
      templates.map((template) => [template, values]),
      BEAT_MS,
    ),
    tail: BEAT_MS,
    paint: (_, i) => show(i),
  };
}

/** Where the wrong rule misses most. @param {Text[]} right @param {Text[]} wrong */
function furthest(right, wrong) {
  const misses = right.map((text, i) => Math.abs(chanceOf(wrong[i]) - text.alone));
  return misses.indexOf(Math.max(...misses));
}

/** A way by the signs of its tokens, and its chance. @param {Text["ways"][number]} way */
function wayNodes({ roles, chance }) {
  return [el("b.sv-chip-token", null, roles.map((role) => ROLES[role].glyph).join("")), ` ${probability(chance)}`];
}

/** @param {Text} right @param {Text} wrong @param {number} top @param {boolean} isExample */
function cell(right, wrong, top, isExample) {
  const node = row(right.text, [], [""]);
  const [track, value] = [query(node, ".sv-track"), query(node, ".sv-value")];
  const line = el("span.lrn-p-line");
  line.style.left = share(right.alone, top);

  /** @param {number} i the beat */
  function show(i) {
    const text = i === WRONG ? wrong : right;
    const rounds = Math.min(i, 3); // that the sentences so far are about
    let from = 0;
    const bars = ["one", "two", "three"].slice(0, rounds).map((name, k) => {
      const part = text.ways.filter(({ rounds }) => rounds === k + 1).reduce((sum, { chance }) => sum + chance, 0);
      const segment = bar(`rounds-${name}`, part, top, from);
      from += part;
      return segment;
    });
    track.replaceChildren(...bars, line);
    const sum = rounds ? from : right.alone;
    setText(value, probability(sum));
    node.toggleAttribute("data-marked", i > WRONG && isExample);
    node.toggleAttribute("data-off", i === WRONG && Math.abs(sum - right.alone) > 1e-4);
  }

  return { node, show };
}

// Chapter 2: each token costs a pass over all weights; and what a pass over n tokens costs on this machine, once it is
// measured.

import { el, setText } from "../../shared/dom.js";
import { share } from "../../shared/scale.js";
import { fillText } from "../../shared/sentences.js";
import { evenly } from "../beats.js";
import { PAGE } from "../lesson.js";
import { addPicture } from "../pictures.js";
import { flow, setRole, tokenBox } from "../tokens.js";
import { megabytes } from "../weights.js";
import { blocks } from "./blocks.js";

/** @import { Alone, Picture, Stage } from "../types.js" */

const PASS_MS = 900;
const DONE = 0.85; // of a pass: a token comes out at its end
const TOKENS = 8;

/** @param {Alone} excerpt @param {Stage} stage @returns {Picture} */
function alone({ before, tokens, target }, { passes }) {
  const boxes = tokens.slice(0, TOKENS).map(({ text }) => tokenBox(text, ""));
  const sweep = el("span.lrn-sweep");
  const count = el("span.sv-note");
  const label = fillText(PAGE.weights, { target: target.name, megabytes: megabytes(target) });
  const track = el("div.lrn-memory-track", null, sweep, el("span", null, label));
  const memory = el("div.lrn-memory.sv-flow", null, track, count);
  const beats = evenly(
    boxes.map((_, i) => [PAGE.alone_pass, { n: i + 1 }]),
    PASS_MS,
  );
  return {
    node: el("div.lrn-alone.sv-stack", null, flow(before, ...boxes), memory, blocks(passes)),
    beats,
    tail: PASS_MS,
    paint(t, i) {
      const over = t >= beats.length * PASS_MS;
      const passed = t / PASS_MS - i;
      const done = i + (passed > DONE ? 1 : 0);
      sweep.style.width = share(over ? 1 : passed / DONE, 1);
      for (const [k, box] of boxes.entries()) setRole(box, k < done ? "plain" : "");
      setText(count, fillText(PAGE.read, { times: done, megabytes: megabytes(target, done) }));
    },
  };
}

addPicture("alone", alone);

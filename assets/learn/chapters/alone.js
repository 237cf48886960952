// Each token costs a pass over all weights; and what a pass over n tokens costs on this machine, once it is
// measured.

import { bar, button, el, legend, row, setText, share } from "../../player/dom.js";
import { fill, fillText, milliseconds, times } from "../../player/words.js";
import { PAGE } from "../lesson.js";
import { bound, evenBeats, flow, megabytes, setRole, tokenBox } from "../picture.js";

/** @import { Alone, Passes, Picture, Stage } from "../types.js" */

const PASS_MS = 900;
const TOKEN_AT = 0.85; // of a pass: a token comes out at its end
const TOKENS = 8;
const BLOCK_LENGTHS = [1, 2, 4, 8, 16];
const LONGEST_BLOCK = BLOCK_LENGTHS[BLOCK_LENGTHS.length - 1];
const COMPARED_LENGTH = 8; // tokens, as the question asks

/** @param {Alone} excerpt @param {Stage} stage @returns {Picture} */
export function alone({ before, tokens, target }, { passes }) {
  const boxes = tokens.slice(0, TOKENS).map(({ text }) => tokenBox(text, ""));
  const sweep = el("span.lrn-sweep");
  const count = el("span.sv-note");
  const label = fillText(PAGE.weights, { target: target.name, megabytes: megabytes(target) });
  const track = el("div.lrn-memory-track", null, sweep, el("span", null, label));
  const memory = el("div.lrn-memory.sv-flow", null, track, count);
  const beats = evenBeats(
    boxes.map((_, i) => [PAGE.alone_pass, { n: i + 1 }]),
    PASS_MS,
  );
  return {
    node: el("div.lrn-alone.sv-stack", null, flow(before, ...boxes), memory, blocks(passes)),
    beats,
    tail: PASS_MS,
    paint(t, i) {
      const over = t >= beats.length * PASS_MS;
      const progress = t / PASS_MS - i;
      const passCount = i + (progress > TOKEN_AT ? 1 : 0);
      sweep.style.width = share(over ? 1 : progress / TOKEN_AT, 1);
      for (const [k, box] of boxes.entries()) setRole(box, k < passCount ? "plain" : "");
      setText(count, fillText(PAGE.read, { times: passCount, megabytes: megabytes(target, passCount) }));
    },
  };
}

/**
 * What a pass over n tokens takes: an outline where each token would cost a pass, and inside it what was measured, here
 * and on other machines. @param {Passes} passes
 */
function blocks(passes) {
  const rows = el("div.sv-bars");
  const note = el("p.sv-note", { "aria-live": "polite" });
  const trigger = passes.measurable ? button(PAGE.measure, passes.requestMeasurement) : null;

  function draw() {
    const result = passes.measurement();
    const ms = result && result.error === undefined ? result.ms : null;
    rows.replaceChildren(...BLOCK_LENGTHS.map((n) => blockRow(n, ms)), ...otherRows(passes));
    if (trigger) {
      trigger.disabled = passes.waiting;
      setText(trigger, ms ? PAGE.measure_again : PAGE.measure);
    }
    if (passes.waiting) setText(note, PAGE.measuring);
    else if (result) {
      note.replaceChildren(...fill(!ms ? PAGE.measure_failed : trigger ? PAGE.measured : PAGE.recorded, { ...result }));
      if ("bytes" in result) note.append(" ", fillText(PAGE.bound, bound(result, LONGEST_BLOCK)));
      if (ms) note.append(" ", PAGE.bound_card);
    }
  }

  passes.onChange(draw);
  draw();
  const head = el("div.sv-flow.sv-ends", null, el("h4", null, PAGE.blocks), trigger);
  const keys = legend(["target", PAGE.blocks_measured], ["outline", PAGE.blocks_outline]);
  return el("div.lrn-blocks", null, head, keys, rows, note);
}

/** What machines took that are not the one on show; their numbers would say what is asked. @param {Passes} passes */
function otherRows({ measurable, recorded, asked, ...passes }) {
  const isKnown = asked || passes.measurement() !== null;
  return recorded.slice(measurable ? 0 : 1).map(({ target, device, ms }) => {
    const name = fillText(PAGE.elsewhere, { n: COMPARED_LENGTH, target, device });
    return blockRow(COMPARED_LENGTH, isKnown ? ms : null, name, PAGE.blocks_say);
  });
}

/** @param {number} n @param {Record<number, number> | null} ms @param {string} [name] @param {string} [unknown] */
function blockRow(n, ms, name = fillText(PAGE.blocks_n, { n }), unknown = PAGE.blocks_ask) {
  const outline = bar("outline", n, LONGEST_BLOCK);
  if (!ms) return row(name, outline, [unknown]);
  const ratio = ms[n] / ms[1];
  const value = `${times(ratio)} · ${fillText(PAGE.blocks_ms, { ms: milliseconds(ms[n]) })}`;
  return row(name, [outline, bar("target", ratio, LONGEST_BLOCK)], [value]);
}

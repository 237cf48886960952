// A 70B with an 8B on eight GPUs, by arithmetic: why a check is free for a few texts and dear for many, what long texts
// and the draft's memory change. Three sliders.

import { bar, legend, row } from "../../shared/bars.js";
import { button } from "../../shared/controls.js";
import { currentRun } from "../../shared/current_run.js";
import { el, setText } from "../../shared/dom.js";
import { speedupFor } from "../../shared/formula.js";
import { formatted, milliseconds, number, rounded, times } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { memoryOf, passMs, textCapacity } from "../../shared/serving.js";
import { slider } from "../../shared/slider.js";
import { PAGE } from "../lesson.js";

/** @import { Size } from "../../shared/hardware.js" */
/** @import { Where, Work } from "../../shared/serving.js" */
/** @import { Stage, View } from "../types.js" */

/** @typedef {Work & { alpha: number }} Setting */

const ALPHA = 0.7;
const ONE = { texts: 1, context: 2048, alpha: ALPHA };
const MANY = { texts: 512, context: 512, alpha: ALPHA };
const LONG = { texts: 32, context: 16384, alpha: ALPHA };

/** @typedef {{ read: number, compute: number, ms: number }} Pass milliseconds; the longer of the two is the pass */

const HEADS = { kv_heads: 8, head_size: 128 };

/** @type {Size} */
export const TARGET = { name: "Llama 3.1 70B", parameters: 70.6, layers: 80, heads: 64, ...HEADS };
/** @type {Size} */
export const DRAFT = { name: "Llama 3.1 8B", parameters: 8.03, layers: 32, heads: 32, ...HEADS };
/** @type {Where} NVIDIA H100 SXM by its data sheet: no overhead, no communication between the devices */
export const WHERE = { card: { bandwidth: 3350, peak: 989, memory: 80 }, devices: 8 };

const MAX_K = 8; // the largest that is tried

/** @param {Stage} stage @returns {View} */
export function server(stage) {
  const rows = el("div.sv-bars");
  const result = el("p.sv-strong");
  const memory = el("p.sv-note");
  /** @type {[sentence: string, setting: Setting][]} */
  const moments = [
    [PAGE.server_one, ONE],
    [PAGE.server_many, MANY],
    [PAGE.server_long, LONG],
    [PAGE.server_memory, LONG],
  ];
  /** @type {Setting} */
  let current = ONE;
  const sliders = {
    texts: slider(PAGE.server_texts, 0, 10, 1, (power) => moveTo({ ...current, texts: 2 ** power })),
    context: slider(PAGE.server_context, 7, 17, 1, (power) => moveTo({ ...current, context: 2 ** power })),
    alpha: slider(PAGE.server_alpha, 0, 1, 0.01, (alpha) => moveTo({ ...current, alpha })),
  };

  const own = currentRun.picture?.lanes.speculative?.numbers.alpha ?? null; // of the run in Watch
  const ownButton =
    own === null
      ? null
      : button(fillText(PAGE.server_own, { alpha: number(own, 2) }), () => moveTo({ ...current, alpha: own }));

  /** @param {Setting} setting */
  function moveTo(setting) {
    stage.player?.pauseForVisitor();
    show(setting);
  }

  /** @param {Setting} setting */
  function show(setting) {
    current = setting;
    const values = loadValues(setting);
    sliders.texts.show(Math.log2(setting.texts), String(setting.texts));
    sliders.context.show(Math.log2(setting.context), number(setting.context, 0));
    sliders.alpha.show(setting.alpha, number(setting.alpha, 2));
    rows.replaceChildren(...passRows(setting, values.K));
    const none = setting.texts > values.most; // the memory does not hold them: nothing else is an answer
    setText(result, fillText(none ? PAGE.server_full : values.pays ? PAGE.server_result : PAGE.server_none, values));
    setText(memory, none ? "" : fillText(PAGE.server_room, values));
  }

  const names = { target: TARGET.name, draft: DRAFT.name, devices: WHERE.devices };
  return {
    node: el(
      "div.lrn-server.sv-stack",
      null,
      el("h4", null, fillText(PAGE.server_title, names)),
      legend(["target", PAGE.server_read], ["compute", PAGE.server_compute]),
      rows,
      result,
      memory,
      el("div.lrn-sliders.sv-flow", null, sliders.texts.root, sliders.context.root, sliders.alpha.root, ownButton),
      el("p.sv-note", null, PAGE.server_note, " ", fillText(PAGE.server_assumed, { alpha: number(ALPHA, 1) })),
    ),
    sentences: moments.map(([sentence, setting]) => [sentence, loadValues(setting)]),
    show: (i) => show(moments[i][1]),
  };
}

/** What the sentences about a load are filled with. @param {Setting} setting */
function loadValues({ alpha, ...load }) {
  const { K, c, v, speedup } = bestSpeedup(load, alpha);
  const one = passTimes(TARGET, load, 1);
  const pace = (1e3 * load.texts) / one.ms;
  const [alone, most] = [null, DRAFT].map((draft) => textCapacity(TARGET, draft, WHERE, load.context));
  const memory = memoryOf(DRAFT, load.context);
  const counts = { context: load.context, pace, paced: pace * speedup, alone, drafting: most };
  return {
    ...rounded({ alpha, c, v, speedup, cache: memory.cache }),
    ...formatted({ each: one.ms, sooner: one.ms / speedup }, milliseconds),
    ...formatted(counts, (count) => number(count, 0)),
    ...{ texts: load.texts, K, weights: number(memory.weights, 1), most, pays: speedup > 1 },
  };
}

/**
 * One pass, its check and its drafting: reading and arithmetic, on one scale.
 * @param {Setting} setting @param {number} K
 */
function passRows(setting, K) {
  const draft = passTimes(DRAFT, setting, 1);
  const passes = [
    { word: PAGE.server_pass, ...passTimes(TARGET, setting, 1) },
    { word: fillText(PAGE.server_check, { n: K + 1 }), ...passTimes(TARGET, setting, K + 1) },
    { word: fillText(PAGE.server_drafting, { K }), read: K * draft.read, compute: K * draft.compute, ms: K * draft.ms },
  ];
  const top = Math.max(...passes.map(({ ms }) => ms));
  const one = passes[0].ms;
  return passes.map(({ word, read, compute, ms }) => {
    const value = `${milliseconds(ms)} ms · ${times(ms / one)}`;
    return row(word, [bar("target", read, top), bar("compute", compute, top)], [value]);
  });
}

/** A pass over n tokens of each text. @param {Size} model @param {Work} load @param {number} n @returns {Pass} */
function passTimes(model, load, n) {
  const [read, compute] = passMs(model, WHERE, load, n);
  return { read, compute, ms: Math.max(read, compute) };
}

/** c of this load, and v of a check of K drafts. @param {Work} load @param {number} K */
export function costs(load, K) {
  const one = passTimes(TARGET, load, 1).ms;
  return { c: passTimes(DRAFT, load, 1).ms / one, v: passTimes(TARGET, load, K + 1).ms / one };
}

/** The K ≥ 1 of the largest speedup, also where none is above 1. @param {Work} load @param {number} alpha */
export function bestSpeedup(load, alpha) {
  const all = Array.from({ length: MAX_K }, (_, i) => {
    const K = i + 1;
    const { c, v } = costs(load, K);
    return { K, c, v, speedup: speedupFor(alpha, K, c, v) };
  });
  return all.reduce((best, one) => (one.speedup > best.speedup ? one : best));
}

// A 70B with an 8B on eight GPUs, by arithmetic: why a check is free for a few texts and dear for many, what long texts
// and the draft's memory change. Three sliders.

import { bar, legend, row } from "../../shared/bars.js";
import { el, setText } from "../../shared/dom.js";
import { milliseconds, number, times } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { memoryOf, room } from "../../shared/serving.js";
import { slider } from "../../shared/slider.js";
import { PAGE } from "../lesson.js";
import { bestUnder, DRAFT, passOver, TARGET, WHERE } from "./load.js";

/** @import { Work } from "../../shared/serving.js" */
/** @import { Say, Stage, View } from "../types.js" */

/** @typedef {Work & { alpha: number }} Setting */

const ALPHA = 0.7;
const ONE = { texts: 1, context: 2048, alpha: ALPHA };
const MANY = { texts: 512, context: 512, alpha: ALPHA };
const LONG = { texts: 32, context: 16384, alpha: ALPHA };

/** @param {Stage} stage @returns {View} */
export function server(stage) {
  const rows = el("div.sv-bars");
  const result = el("p.lrn-here");
  const memory = el("p.sv-note");
  /** @type {[sentence: string, setting: Setting][]} */
  const told = [
    [PAGE.server_one, ONE],
    [PAGE.server_many, MANY],
    [PAGE.server_long, LONG],
    [PAGE.server_memory, LONG],
  ];
  /** @type {Setting} */
  let now = ONE;
  const sliders = {
    texts: slider(PAGE.server_texts, 0, 10, 1, (power) => byHand({ ...now, texts: 2 ** power })),
    context: slider(PAGE.server_context, 7, 17, 1, (power) => byHand({ ...now, context: 2 ** power })),
    alpha: slider(PAGE.server_alpha, 0, 1, 0.01, (alpha) => byHand({ ...now, alpha })),
  };

  /** @param {Setting} setting */
  function byHand(setting) {
    stage.player?.byHand();
    show(setting);
  }

  /** @param {Setting} setting */
  function show(setting) {
    now = setting;
    const found = worked(setting);
    sliders.texts.show(Math.log2(setting.texts), String(setting.texts));
    sliders.context.show(Math.log2(setting.context), number(setting.context, 0));
    sliders.alpha.show(setting.alpha, number(setting.alpha, 2));
    rows.replaceChildren(...passRows(setting, found.K));
    const none = setting.texts > found.most; // the memory does not hold them: nothing else is an answer
    setText(result, fillText(none ? PAGE.server_full : found.pays ? PAGE.server_result : PAGE.server_none, found));
    setText(memory, none ? "" : fillText(PAGE.server_room, found));
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
      el("div.lrn-sliders.sv-flow", null, sliders.texts.root, sliders.context.root, sliders.alpha.root),
      el("p.sv-note", null, PAGE.server_note),
    ),
    says: told.map(([sentence, setting]) => /** @type {Say} */ ([sentence, worked(setting)])),
    show: (i) => show(told[i][1]),
  };
}

/** All that is told of a load. @param {Setting} setting */
function worked({ alpha, ...load }) {
  const { K, c, v, speedup } = bestUnder(load, alpha);
  const one = passOver(TARGET, load, 1);
  const pace = (1e3 * load.texts) / one.ms;
  const most = room(TARGET, DRAFT, WHERE, load.context);
  const memory = memoryOf(DRAFT, load.context);
  return {
    texts: load.texts,
    context: number(load.context, 0),
    alpha: number(alpha, 2),
    K,
    c: number(c, 2),
    v: number(v, 2),
    speedup: number(speedup, 2),
    each: milliseconds(one.ms),
    sooner: milliseconds(one.ms / speedup),
    pace: number(pace, 0),
    paced: number(pace * speedup, 0),
    holds: number(room(TARGET, null, WHERE, load.context), 0),
    held: number(most, 0),
    weights: number(memory.weights, 1),
    cache: number(memory.cache, 2),
    most,
    pays: speedup > 1,
  };
}

/**
 * One pass, its check and its drafting: reading and arithmetic, on one scale.
 * @param {Setting} setting @param {number} K
 */
function passRows(setting, K) {
  const draft = passOver(DRAFT, setting, 1);
  const passes = [
    { word: PAGE.server_pass, ...passOver(TARGET, setting, 1) },
    { word: fillText(PAGE.server_check, { n: K + 1 }), ...passOver(TARGET, setting, K + 1) },
    { word: fillText(PAGE.server_drafting, { K }), read: K * draft.read, compute: K * draft.compute, ms: K * draft.ms },
  ];
  const top = Math.max(...passes.map(({ ms }) => ms));
  const one = passes[0].ms;
  return passes.map(({ word, read, compute, ms }) => {
    const value = `${milliseconds(ms)} ms · ${times(ms / one)}`;
    return row(word, [bar("target", read, top), bar("compute", compute, top)], [value]);
  });
}

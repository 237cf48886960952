// The panel Load: passes that were measured, and what K drafts give at a load.

import { el, setText } from "../../shared/dom.js";
import { explain } from "../../shared/glossary.js";
import { number } from "../../shared/numbers.js";
import { bestOf, servingByK } from "../../shared/serving.js";
import { makeForm, makeSlider, numberIn } from "../form.js";
import { addPanel, columnWidth } from "../panels.js";
import { drawLoads, drawTrade } from "./charts.js";
import { csvRows, kTable, loadSentences } from "./sentences.js";

/** @import { PanelContext, PanelView, Settings } from "../types.js" */
/** @import { Measured, Passes } from "../../shared/hardware.js" */

const MEASURED_PREFIX = "m";

/** @param {PanelContext} context @returns {PanelView} */
function load(context) {
  const { words, linkSettings } = context;
  const picture = el("div.lab-stack", null, el("p.lab-empty", null, words.opening));
  const controls = el("div.lab-stack");
  const table = el("div.sv-scroll");
  /** @type {ReturnType<typeof makeState> | null} */
  let state = null;

  context.server
    .measured("")
    .then((text) => {
      state = makeState(JSON.parse(text), words, linkSettings, onChange);
      controls.replaceChildren(
        el("div.lab-controls", null, state.form.nodes),
        el("div.lab-sliders", null, state.sliders),
      );
      draw();
    })
    .catch(() => setText(picture, words.lost));

  function onChange() {
    if (state) context.updateLink(state.settings());
    draw();
  }

  function draw() {
    if (!state) return;
    if (state.unmeasured()) {
      const message = words[context.runs ? "unmeasured" : "unmeasured_here"];
      picture.replaceChildren(el("p.lab-empty", null, message));
      return table.replaceChildren();
    }
    const load = state.load();
    const here = servingByK(load.passesOf(load.texts), [load.alpha], load.texts);
    const chartWidth = columnWidth(context.width());
    const lines = loadSentences(load, here, words).map((line, i) =>
      el(i ? "p.lab-note" : "p.lab-sentence", null, line),
    );
    const charts = el("div.lab-pair", null, drawLoads(load, words, chartWidth), drawTrade(load, words, chartWidth));
    picture.replaceChildren(...lines, charts);
    table.replaceChildren(kTable(here, bestOf(here), words));
  }

  return {
    controls,
    picture,
    numbers: el("div.lab-stack", null, table, el("p.lab-note", null, explain(words.note))),
    run: context.runs ? () => context.startRun({}) : undefined,
    showResult(result, over) {
      if (!state || !result) return;
      const { done, of, ...passes } = /** @type {Measured & { done: number, of: number }} */ (result);
      if (!passes.draft_ms.length) return;
      state.setOwnPasses(passes, over);
      draw();
    },
    draw,
    table: () => (state && !state.unmeasured() ? csvRows(state.load(), words) : null),
    chart: () => picture.querySelector("svg"),
  };
}

/**
 * What is chosen, and the load that this is.
 * @param {Measured[]} measured from Python @param {Record<string, string>} words
 * @param {Settings} linkSettings @param {() => void} onChange
 */
function makeState(measured, words, linkSettings, onChange) {
  /** @type {Measured | null} */
  let ownPasses = null;
  const names = Object.fromEntries(measured.map((one, i) => [MEASURED_PREFIX + i, `${words.measured} ${one.device}`]));
  const source = { name: "source", word: words.source, value: "m0", options: { ...names, own: words.own } };
  const form = makeForm([source], linkSettings, () => {
    updateBounds();
    onChange();
  });
  /** The passes that are chosen; null where they were not measured yet. @returns {Measured | null} */
  function passes() {
    const { source } = form.values();
    return source === "own" ? ownPasses : measured[Number(source.slice(1))];
  }
  const grid = () => passes()?.batches ?? [1];
  const textsText = (/** @type {number} */ i) => String(grid()[Math.min(i, grid().length - 1)]);
  const ratioText = (/** @type {number} */ value) => number(value, 2);
  const last = Math.max(1, ...measured.map(({ batches }) => batches.length)) - 1;
  /** @type {Record<string, [number, number, number]>} */
  const bounds = { texts: [0, last, 1], alpha: [0, 1, 0.01] };
  /** @param {string} name @param {number} first @param {(value: number) => string} format */
  const slider = (name, first, format) =>
    makeSlider(words[name], bounds[name], numberIn(linkSettings[name], bounds[name]) ?? first, format, onChange);
  const sliders = {
    texts: slider("texts", 3, textsText),
    alpha: slider("alpha", 0.7, ratioText),
  };
  const updateBounds = () => sliders.texts.setBound(grid().length - 1);
  updateBounds();
  return {
    form,
    unmeasured: () => !passes(),
    sliders: Object.values(sliders).map(({ root }) => root),
    settings() {
      const values = Object.entries(sliders).map(([name, slider]) => [name, String(slider.value())]);
      return { ...form.values(), ...Object.fromEntries(values) };
    },
    /** @param {Measured} passes @param {boolean} over */
    setOwnPasses(passes, over) {
      ownPasses = passes;
      if (over) form.set("source", "own");
      updateBounds();
    },
    /** Of passes that were measured. */
    load() {
      const chosen = /** @type {Measured} */ (passes());
      /** @param {number} texts @returns {Passes} */
      const passesOf = (texts) => {
        const at = chosen.batches.indexOf(texts);
        return { target: chosen.target_ms[at], draft: chosen.draft_ms[at] };
      };
      const texts = chosen.batches[Math.min(sliders.texts.value(), chosen.batches.length - 1)];
      return { measured: chosen, passesOf, grid: chosen.batches, texts, alpha: sliders.alpha.value() };
    },
  };
}

/** @typedef {ReturnType<ReturnType<typeof makeState>["load"]>} Load */

addPanel("load", load);

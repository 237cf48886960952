// The panel Load: passes that were measured, or worked out from a card's peaks; what K drafts give at a load, and what
// a budget of checked positions gives.

import { el, setText } from "../../shared/dom.js";
import { explain } from "../../shared/glossary.js";
import { number } from "../../shared/numbers.js";
import { bestOf, byFormula, servingByK } from "../../shared/serving.js";
import { byKey, makeForm, makeSlider, namesOf, numberIn } from "../form.js";
import { addPanel, columnWidth } from "../panels.js";
import { drawLoads, drawTrade } from "./charts.js";
import { makeBudgetSection } from "./game.js";
import { csvRows, kTable, loadSentences, memoryWarning } from "./sentences.js";

/** @import { PanelContext, PanelView, Settings } from "../types.js" */
/** @import { Hardware, Measured, Passes, Size } from "../../shared/hardware.js" */
/** @import { Field } from "../form.js" */

const MAX_LOG2_TEXTS = 10; // 2^10 texts
const MEASURED_PREFIX = "m";

/** @param {PanelContext} context @returns {PanelView} */
function load(context) {
  const { words, linkSettings } = context;
  const picture = el("div.lab-stack", null, el("p.lab-empty", null, words.opening));
  const controls = el("div.lab-stack");
  const table = el("div.sv-scroll");
  /** @type {ReturnType<typeof makeState> | null} */
  let state = null;
  const budget = makeBudgetSection(context, (texts) => state?.passesOver(texts) ?? null, updateLink);

  context.server
    .hardware("")
    .then((text) => {
      state = makeState(JSON.parse(text), words, linkSettings, onChange);
      controls.replaceChildren(
        el("div.lab-controls", null, state.form.nodes),
        el("div.lab-sliders", null, state.sliders),
      );
      draw();
    })
    .catch(() => setText(picture, words.lost));

  function updateLink() {
    if (state) context.updateLink({ ...state.settings(), ...budget.settings() });
  }

  function onChange() {
    updateLink();
    draw();
  }

  function draw() {
    if (!state) return;
    budget.draw();
    if (state.unmeasured()) {
      const message = words[context.runs ? "unmeasured" : "unmeasured_here"];
      picture.replaceChildren(el("p.lab-empty", null, message));
      return table.replaceChildren();
    }
    const load = state.load();
    const here = servingByK(load.passesOf(load.texts), [load.alpha], load.texts);
    const chartWidth = columnWidth(context.width());
    const lines = [...memoryWarning(load, words), ...loadSentences(load, here, words)].map((line, i) =>
      el(i ? "p.lab-note" : "p.lab-sentence", null, line),
    );
    const charts = el("div.lab-pair", null, drawLoads(load, words, chartWidth), drawTrade(load, words, chartWidth));
    picture.replaceChildren(...lines, charts);
    table.replaceChildren(kTable(here, bestOf(here), words));
  }

  return {
    controls,
    picture,
    numbers: el("div.lab-stack", null, table, el("p.lab-note", null, explain(words.note)), budget.root),
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
 * @param {{ hardware: Hardware, measured: Measured[] }} data from Python @param {Record<string, string>} words
 * @param {Settings} linkSettings @param {() => void} onChange
 */
function makeState({ hardware, measured }, words, linkSettings, onChange) {
  /** @type {Measured | null} */
  let ownPasses = null;
  const names = Object.fromEntries(measured.map((one, i) => [MEASURED_PREFIX + i, `${words.measured} ${one.device}`]));
  const sources = { ...names, own: words.own, formula: words.formula };
  const form = makeForm(fields(hardware, sources, words), linkSettings, () => {
    updateBounds();
    onChange();
  });
  const grid = () => measuredSource()?.batches ?? Array.from({ length: MAX_LOG2_TEXTS + 1 }, (_, i) => 2 ** i);
  const textsText = (/** @type {number} */ i) => String(grid()[Math.min(i, grid().length - 1)]);
  const contextText = (/** @type {number} */ n) => number(measuredSource()?.context ?? 2 ** n, 0);
  const ratioText = (/** @type {number} */ value) => number(value, 2);
  /** @type {Record<string, [number, number, number]>} */
  const bounds = { texts: [0, MAX_LOG2_TEXTS, 1], context: [6, 17, 1], alpha: [0, 1, 0.01], apart: [0, 0.3, 0.01] };
  /** @param {string} name @param {number} first @param {(value: number) => string} format */
  const slider = (name, first, format) =>
    makeSlider(words[name], bounds[name], numberIn(linkSettings[name], bounds[name]) ?? first, format, onChange);
  const sliders = {
    texts: slider("texts", 3, textsText),
    context: slider("context", 11, contextText),
    alpha: slider("alpha", 0.7, ratioText),
    apart: slider("apart", 0.1, ratioText),
  };
  /** The passes that were measured, or null for those by formula. @returns {Measured | null} */
  function measuredSource() {
    const { source } = form.values();
    if (source === "formula") return null;
    return source === "own" ? ownPasses : (measured[Number(source.slice(1))] ?? null);
  }
  const unmeasured = () => form.values().source === "own" && !ownPasses;
  function updateBounds() {
    const calculated = !measuredSource() && !unmeasured();
    sliders.texts.setBound(grid().length - 1, true);
    sliders.context.setBound(bounds.context[1], calculated);
    form.show((name) => name !== "source", calculated);
  }
  updateBounds();
  return {
    form,
    unmeasured,
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
    /** Passes over so many texts; null where none were measured. @param {number} texts */
    passesOver(texts) {
      const batches = measuredSource()?.batches;
      return unmeasured() || (batches && !batches.includes(texts)) ? null : this.load().passesOf(texts);
    },
    load() {
      const values = form.values();
      const passes = measuredSource();
      const context = passes ? passes.context : 2 ** sliders.context.value();
      const where = { card: byKey(hardware.cards, values.card), devices: Number(values.devices), reach: 1, launch: 0 };
      /** @type {[Size, Size]} */
      const models = [byKey(hardware.models, values.target), byKey(hardware.models, values.draft)];
      /** @param {number} texts @returns {Passes} */
      const passesOf = (texts) => {
        if (!passes) return byFormula(...models, where, { texts, context });
        const at = passes.batches.indexOf(texts);
        return { target: passes.target_ms[at], draft: passes.draft_ms[at] };
      };
      const sizes = grid();
      const texts = sizes[Math.min(sliders.texts.value(), sizes.length - 1)];
      const [alpha, apart] = [sliders.alpha.value(), sliders.apart.value()];
      return { measured: passes, context, where, models, passesOf, grid: sizes, texts, alpha, apart };
    },
  };
}

/** @typedef {ReturnType<ReturnType<typeof makeState>["load"]>} Load */

/**
 * @param {Hardware} hardware @param {Record<string, string>} sources @param {Record<string, string>} words
 * @returns {Field[]}
 */
function fields({ cards, models }, sources, words) {
  const devices = Object.fromEntries(["1", "2", "4", "8", "16"].map((n) => [n, n]));
  return [
    { name: "source", word: words.source, value: "m0", options: sources },
    { name: "target", word: words.target, value: "llama-3.1-70b", options: namesOf(models) },
    { name: "draft", word: words.draft, value: "llama-3.1-8b", options: namesOf(models) },
    { name: "card", word: words.card, value: "h100", options: namesOf(cards) },
    { name: "devices", word: words.devices, value: "8", options: devices },
  ];
}

addPanel("load", load);

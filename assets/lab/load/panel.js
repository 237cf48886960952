// The panel Load: passes that were measured, or worked out from a card's peaks; what K drafts give at a load, and what
// a budget of checked positions gives.

import { el, setText } from "../../shared/dom.js";
import { explain } from "../../shared/glossary.js";
import { number } from "../../shared/numbers.js";
import { bestOf, byFormula, servedBy } from "../../shared/serving.js";
import { makeForm, namesOf } from "../form.js";
import { addPanel } from "../panels.js";
import { makeSlider, numberIn } from "../slider.js";
import { drawLoads, drawTrade } from "./charts.js";
import { makeBudget } from "./game.js";
import { csvRows, full, kTable, loadSentence } from "./told.js";

/** @import { PanelContext, Drawn, Settings } from "../types.js" */
/** @import { Hardware, Measured, Passes, Size } from "../../shared/hardware.js" */
/** @import { Field } from "../form.js" */

const BESIDE = 760;
const MOST = 10; // 2^10 texts
const MEASURED = "m";

/** @param {PanelContext} bench @returns {Drawn} */
function load(bench) {
  const { words, asked } = bench;
  const loads = el("div.lab-stack", null, el("p.lab-empty", null, words.opening));
  const controls = el("div.lab-stack");
  const table = el("div.sv-scroll");
  /** @type {ReturnType<typeof makeState> | null} */
  let state = null;
  const budget = makeBudget(bench, (texts) => state?.passesOver(texts) ?? null, keep);

  bench.server
    .hardware("")
    .then((text) => {
      state = makeState(JSON.parse(text), words, asked, changed);
      controls.replaceChildren(
        el("div.lab-controls", null, state.form.nodes),
        el("div.lab-sliders", null, state.sliders),
      );
      draw();
    })
    .catch(() => setText(loads, words.lost));

  function keep() {
    if (state) bench.keep({ ...state.settings(), ...budget.settings() });
  }

  function changed() {
    keep();
    draw();
  }

  function draw() {
    if (!state) return;
    budget.draw();
    if (state.unmeasured()) {
      const said = words[bench.runs ? "unmeasured" : "unmeasured_here"];
      loads.replaceChildren(el("p.lab-empty", null, said));
      return table.replaceChildren();
    }
    const load = state.load();
    const here = servedBy(load.passesOf(load.texts), [load.alpha], load.texts);
    const width = bench.width();
    const each = width >= BESIDE ? (width - 32) / 2 : width;
    const lines = [...full(load, words), ...loadSentence(load, here, words)].map((line, i) =>
      el(i ? "p.lab-note" : "p.lab-sentence", null, line),
    );
    const charts = el("div.lab-pair", null, drawLoads(load, words, each), drawTrade(load, words, each));
    loads.replaceChildren(...lines, charts);
    table.replaceChildren(kTable(here, bestOf(here), words));
  }

  return {
    controls,
    picture: loads,
    numbers: el("div.lab-stack", null, table, el("p.lab-note", null, explain(words.note)), budget.root),
    run: bench.runs ? () => bench.run({}) : undefined,
    found(now, over) {
      if (!state || !now) return;
      const { done, of, ...found } = /** @type {Measured & { done: number, of: number }} */ (now);
      if (found.draft_ms.length) state.measured(found, over);
      if (found.draft_ms.length) draw();
    },
    draw,
    table: () => (state && !state.unmeasured() ? csvRows(state.load(), words) : null),
    chart: () => loads.querySelector("svg"),
  };
}

/**
 * What is chosen, and the load that this is.
 * @param {{ hardware: Hardware, measured: Measured[] }} sent @param {Record<string, string>} words
 * @param {Settings} asked @param {() => void} changed
 */
function makeState({ hardware, measured }, words, asked, changed) {
  const all = [...measured];
  /** @type {Measured | null} */
  let own = null;
  const names = Object.fromEntries(all.map((one, i) => [MEASURED + i, `${words.measured} ${one.device}`]));
  const form = makeForm(fields(hardware, { ...names, own: words.own, formula: words.formula }, words), asked, () => {
    bound();
    changed();
  });
  const grid = () => source()?.batches ?? Array.from({ length: MOST + 1 }, (_, i) => 2 ** i);
  const written = (/** @type {number} */ i) => String(grid()[Math.min(i, grid().length - 1)]);
  const positions = (/** @type {number} */ n) => number(source()?.context ?? 2 ** n, 0);
  const short = (/** @type {number} */ value) => number(value, 2);
  /** @type {Record<string, [number, number, number]>} */
  const bounds = { texts: [0, MOST, 1], context: [6, 17, 1], alpha: [0, 1, 0.01], apart: [0, 0.3, 0.01] };
  const start = (/** @type {string} */ name, /** @type {number} */ first) => numberIn(asked[name], bounds[name], first);
  const sliders = {
    texts: makeSlider(words.texts, bounds.texts, start("texts", 3), written, changed),
    context: makeSlider(words.context, bounds.context, start("context", 11), positions, changed),
    alpha: makeSlider(words.alpha, bounds.alpha, start("alpha", 0.7), short, changed),
    apart: makeSlider(words.apart, bounds.apart, start("apart", 0.1), short, changed),
  };
  /** The passes that were measured, or null for those by formula. @returns {Measured | null} */
  function source() {
    const { source } = form.values();
    if (source === "formula") return null;
    return source === "own" ? own : (all[Number(source.slice(1))] ?? null);
  }
  const unmeasured = () => form.values().source === "own" && !own;
  function bound() {
    const calculated = !source() && !unmeasured();
    sliders.texts.bound(grid().length - 1, true);
    sliders.context.bound(bounds.context[1], calculated);
    form.show((name) => name !== "source", calculated);
  }
  bound();
  const chosen = (/** @type {{ key: string }[]} */ list, /** @type {string} */ key) =>
    /** @type {any} */ (list.find((one) => one.key === key));
  return {
    form,
    unmeasured,
    sliders: Object.values(sliders).map(({ root }) => root),
    settings() {
      const moved = Object.entries(sliders).map(([name, slider]) => [name, String(slider.value())]);
      return { ...form.values(), ...Object.fromEntries(moved) };
    },
    /** @param {Measured} found @param {boolean} over */
    measured(found, over) {
      own = found;
      if (over) form.set("source", "own");
      bound();
    },
    /** Passes over so many texts; null where none were measured. @param {number} texts */
    passesOver(texts) {
      const { found, passesOf } = this.load();
      return unmeasured() || (found && !found.batches.includes(texts)) ? null : passesOf(texts);
    },
    load() {
      const values = form.values();
      const found = source();
      const context = found ? found.context : 2 ** sliders.context.value();
      const where = { card: chosen(hardware.cards, values.card), devices: Number(values.devices), reach: 1, launch: 0 };
      /** @type {[Size, Size]} */
      const models = [chosen(hardware.models, values.target), chosen(hardware.models, values.draft)];
      /** @param {number} texts @returns {Passes} */
      const passesOf = (texts) => {
        if (!found) return byFormula(...models, where, { texts, context });
        const at = found.batches.indexOf(texts);
        return { target: found.target_ms[at], draft: found.draft_ms[at] };
      };
      const sizes = grid();
      const texts = sizes[Math.min(sliders.texts.value(), sizes.length - 1)];
      const [alpha, apart] = [sliders.alpha.value(), sliders.apart.value()];
      return { found, context, where, models, passesOf, grid: sizes, texts, alpha, apart };
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

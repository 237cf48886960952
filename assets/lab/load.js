// The panel Load: passes that were measured, and what K drafts give at a load, in sentences, as a table by K and as two
// charts: the speedup by how many texts share the server, and what each text gets against what all get together.

import { area, chart, curve, dots, linear, note, rule, steps } from "../chart/chart.js";
import { lineNames } from "../chart/labels.js";
import { el, line, setText, table } from "../player/dom.js";
import { explain } from "../player/page.js";
import { fillText, formatted, milliseconds, number, percent, rounded, times } from "../player/words.js";
import { bestServed, servingAt, servingByK } from "../shared/formulas.js";
import { columnWidth, makeForm, makeSlider, numberIn } from "./frame.js";

/** @import { Mark } from "../chart/types.js" */
/** @import { PanelContext, PanelView, Settings, Words } from "./types.js" */
/** @import { Measured, Passes, Served } from "../shared/hardware.js" */

const LINE_NAMES_PX = 44; // px for the names of lines
const DRAFT_LENGTHS = [1, 2, 4, 8];

/** @param {number} width */
const frameOf = (width) => ({ x: 0, y: 0, width, height: Math.min(360, Math.max(280, width * 0.7)) });

/** @param {number[]} values */
const points = (values) => values.map((y, x) => ({ x, y }));

/** @param {Load} load @param {Record<string, string>} words @param {number} width @returns {SVGSVGElement} */
function drawLoads({ grid, passesOf, alpha, texts }, words, width) {
  const lines = DRAFT_LENGTHS.map((K) =>
    grid.map((n) => servingAt(passesOf(n), [alpha], Math.min(K, passesOf(n).target.length - 1), n).speedup),
  );
  const best = grid.map((n) => bestServed(servingByK(passesOf(n), [alpha], n)));
  const speedups = best.map(({ speedup }) => speedup);
  const y = linear(0, Math.max(1.2, ...lines.flat(), ...speedups), 5, words.speedup);
  const now = grid.indexOf(texts);
  const here = { x: now, y: speedups[now] };
  const label = fillText(words.at_best, { K: best[now].K, speedup: number(here.y, 2) });
  const side = now < 0.6 * (grid.length - 1) ? { dx: 9, anchor: "start" } : { dx: -9, anchor: "end" };
  const marks = [
    ...zeroWins(best, words),
    rule({ y: 1 }),
    ...lines.map((line, k) => curve(points(line), { name: `K = ${DRAFT_LENGTHS[k]}` })),
    lineNames(
      lines.map((line) => line[line.length - 1]),
      DRAFT_LENGTHS.map((K) => `K ${K}`),
    ),
    curve(points(speedups), { series: "target", kind: "strong", name: words.with_drafts }),
    rule({ x: now }, { kind: "here" }),
    dots([here], { series: "target", kind: "spot", r: 6 }),
    note(here, label, { ...side, dy: -9, kind: "value" }),
  ];
  const x = steps(grid.map(String), words.texts_axis, grid.length < 8 ? 1 : 2);
  const plane = { frame: frameOf(width), margin: { right: LINE_NAMES_PX }, title: words.by_load, x, y, marks };
  return chart({ width, planes: [plane] });
}

/** Where from some load on no draft is best.
 * @param {Served[]} best of each load @param {Record<string, string>} words @returns {Mark[]} */
function zeroWins(best, words) {
  const none = best.findIndex(({ K }) => K === 0);
  if (none < 0 || best.slice(none).some(({ K }) => K > 0)) return [];
  const from = Math.max(0, none - 0.5);
  const middle = (from + best.length - 1) / 2;
  return [
    area({ x0: from }, { kind: "slower" }),
    note({ x: middle }, words.zero_wins, { dy: 16, anchor: "middle", kind: "tick" }),
  ];
}

/** @param {Load} load @param {Record<string, string>} words @param {number} width @returns {SVGSVGElement} */
function drawTrade({ grid, passesOf, alpha, texts }, words, width) {
  const by = grid.map((n) => servingByK(passesOf(n), [alpha], n));
  const sets = [by.map((all) => all[0]), by.map(bestServed)].map((set) =>
    set.map(({ latency, pace }) => ({ x: 1e3 / latency, y: pace })),
  );
  const x = linear(0, Math.max(...sets.flat().map((point) => point.x)), 4, words.text_pace);
  const y = linear(0, Math.max(...sets.flat().map((point) => point.y)), 4, words.pace);
  const now = grid.indexOf(texts);
  const marks = sets.flatMap((set, i) => {
    const series = i ? "target" : "muted";
    const word = i ? words.with_drafts : words.without;
    const anchor = x.place(set[0].x) > 0.7 ? "end" : "start";
    return [
      curve(set, { series, kind: "strong", name: word }),
      dots([set[now]], { series, kind: "spot", r: 6 }),
      note(set[0], word, { dy: -10 - 14 * i, anchor, kind: "name" }),
    ];
  });
  const plane = { frame: frameOf(width), margin: { right: LINE_NAMES_PX }, title: words.trade, x, y, marks };
  return chart({ width, planes: [plane] });
}

const LISTED_K = 9; // K from 0 to 8 are listed

/** The first is what it comes to. @param {Load} load @param {Served[]} here by K @param {Words} words */
function loadSentences(load, here, words) {
  const { texts, measured } = load;
  const best = bestServed(here);
  const values = {
    ...{ texts, K: best.K, thrown: percent(best.thrown) },
    ...formatted({ latency: best.latency, alone: here[0].latency }, milliseconds),
    ...formatted({ pace: best.pace, paced: here[0].pace }, (pace) => number(pace, 0)),
    ...rounded({ speedup: best.speedup, one: here[1].speedup }),
  };
  return [
    fillText(best.K ? words.best : words.none, values),
    zeroSentence(load, words),
    fillText(words.where_measured, { ...measured }),
    ...(measured.disturbed ? [words.busy] : []),
  ];
}

/** From which load on 0 wins.
 * @param {Pick<Load, "grid" | "passesOf" | "alpha">} load @param {Record<string, string>} words */
export function zeroSentence({ grid, passesOf, alpha }, words) {
  const paysAt = grid.map((texts) => bestServed(servingByK(passesOf(texts), [alpha], texts)).K > 0);
  const last = paysAt.lastIndexOf(true);
  if (last < 0) return words.zero_always;
  const none = grid.filter((_, i) => i < last && !paysAt[i]).join(", ");
  const between = none ? "_between" : "";
  return last < grid.length - 1
    ? fillText(words[`zero${between}`], { none, texts: grid[last + 1] })
    : fillText(words[`zero_never${between}`], { none, texts: grid[last] });
}

/** @param {Served[]} here @param {Served} best @param {Record<string, string>} words */
function kTable(here, best, words) {
  const names = [words.K, words.tokens, words.step, words.latency, words.speedup, words.pace, words.thrown];
  const lines = here.slice(0, Math.max(LISTED_K, best.K + 1)).map((one) => {
    const cells = [
      number(one.tokens, 2),
      milliseconds(one.step),
      milliseconds(one.latency),
      times(one.speedup),
      number(one.pace, 0),
      percent(one.thrown),
    ];
    const mark = one.K === best.K ? `${one.K} ◂ ${words.best_K}` : String(one.K);
    return line(mark, cells, one === best ? { "data-best": "" } : null);
  });
  return table(".sv-table.lab-table", names, lines);
}

/** What CSV saves: every K at every load. @param {Load} load @param {Record<string, string>} words */
const csvRows = ({ grid, alpha, passesOf }, words) => [
  words.csv.split("|"),
  ...grid.flatMap((texts) =>
    servingByK(passesOf(texts), [alpha], texts).map((one) => {
      return [texts, one.K, one.tokens, one.step, one.latency, one.speedup, one.pace, one.thrown];
    }),
  ),
];

const MEASURED_PREFIX = "m";

/** @param {PanelContext} context @returns {PanelView} */
export function load(context) {
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
      controls.replaceChildren(el("div.lab-controls", null, state.form.nodes), el("div.lab-sliders", null, state.sliders));
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
    const lines = loadSentences(load, here, words).map((line, i) => el(i ? "p.lab-note" : "p.lab-sentence", null, line));
    const charts = el("div.lab-pair", null, drawLoads(load, words, chartWidth), drawTrade(load, words, chartWidth));
    picture.replaceChildren(...lines, charts);
    table.replaceChildren(kTable(here, bestServed(here), words));
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

/** What is chosen, and the load that this is.
 * @param {Measured[]} measured from Python @param {Record<string, string>} words
 * @param {Settings} linkSettings @param {() => void} onChange */
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
      const measurement = /** @type {Measured} */ (passes());
      /** @param {number} texts @returns {Passes} */
      const passesOf = (texts) => {
        const at = measurement.batches.indexOf(texts);
        return { target: measurement.target_ms[at], draft: measurement.draft_ms[at] };
      };
      const texts = measurement.batches[Math.min(sliders.texts.value(), measurement.batches.length - 1)];
      return { measured: measurement, passesOf, grid: measurement.batches, texts, alpha: sliders.alpha.value() };
    },
  };
}

/** @typedef {ReturnType<ReturnType<typeof makeState>["load"]>} Load */

// The panel Your pair: two models, a card and what is assumed; what that promises, and what it makes of measurements.

import { linear, steps } from "../../chart/axis.js";
import { chart } from "../../chart/chart.js";
import { band, curve, dots, rule } from "../../chart/marks.js";
import { el, setText } from "../../shared/dom.js";
import { explain } from "../../shared/glossary.js";
import { formatted, milliseconds, number, rounded } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { memoryOf, servingByK, textCapacity } from "../../shared/serving.js";
import { expertsReason } from "../experts.js";
import { makeForm } from "../form.js";
import { addPanel } from "../panels.js";
import { estimateSpeedup } from "./arithmetic.js";
import { assumptionList, checkTable } from "./checks.js";
import { fields, readSetup, runChances } from "./form.js";

/** @import { Hardware, Size } from "../../shared/hardware.js" */
/** @import { PanelContext, PanelView, Words } from "../types.js" */
/** @import { PairSetup } from "./arithmetic.js" */

const HEIGHT_PX = 300;
const NUMBER_PX = 28; // px that a number under the axis takes

/** @param {PanelContext} context @returns {PanelView} */
function pair(context) {
  const { words } = context;
  const picture = el("div.lab-stack", null, el("p.lab-empty", null, words.opening));
  const controls = el("div.lab-controls");
  const checksBox = el("div.lab-stack");
  const run = runChances();
  /** @type {{ hardware: Hardware, form: ReturnType<typeof makeForm> } | null} */
  let loaded = null;
  /** @type {(string | number)[][]} */
  let csvRows = [];

  context.server
    .hardware("")
    .then((text) => {
      const { hardware } = /** @type {{ hardware: Hardware }} */ (JSON.parse(text));
      const form = makeForm(fields(hardware, run, words), context.linkSettings, (values) => {
        context.updateLink(values);
        draw();
      });
      loaded = { hardware, form };
      controls.replaceChildren(...form.nodes);
      draw();
    })
    .catch(() => setText(picture, words.lost));

  function draw() {
    if (!loaded) return;
    const { hardware, form } = loaded;
    const values = form.values();
    form.show((name) => ["parameters", "layers"].includes(name), values.target === "other");
    form.show((name) => ["draft_parameters", "draft_layers"].includes(name), values.draft === "other");
    const { setup, chances, refusal } = readSetup(values, hardware, words);
    context.announce(refusal);
    picture.toggleAttribute("data-stale", Boolean(refusal));
    if (refusal) return;
    const estimate = estimateSpeedup(setup, chances);
    const byK = servingByK(estimate.passes, chances[1], setup.work.texts);
    const { K, speedup, low, high, v } = estimate;
    const sentenceValues = {
      ...{ K, n: K + 1, c: number(estimate.c, 3), source: run?.source },
      ...rounded({ speedup, low, high, one: byK[1].speedup, v }),
      ...formatted({ target: estimate.target_ms, draft: estimate.draft_ms }, milliseconds),
    };
    csvRows = byK.slice(0, 13).map(({ K, speedup }) => {
      const { low, high } = estimateSpeedup({ ...setup, K }, chances);
      return [K, low, speedup, high];
    });
    const usesRun = run !== null && values.alpha === run.text; // of another pair: no result of this one
    const template = !K ? words.promise_none : usesRun ? words.promise_run : words.promise;
    const warnings = memoryWarning(setup, words);
    const bestFor = (/** @type {Size} */ target) => estimateSpeedup({ ...setup, target }, chances);
    const reasons = expertsReason(setup.target, setup.work.texts, bestFor, words);
    const limit = fillText(words[`limit_${estimate.limit}`], sentenceValues);
    const notes = [...reasons, limit, memorySentence(setup, words), ...(usesRun ? [words.from_run] : [])];
    const chart = drawByK(csvRows, K, words, Math.min(context.width(), 760));
    picture.replaceChildren(
      ...warnings.map((line) => el("p.lab-sentence", null, line)),
      el(usesRun || warnings.length ? "p" : "p.lab-sentence", null, fillText(template, sentenceValues)),
      ...notes.map((line) => el("p.lab-note", null, line)),
      el("div.lab-pair", null, chart, assumptionList(setup, values, hardware, words)),
    );
    checksBox.replaceChildren(checkTable(hardware, words));
  }

  return {
    controls,
    picture,
    numbers: [checksBox, el("p.lab-note", null, explain(words.note))],
    draw,
    table: () => (csvRows.length ? [words.csv.split("|"), ...csvRows] : null),
    chart: () => picture.querySelector("svg"),
  };
}

/** What both models take. @param {PairSetup} setup @param {Words} words */
function memorySentence({ target, draft, work: { context }, assumed: { width, draftWidth } }, words) {
  const [targetMemory, draftMemory] = [memoryOf(target, context, width), memoryOf(draft, context, draftWidth)];
  return fillText(words.memory, {
    parameters: draft.parameters,
    width: draftWidth,
    weights: number(draftMemory.weights, 1),
    cache: number(draftMemory.cache, 2),
    context: number(context, 0),
    target_weights: number(targetMemory.weights, 1),
    target_cache: number(targetMemory.cache, 2),
  });
}

/** What the memory does not hold, if so. @param {PairSetup} setup @param {Words} words */
function memoryWarning({ target, draft, card, devices, work, assumed }, words) {
  const where = { card, devices, reach: 1, launch: 0 };
  const maxTexts = textCapacity(target, draft, where, Math.max(1, work.context), assumed.width, assumed.draftWidth);
  if (maxTexts >= work.texts) return [];
  return [fillText(words.full, { devices, card: card.name, holds: number(maxTexts, 0), texts: number(work.texts, 0) })];
}

/**
 * The promised speedup by K, and between what it lies.
 * @param {(string | number)[][]} rows K, low, speedup, high @param {number} best @param {Words} words
 * @param {number} width @returns {SVGSVGElement}
 */
function drawByK(rows, best, words, width) {
  const all = /** @type {number[][]} */ (rows);
  const points = all.map(([K, low, speedup, high]) => {
    const title = `K = ${K}: ${number(speedup, 2)} (${number(low, 2)} – ${number(high, 2)})`;
    return { x: K, y: speedup, low, high, title };
  });
  const others = points.filter(({ x }) => x !== best);
  const spot = points.filter(({ x }) => x === best);
  const series = "target";
  const marks = [
    rule({ y: 1 }),
    band(points, { series, kind: "interval" }),
    curve(points, { series, kind: "strong", name: words.speedup }),
    dots(others, { series }),
    dots(spot, { series, kind: "spot", r: 7 }),
  ];
  const Ks = all.map(([K]) => String(K));
  const plane = {
    frame: { x: 0, y: 0, width, height: HEIGHT_PX },
    margin: { right: 20 },
    title: words.by_K,
    x: steps(Ks, words.K_axis, width / all.length < NUMBER_PX ? 2 : 1),
    y: linear(0, Math.max(1.2, ...points.map(({ high }) => high)), 5, words.speedup),
    marks,
  };
  return chart({ width, planes: [plane] });
}

addPanel("pair", pair);

// Break it: a rule, right or wrong, is drawn from again and again, and what comes is held against the
// distribution that must come.

import { chart, headHeight } from "../../chart/chart.js";
import { el } from "../../shared/dom.js";
import { addPanel } from "../panels.js";
import { barsPlane, distancePlane } from "./bars.js";
import { fields } from "./fields.js";
import { isExact, outcomeTable, sentences } from "./verdict.js";
import { makeClassVote } from "./vote.js";

/** @import { PanelContext, PanelView } from "../types.js" */
/** @import { Trial } from "./trial.js" */
/** @import { Case, Rule } from "./types.js" */

const BATCH = 1000;
const MAX_DRAWS = 1_000_000;
const FRAME_MS = 12; // of drawing between two looks
const TWO_COLUMNS_PX = 820; // px: from here on both pictures stand side by side
const GAP_PX = 36;
const CURVE_PX = 280; // px high
const WRONG_MARK = "// ✗ ";

/** @param {PanelContext} context @returns {PanelView} */
function mistakes(context) {
  const { words } = context;
  const picture = el("div");
  const verdict = el("div.brk-verdict.sv-stack", { role: "status" });
  const numbers = el("div.lab-stack");
  const outcomes = el("div");
  /** @type {Case | null} */
  let testCase = null;
  /** @type {Trial | null} */
  let trial = null;
  let frame = 0;
  let valid = false; // the rule as it is now
  const inputs = fields(context, setCase);
  const classVote = makeClassVote(
    context,
    () => (valid ? inputs.formulas() : inputs.formulas() && ""),
    () => trial !== null && isExact(trial),
    (hidden) => {
      for (const region of [picture, numbers]) region.hidden = hidden;
    },
  );

  /**
   * Something else was chosen. @param {Case | { wrong: string }} nextCase
   * @param {boolean} settled not while a formula is typed
   */
  function setCase(nextCase, settled) {
    stop();
    if (settled) context.updateLink(inputs.settings());
    const nextTrial = "wrong" in nextCase ? nextCase : inputs.makeTrial(nextCase);
    valid = !("wrong" in nextTrial);
    classVote.onRuleChange();
    // without a rule the picture of the last one stays
    const stays = trial !== null && "wrong" in nextTrial && nextTrial !== nextCase;
    context.announce("wrong" in nextTrial ? `${nextTrial.wrong} ${stays ? words.own_last : ""}`.trim() : "");
    for (const region of [picture, numbers]) region.toggleAttribute("data-stale", stays);
    if (stays) return;
    [testCase, trial] = "wrong" in nextCase || "wrong" in nextTrial ? [null, null] : [nextCase, nextTrial];
    for (const region of [picture, verdict, numbers]) region.replaceChildren();
    if (!testCase || !trial) return;
    if (!settled) verdict.setAttribute("aria-busy", "true"); // heard once the field is left
    const open = testCase.names.length > 12 ? null : "";
    const foldedTable = el("details", { open }, el("summary", null, words.all), outcomes);
    numbers.append(el("div.brk-rule", null, codeFigure(trial.rule, words), verdict), foldedTable);
    run();
  }

  function run() {
    if (!trial) return;
    trial.draw(BATCH);
    draw();
  }

  /** On and on, until there are a million or Stop is pressed. */
  function drawToMaximum() {
    stop();
    const [before, start] = [trial?.n ?? 0, performance.now()];
    verdict.setAttribute("aria-busy", "true"); // heard once it is over
    const drawFrame = () => {
      if (!trial || trial.n >= MAX_DRAWS) return stop();
      const until = performance.now() + FRAME_MS;
      while (performance.now() < until && trial.n < MAX_DRAWS) trial.draw(Math.min(BATCH, MAX_DRAWS - trial.n));
      draw();
      const pace = (trial.n - before) / (performance.now() - start);
      context.showProgress(trial.n, MAX_DRAWS, (MAX_DRAWS - trial.n) / pace / 1000);
      frame = requestAnimationFrame(drawFrame);
    };
    drawFrame();
  }

  function stop() {
    cancelAnimationFrame(frame);
    verdict.removeAttribute("aria-busy");
    if (frame) context.showProgress(null);
    frame = 0;
  }

  function draw() {
    if (!testCase || !trial) return;
    picture.replaceChildren(chartOf(testCase, trial, context.width(), words));
    verdict.replaceChildren(...sentences(testCase, trial, words).map((sentence) => el("p", null, sentence)));
    outcomes.replaceChildren(outcomeTable(testCase, trial, words));
  }

  return {
    controls: [inputs.nodes, classVote.root],
    moreButtons: [[words.on, drawToMaximum]],
    picture,
    numbers,
    run,
    stop,
    draw,
    onMount: inputs.loadSource,
    table: () =>
      testCase &&
      trial && [
        [words.outcome, "p", words.column_exact, words.came],
        ...testCase.names.map((name, i) => [name, testCase?.p[i] ?? 0, trial?.exact[i] ?? 0, trial?.counts[i] ?? 0]),
      ],
    chart: () => picture.querySelector("svg"),
  };
}

/**
 * Bars, and beside or under them how the distance fell.
 * @param {Case} testCase @param {Trial} trial @param {number} width @param {Record<string, string>} words
 */
function chartOf(testCase, trial, width, words) {
  const beside = width >= TWO_COLUMNS_PX;
  const leftWidth = beside ? Math.round(0.56 * width) - GAP_PX : width;
  const { rows, ...leftPlane } = barsPlane(testCase, trial, leftWidth, words);
  const leftHeight = headHeight(leftPlane, leftWidth) + rows;
  const curveHeight = beside ? Math.max(CURVE_PX, Math.min(leftHeight, 420)) : CURVE_PX;
  const right = leftWidth + GAP_PX;
  const rightFrame = beside ? { x: right, y: 0, width: width - right } : { x: 0, y: leftHeight + GAP_PX, width };
  const planes = [
    { ...leftPlane, frame: { x: 0, y: 0, width: leftWidth, height: leftHeight } },
    { ...distancePlane(testCase, trial, words), frame: { ...rightFrame, height: curveHeight } },
  ];
  return chart({ width, planes });
}

/**
 * What stands in the page's script has no indentation: it is given back by the brackets.
 * @param {Rule} rule @returns {{ text: string, wrong: string | null }[]}
 */
export function linesOf({ code }) {
  let depth = 0;
  return code
    .toString()
    .split("\n")
    .map((source) => {
      const [text, wrong] = source
        .replace(/\/\*\*.*?\*\/ ?/g, "")
        .trim()
        .split(WRONG_MARK);
      const closing = /^[\])}]/.test(text) ? 1 : 0;
      const line = "  ".repeat(Math.max(0, depth - closing)) + text.trim();
      depth += (text.match(/[{[(]/g) ?? []).length - (text.match(/[}\])]/g) ?? []).length;
      return { text: line, wrong: wrong?.trim() ?? null };
    });
}

/** The code of a rule as it runs, line by line. @param {Rule} rule @param {Record<string, string>} words */
function codeFigure(rule, words) {
  const word = rule.right ? words.costs_line : words.wrong_line;
  const lines = linesOf(rule).map(({ text, wrong }) => {
    const why = wrong === null ? null : el("div.sv-bad.sv-strong", null, `← ${word}: ${wrong}`);
    return el("li", { "data-wrong": wrong === null ? null : "" }, el("code", null, text), why);
  });
  const caption = rule.right === null ? `${words.code} ${words.own_code}` : words.code;
  return el("figure.brk-code", null, el("figcaption", null, caption), el("ol", null, lines));
}

addPanel("mistakes", mistakes);

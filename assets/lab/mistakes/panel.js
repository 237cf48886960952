// The panel Break it: a rule, right or wrong, is drawn from again and again, and what comes is held against the
// distribution that must come. What is chosen (p and q, the rule, the seed) stands in fields, and a link carries it. A rule
// of one's own goes to the phones of a class: exact or biased? Its distribution is hidden until the answer is shown.

import { chart, headHeight } from "../../chart/chart.js";
import { el } from "../../player/dom.js";
import { currentRun } from "../../player/page.js";
import { readPicture } from "../../player/picture.js";
import { fillText, number } from "../../player/words.js";
import { makeRoom, phones, voteBars } from "../../poll/poll.js";
import { choice, labelled, SEED_BOUNDS, seedField, wholeIn, wordsByPrefix } from "../frame.js";
import { errorSentence, FormulaError, MAX_LENGTH, makeEditor, ownRule, PARTS, PRESETS } from "./own.js";
import { RULES } from "./rules.js";
import { example, language, makeTrial, placesOf, recordedSource, typedSource } from "./trial.js";
import { barsPlane, distancePlane, isExact, outcomeTable, sentences } from "./verdict.js";

/** @import { Place, Trial } from "./trial.js" */
/** @import { Case, PanelContext, PanelView, Rule, Settings } from "../types.js" */
/** @import { Votes } from "../../poll/types.js" */
/** @import { PanelKey } from "../../shared/keys.js" */
/** @import { Picture } from "../../shared/types.js" */

const OWN_RULE = "own";
const DEFAULTS = {
  ...{ from: "example", rule: "rejection", seed: "1", p: ".4 .3 .2 .1", q: ".7 .15 .1 .05", at: "" },
  ...PRESETS.rejection,
};
const MAX_TYPED = 200; // characters of p or q

/** @param {PanelContext} context
 * @param {(next: Case | { wrong: string }, settled: boolean) => void} onCase `settled`: not while a formula is typed */
export function fields(context, onCase) {
  const { words, linkSettings: link } = context;
  /** @type {Record<keyof typeof DEFAULTS, string>} */
  const values = { ...DEFAULTS };
  const sources = wordsByPrefix(words, "from_");
  if (Object.hasOwn(sources, link.from ?? "")) values.from = link.from;
  if (link.rule === OWN_RULE || RULES.some(({ key }) => key === link.rule)) values.rule = link.rule;
  if (wholeIn(link.seed, SEED_BOUNDS) !== null) values.seed = link.seed;
  for (const name of /** @type {const} */ (["p", "q"])) if (link[name]) values[name] = link[name].slice(0, MAX_TYPED);
  // a formula that is too long is refused, not cut
  for (const part of PARTS) values[part] = (link[part] ?? values[part]).slice(0, MAX_LENGTH + 1);
  if (/^\d{1,5}$/.test(link.at ?? "")) values.at = link.at;
  /** @type {Place[]} */
  let places = [];
  let latest = 0;
  const update = (settled = true) => onCase(currentCase(), settled);
  const set = (/** @type {keyof typeof DEFAULTS} */ name, /** @type {string} */ value) => {
    values[name] = value;
    update();
  };

  const sourceField = choice(words.from, Object.entries(sources), values.from, (value) => {
    values.from = value;
    values.at = "";
    loadSource();
  });
  const ruleLabel = (/** @type {string} */ mark, /** @type {string} */ key) =>
    `${mark} ${words[/** @type {PanelKey} */ (`rule_${key}`)]}`;
  const ruleKeys = [...RULES.map(({ key }) => key), OWN_RULE];
  const ruleOptions = ruleKeys.map((key) => /** @type {[string, string]} */ ([key, ruleLabel("?", key)]));
  const ruleField = choice(words.rule, ruleOptions, values.rule, (value) => {
    formulaEditor.root.hidden = value !== OWN_RULE;
    set("rule", value);
  });
  const formulaEditor = makeEditor(words, values, update);
  formulaEditor.root.hidden = values.rule !== OWN_RULE;
  const placeField = choice(words.at, [], "", (value) => set("at", value));
  const typedFields = /** @type {const} */ (["p", "q"]).map((name) => {
    const attributes = { inputmode: "decimal", spellcheck: "false", "aria-label": words[`hand_${name}`] };
    const input = el("input.sv-input", { value: values[name], maxlength: MAX_TYPED, ...attributes });
    input.addEventListener("change", () => set(name, input.value));
    return labelled(words[`hand_${name}`], input);
  });
  const onSeed = (/** @type {number} */ seed) => set("seed", String(seed));
  const seed = seedField(words.seed, Number(values.seed), words.seed_bounds, onSeed, context.announce);

  /** What p and q come from may have to be fetched first; whoever chose something else meanwhile is answered that. */
  async function loadSource() {
    const request = ++latest;
    placeField.root.hidden = true;
    for (const field of typedFields) field.hidden = values.from !== "typed";
    if (["example", "zero", "language", "typed"].includes(values.from)) return update();
    context.announce(words.fetching);
    const picture = await runOf(context, values.from).catch(() => null);
    if (request !== latest) return;
    places = placesOf(picture);
    listPlaces();
    update();
  }

  /** The positions of the run, as a list to choose from. */
  function listPlaces() {
    placeField.root.hidden = places.length === 0;
    placeField.select.replaceChildren(
      ...places.map(({ name, bonus, position }, i) => {
        const beta = position?.beta ?? null;
        const sentence = bonus ? words.place_bonus : beta === null ? words.place_unseen : words.place;
        return el("option", { value: i }, fillText(sentence, { n: i + 1, x: name, beta: number(beta, 2) }));
      }),
    );
    if (!places[Number(values.at)] || values.at === "") values.at = String(clearestPlace(places));
    placeField.select.value = values.at;
  }

  /** @returns {Case | { wrong: string }} */
  function currentCase() {
    if (values.from === "language") return language();
    if (values.from === "example" || values.from === "zero") return example(values.from);
    const place = places[Number(values.at)];
    if (values.from !== "typed" && !place) return { wrong: values.from === "run" ? words.run_none : words.run_empty };
    const source = values.from === "typed" ? typedSource(values.p, values.q) : recordedSource(place, words.rest);
    return "wrong" in source ? { wrong: fillText(words[source.wrong], source.values) } : source;
  }

  return {
    nodes: [sourceField.root, placeField.root, typedFields, ruleField.root, seed, formulaEditor.root],
    loadSource,
    hideSource: formulaEditor.hideSource,
    /** Draws by the rule, or why it has no formulas. @param {Case} testCase @returns {Trial | { wrong: string }} */
    makeTrial(testCase) {
      try {
        const rule = RULES.find(({ key }) => key === values.rule) ?? ownRule(values);
        const trial = makeTrial(testCase, rule, Number(values.seed));
        formulaEditor.showError(null);
        const option = ruleField.select.options[ruleKeys.indexOf(rule.key)]; // a class may be asked until the rule is chosen
        if (rule.right !== null) option.textContent = ruleLabel(rule.right ? "✓" : "✗", rule.key);
        return trial;
      } catch (error) {
        if (!(error instanceof FormulaError)) throw error;
        formulaEditor.showError(error);
        return { wrong: errorSentence(error, testCase.tokens, words) };
      }
    },
    /** The formulas of a rule of one's own, a line each; null of any other rule. */
    formulas: () => (values.rule === OWN_RULE ? PARTS.map((part) => values[part]).join("\n") : null),
    /** Only what differs from the first choices. @returns {Settings} */
    settings() {
      const changes = Object.entries(values).filter(([name, value]) => {
        if (name === "p" || name === "q") return values.from === "typed";
        if (values.rule !== OWN_RULE && PARTS.some((part) => part === name)) return false;
        return value !== DEFAULTS[/** @type {keyof typeof DEFAULTS} */ (name)];
      });
      return Object.fromEntries(changes);
    },
  };
}

/** The run that Watch shows, or a recorded one.
 * @param {PanelContext} context @param {string} name @returns {Promise<Picture | null>} */
async function runOf(context, name) {
  if (name === "run") return currentRun.picture;
  const text = await context.server.recorded_run(name);
  return text ? readPicture(text) : null;
}

/** Where p and q differ, and not in all: a position that has something to show. @param {Place[]} places */
function clearestPlace(places) {
  const rank = (/** @type {Place} */ { position, bonus }) =>
    bonus || position?.beta == null || position.q_rest === null ? 9 : Math.abs(position.beta - 0.6);
  return places.reduce((best, place, i) => (rank(place) < rank(places[best]) ? i : best), 0);
}

const [EXACT, BIASED] = [0, 1]; // as specviz/page/lab/panels/mistakes.py orders them

/** @param {PanelContext} context
 * @param {() => string | null} formulas of the rule, a line each; empty where they make none, null of a rule as shipped
 * @param {() => boolean} exact whether it gives p
 * @param {(on: boolean) => void} hide what the rule gives */
function makeClassVote({ server, words }, formulas, exact, hide) {
  const room = makeRoom(server, words);
  const voteList = el("ol.brk-votes.sv-flow");
  const hiddenNote = el("p.lab-note", null, words.class_hidden);
  const about = () => formulas() ?? "";
  const drawVotes = (/** @type {Votes | null} */ votes) => voteList.replaceChildren(...voteBars(votes));
  const answer = () => room.revealAnswer(about(), exact() ? EXACT : BIASED);
  const question = phones(about, room, drawVotes, answer);
  const root = el("details.brk-class", null, el("summary", null, words.teach), question.root, voteList, hiddenNote);

  /** While a rule is asked about, the next one that is typed is hidden too: nobody has voted on it yet. */
  function update() {
    const own = formulas() !== null;
    const poll = room.state?.poll;
    const asking = poll ? poll.about.includes("\n") && (poll.about !== about() || poll.right === null) : !room.state;
    const open = own && room.open !== null && asking;
    root.hidden = !room.here || !own;
    root.open ||= open;
    hiddenNote.hidden = !open;
    hide(open);
  }
  room.addListener(update);
  room.refresh();
  return {
    root,
    /** The rule has changed. */
    onRuleChange() {
      question.move();
      update();
    },
  };
}

const BATCH = 1000;
const MAX_DRAWS = 1_000_000;
const FRAME_MS = 12; // of drawing between two looks
const TWO_COLUMNS_PX = 820; // px: from here on both pictures stand side by side
const GAP_PX = 36;
const CURVE_PX = 280; // px high
const WRONG_MARK = "// ✗ ";

/** @param {PanelContext} context @returns {PanelView} */
export function mistakes(context) {
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
      inputs.hideSource(hidden);
    },
  );

  /** Something else was chosen. @param {Case | { wrong: string }} nextCase
   * @param {boolean} settled not while a formula is typed */
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
    if (!trial || !valid) return;
    trial.draw(BATCH);
    draw();
  }

  /** On and on, until there are a million or Stop is pressed. */
  function drawToMaximum() {
    stop();
    if (!valid) return;
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

/** Bars, and beside or under them how the distance fell.
 * @param {Case} testCase @param {Trial} trial @param {number} width @param {Record<string, string>} words */
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

/** What stands in the page's script has no indentation: it is given back by the brackets.
 * @param {Rule} rule @returns {{ text: string, wrong: string | null }[]} */
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

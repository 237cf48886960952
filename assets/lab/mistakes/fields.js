// What is chosen: p and q, the rule, the seed; as fields, and as a link carries them.

import { readPicture } from "../../picture/replay.js";
import { currentRun } from "../../shared/current_run.js";
import { el } from "../../shared/dom.js";
import { number } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { choice, labelled, SEED_BOUNDS, seedField, wholeIn } from "../form.js";
import { wordsByPrefix } from "../setting.js";
import { errorSentence, makeEditor } from "./editor.js";
import { FormulaError, MAX_LENGTH } from "./expression.js";
import { ownRule, PARTS, PRESETS } from "./own.js";
import { RULES } from "./rules.js";
import { example, language, placesOf, recordedSource, typedSource } from "./sources.js";
import { makeTrial } from "./trial.js";

/** @import { Picture } from "../../shared/types.js" */
/** @import { PanelKey } from "../../shared/keys.js" */
/** @import { PanelContext, Settings } from "../types.js" */
/** @import { Place } from "./sources.js" */
/** @import { Trial } from "./trial.js" */
/** @import { Case } from "./types.js" */

const OWN_RULE = "own";
const DEFAULTS = {
  ...{ from: "example", rule: "rejection", seed: "1", p: ".4 .3 .2 .1", q: ".7 .15 .1 .05", at: "" },
  ...PRESETS.rejection,
};
const MAX_TYPED = 200; // characters of p or q

/**
 * @param {PanelContext} context
 * @param {(next: Case | { wrong: string }, settled: boolean) => void} onCase `settled`: not while a formula is typed
 */
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
  const marked = (/** @type {string} */ mark, /** @type {string} */ key) =>
    `${mark} ${words[/** @type {PanelKey} */ (`rule_${key}`)]}`;
  const ruleKeys = [...RULES.map(({ key }) => key), OWN_RULE];
  const ruleOptions = ruleKeys.map((key) => /** @type {[string, string]} */ ([key, marked("?", key)]));
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
    /** Draws by the rule, or why it has no formulas. @param {Case} testCase @returns {Trial | { wrong: string }} */
    makeTrial(testCase) {
      try {
        const rule = RULES.find(({ key }) => key === values.rule) ?? ownRule(values);
        const trial = makeTrial(testCase, rule, Number(values.seed));
        formulaEditor.showError(null);
        const option = ruleField.select.options[ruleKeys.indexOf(rule.key)]; // a class may be asked until the rule has been run
        if (rule.right !== null) option.textContent = marked(rule.right ? "✓" : "✗", rule.key);
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

/**
 * The run that Watch shows, or a recorded one.
 * @param {PanelContext} context @param {string} name @returns {Promise<Picture | null>}
 */
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

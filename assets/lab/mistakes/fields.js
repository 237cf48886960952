// What is chosen: p and q, the rule, the seed; as fields, and as a link carries them.

import { readPicture } from "../../picture/replay.js";
import { el } from "../../shared/dom.js";
import { number } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { choice, whole, wholeIn } from "../choice.js";
import { editor, errorSentence } from "./editor.js";
import { FormulaError, MOST } from "./expression.js";
import { ownRule, PARTS, PRESETS } from "./own.js";
import { example, language, placesOf, recordedSource, typedSource } from "./sources.js";
import { RULES } from "./table.js";
import { makeTrial } from "./trial.js";

/** @import { Picture } from "../../shared/types.js" */
/** @import { PanelKey } from "../../shared/keys.js" */
/** @import { PanelContext, Settings } from "../types.js" */
/** @import { Place } from "./sources.js" */
/** @import { Trial } from "./trial.js" */
/** @import { Case } from "./types.js" */

const SEEDS = /** @type {[number, number]} */ ([0, 4294967295]);
const OWN = "own";
const FIRST = {
  ...{ from: "example", rule: "rejection", seed: "1", p: ".4 .3 .2 .1", q: ".7 .15 .1 .05", at: "" },
  ...PRESETS.rejection,
};
const LONGEST = 200; // characters of p or q

/**
 * @param {PanelContext} bench
 * @param {(found: Case | { wrong: string }, settled?: boolean) => void} chosen `settled`: not while a formula is typed
 */
export function fields(bench, chosen) {
  const { words, asked } = bench;
  /** @type {Record<keyof typeof FIRST, string>} */
  const now = { ...FIRST };
  const sources = Object.keys(words)
    .filter((key) => key.startsWith("from_"))
    .map((key) => key.slice(5));
  if (sources.includes(asked.from)) now.from = asked.from;
  if (asked.rule === OWN || RULES.some(({ key }) => key === asked.rule)) now.rule = asked.rule;
  if (wholeIn(asked.seed ?? "", SEEDS) !== null) now.seed = asked.seed;
  for (const name of /** @type {const} */ (["p", "q"])) if (asked[name]) now[name] = asked[name].slice(0, LONGEST);
  for (const part of PARTS) now[part] = (asked[part] ?? now[part]).slice(0, MOST + 1); // too long is refused, not cut
  if (/^\d{1,5}$/.test(asked.at ?? "")) now.at = asked.at;
  /** @type {Place[]} */
  let places = [];
  let turn = 0;

  const from = choice(
    words.from,
    sources.map((key) => [key, words[/** @type {PanelKey} */ (`from_${key}`)]]),
    now.from,
    (value) => {
      now.from = value;
      now.at = "";
      begin();
    },
  );
  const named = RULES.map(
    ({ key, right }) =>
      /** @type {[string, string]} */ ([key, `${right ? "✓" : "✗"} ${words[/** @type {PanelKey} */ (`rule_${key}`)]}`]),
  );
  const rule = choice(words.rule, [...named, [OWN, `? ${words.rule_own}`]], now.rule, (value) => {
    now.rule = value;
    own.root.hidden = value !== OWN;
    chosen(found());
  });
  const own = editor(words, now, (settled) => chosen(found(), settled));
  own.root.hidden = now.rule !== OWN;
  const at = choice(words.at, [], "", (value) => {
    now.at = value;
    chosen(found());
  });
  const hands = /** @type {const} */ (["p", "q"]).map((name) => {
    const look = { inputmode: "decimal", spellcheck: "false", "aria-label": words[`hand_${name}`] };
    const input = el("input.sv-input", { value: now[name], maxlength: LONGEST, ...look });
    input.addEventListener("change", () => {
      now[name] = input.value;
      chosen(found());
    });
    return el("label.lab-choice", null, el("span", null, words[`hand_${name}`]), input);
  });
  const seed = whole(
    words.seed,
    Number(now.seed),
    SEEDS,
    (value) => {
      now.seed = String(value);
      chosen(found());
    },
    (bounds) => bench.say(bounds ? fillText(words.seed_bounds, { least: bounds[0], most: number(bounds[1], 0) }) : ""),
  );

  /** What p and q come from may have to be fetched first; whoever chose something else meanwhile is answered that. */
  async function begin() {
    const mine = ++turn;
    at.root.hidden = true;
    for (const hand of hands) hand.hidden = now.from !== "typed";
    if (["example", "zero", "language", "typed"].includes(now.from)) return chosen(found());
    bench.say(words.fetching);
    const picture = await runOf(bench, now.from).catch(() => null);
    if (mine !== turn) return;
    places = placesOf(picture);
    offer();
    chosen(found());
  }

  /** The positions of the run, as a list to choose from. */
  function offer() {
    at.root.hidden = places.length === 0;
    at.select.replaceChildren(
      ...places.map(({ name, bonus, position }, i) => {
        const beta = position?.beta ?? null;
        const said = bonus ? words.place_bonus : beta === null ? words.place_unseen : words.place;
        return el("option", { value: i }, fillText(said, { n: i + 1, x: name, beta: number(beta, 2) }));
      }),
    );
    if (!places[Number(now.at)] || now.at === "") now.at = String(telling(places));
    at.select.value = now.at;
  }

  /** @returns {Case | { wrong: string }} */
  function found() {
    if (now.from === "language") return language();
    if (now.from === "example" || now.from === "zero") return example(now.from);
    const place = places[Number(now.at)];
    if (now.from !== "typed" && !place) return { wrong: now.from === "run" ? words.run_none : words.run_empty };
    const made = now.from === "typed" ? typedSource(now.p, now.q) : recordedSource(place, words.rest);
    return "wrong" in made ? { wrong: fillText(words[made.wrong], made.values) } : made;
  }

  return {
    nodes: [from.root, at.root, hands, rule.root, seed.root, own.root],
    begin,
    /** The rule, drawn from; or why its formulas are none. @param {Case} found @returns {Trial | { wrong: string }} */
    trial(found) {
      try {
        const rule = RULES.find(({ key }) => key === now.rule) ?? ownRule(now);
        const trial = makeTrial(found, rule, Number(now.seed));
        own.mark(null);
        return trial;
      } catch (error) {
        if (!(error instanceof FormulaError)) throw error;
        own.mark(error);
        return { wrong: errorSentence(error, found.tokens, words) };
      }
    },
    /** The formulas of a rule of one's own, a line each; null of any other rule. */
    formulas: () => (now.rule === OWN ? PARTS.map((part) => now[part]).join("\n") : null),
    /** Only what differs from the first choices. @returns {Settings} */
    settings() {
      const kept = Object.entries(now).filter(([name, value]) => {
        if (name === "p" || name === "q") return now.from === "typed";
        if (now.rule !== OWN && PARTS.some((part) => part === name)) return false;
        return value !== FIRST[/** @type {keyof typeof FIRST} */ (name)];
      });
      return Object.fromEntries(kept);
    },
  };
}

/**
 * The run that Watch shows, or a recorded one.
 * @param {PanelContext} bench @param {string} name @returns {Promise<Picture | null>}
 */
async function runOf(bench, name) {
  if (name === "run") return bench.picture();
  const text = await bench.server.recorded_run(name);
  return text ? readPicture(text) : null;
}

/** Where p and q differ, and not in all: a position that has something to show. @param {Place[]} places */
function telling(places) {
  const miss = (/** @type {Place} */ { position, bonus }) =>
    bonus || position?.beta == null || position.q_rest === null ? 9 : Math.abs(position.beta - 0.6);
  return places.reduce((best, place, i) => (miss(place) < miss(places[best]) ? i : best), 0);
}

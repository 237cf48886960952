// What is set before people draft: who does, how tokens are drawn, what the text begins with. A link carries all of it.

import { button } from "../../shared/controls.js";
import { el } from "../../shared/dom.js";
import { fillText } from "../../shared/sentences.js";
import { choice, whole, wholeIn } from "../choice.js";
import { WHO } from "./state.js";

/** @import { Settings } from "../types.js" */
/** @import { State, Who } from "./types.js" */

const TEMPERATURES = ["0", "0.5", "0.8", "1", "1.5"];
/** @type {[number, number]} */
const SEEDS = [0, 2 ** 32 - 1];

/**
 * What a link asks for, each value checked.
 * @param {Settings} asked @param {Record<string, any>} words @returns {State}
 */
export function beginning(asked, words) {
  return {
    who: WHO.find((who) => who === asked.who && words[who]) ?? "alone",
    temperature: Number(TEMPERATURES.includes(asked.temperature) ? asked.temperature : "0.8"),
    seed: wholeIn(asked.seed ?? "", SEEDS) ?? 0,
    prompt: (asked.prompt ?? "").slice(0, words.prompt_most) || words.first,
    text: [],
    turns: [],
    room: null,
    busy: false,
  };
}

/**
 * @param {State} state @param {Record<string, any>} words
 * @param {{ begin(): void, changed(): void, say(sentence: string): void }} act
 */
export function fields(state, words, act) {
  const who = choice(
    words.who,
    WHO.filter((who) => words[who]).map((who) => [who, words[who]]),
    state.who,
    (who) => {
      state.who = /** @type {Who} */ (who);
      act.begin();
    },
  );
  const temperature = choice(
    words.temperature,
    TEMPERATURES.map((t) => [t, t]),
    String(state.temperature),
    (t) => {
      state.temperature = Number(t);
      act.changed();
    },
  );
  const seed = whole(
    words.seed,
    state.seed,
    SEEDS,
    (n) => {
      state.seed = n;
      act.changed();
    },
    (refused) => act.say(refused ? fillText(words.seed_bound, { least: refused[0], most: refused[1] }) : ""),
  );
  const prompt = el("input.sv-input", { maxlength: words.prompt_most, value: state.prompt });
  prompt.addEventListener("change", () => {
    state.prompt = prompt.value.trim() || words.first;
    prompt.value = state.prompt;
    act.begin();
  });
  const begins = el("label.lab-choice.ppl-prompt", null, el("span", null, words.prompt), prompt);
  const nodes = [who.root, temperature.root, seed.root, begins, button(words.again, act.begin)];
  return { who: who.select, nodes };
}

// What is set before people draft: who does, how tokens are drawn, what the text begins with. A link carries all of it.

import { button } from "../../shared/controls.js";
import { el } from "../../shared/dom.js";
import { choice, labelled, SEED_BOUNDS, seedField, wholeIn } from "../form.js";
import { WHO } from "./state.js";

/** @import { Settings } from "../types.js" */
/** @import { State, Who } from "./types.js" */

const TEMPERATURES = ["0", "0.5", "0.8", "1", "1.5"];

/**
 * What a link asks for, each value checked.
 * @param {Settings} linkSettings @param {Record<string, any>} words @returns {State}
 */
export function initialState(linkSettings, words) {
  return {
    who: WHO.find((who) => who === linkSettings.who && words[who]) ?? "alone",
    temperature: Number(TEMPERATURES.includes(linkSettings.temperature) ? linkSettings.temperature : "0.8"),
    seed: wholeIn(linkSettings.seed, SEED_BOUNDS) ?? 0,
    prompt: (linkSettings.prompt ?? "").slice(0, words.prompt_most) || words.first,
    text: [],
    turns: [],
    room: null,
    busy: false,
  };
}

/**
 * @param {State} state @param {Record<string, any>} words
 * @param {{ restart(): void, onSettings(): void, announce(sentence: string): void }} actions
 */
export function fields(state, words, actions) {
  const who = choice(
    words.who,
    WHO.filter((who) => words[who]).map((who) => [who, words[who]]),
    state.who,
    (who) => {
      state.who = /** @type {Who} */ (who);
      actions.restart();
    },
  );
  const temperature = choice(
    words.temperature,
    TEMPERATURES.map((t) => [t, t]),
    String(state.temperature),
    (t) => {
      state.temperature = Number(t);
      actions.onSettings();
    },
  );
  const onSeed = (/** @type {number} */ seed) => {
    state.seed = seed;
    actions.onSettings();
  };
  const seed = seedField(words.seed, state.seed, words.seed_bound, onSeed, actions.announce);
  const prompt = el("input.sv-input", { maxlength: words.prompt_most, value: state.prompt });
  prompt.addEventListener("change", () => {
    state.prompt = prompt.value.trim() || words.first;
    prompt.value = state.prompt;
    actions.restart();
  });
  const promptField = labelled(words.prompt, prompt);
  promptField.classList.add("ppl-prompt");
  const nodes = [who.root, temperature.root, seed, promptField, button(words.again, actions.restart)];
  return { who: who.select, nodes };
}

// Draws the story: what is said, the round as a line of words, both lanes. `move` brings all of it to a moment.

import { el, setText } from "../shared/dom.js";
import { number } from "../shared/numbers.js";
import { fillText, plain } from "../shared/sentences.js";
import { visible } from "../shared/tokens.js";
import { ROLES, wordOf } from "../shared/words.js";
import { buildLane, moveLane } from "../watch/lane.js";
import { flightAt, roleAt, sceneAt } from "./script.js";

/** @import { LaneName, Picture } from "../shared/types.js" */
/** @import { Scene, Story } from "./types.js" */

/** @type {[LaneName, string][]} */
const LANES = [
  ["vanilla", "story_alone"],
  ["speculative", "story_with"],
];
/** @type {[role: string, word: string][]} who wrote a word */
const KEYS = [
  ["accepted", "story_draft"],
  ["corrected", "story_target"],
  ["bonus", "story_extra"],
];
const FLIGHT = 28; // px

/** @param {Story} story @param {Picture} picture @param {boolean} stills a picture a beat, which says the whole beat */
export function makeStage(story, picture, stills) {
  const { words, scenes, look, race, slow, values, question, before } = story;
  const sentence = el("p.sv-story-said", { "aria-live": "polite" });
  const kind = picture.header.draft?.kind;
  const drafter = { who: wordOf(`who_${kind}`), ahead: wordOf(`ahead_${kind}`) };
  const models = ["small", "large"].map((who) =>
    el("span.sv-story-model", { "data-who": who }, fillText(wordOf(`story_${who}`), drafter)),
  );
  const tokens = words.map(({ token: shown }) => {
    const looks = { "data-final": shown.role, "data-glyph": ROLES[shown.role].glyph };
    return el("span.sv-token", looks, visible(shown.text.trim()));
  });
  const context = before.map(({ text }) => el("span.sv-token", { "data-final": "prompt" }, visible(text)));
  const block = words.map(({ token: shown }, i) => (shown.drafted === null ? null : tokens[i]));
  const others = words.map(({ token: shown }, i) => (shown.drafted === null ? tokens[i] : null));
  const line = el("p.sv-story-line", null, context, " ", el("span.sv-story-block", null, block), " ", others);
  const questionNode = question ? el("p.sv-story-question", null, question) : null;
  const lanes = LANES.map(([name, word]) => {
    const view = buildLane(name, picture);
    view.root.querySelector("h3")?.replaceChildren(wordOf(word));
    return view;
  });
  const keys = KEYS.map(([role, word]) => el("span.sv-token", { "data-role": role }, wordOf(word)));
  lanes[1].root.append(el("p.sv-story-keys", null, keys));
  const laneNodes = el("div.sv-lanes", { inert: "" }, ...lanes.map(({ root }) => root));
  const root = el(
    "div.sv-story-stage",
    null,
    sentence,
    el(
      "div.sv-story-scene",
      null,
      el("div", null, el("p.sv-story-models", null, models), questionNode, line),
      laneNodes,
    ),
  );

  /** @param {Scene} scene */
  function sceneText({ key: says }) {
    const key = stills && says !== "first" && !says.startsWith("end") ? "story_round" : `story_${says}`;
    return plain(key, { ...values, ...drafter, speedup: number(values.speedup, 1) });
  }

  return {
    root,
    /** @param {number} t */
    move(t) {
      const scene = sceneAt(scenes, t);
      setText(sentence, sceneText(scene));
      root.dataset.scene = scene.who === "both" ? "race" : "round";
      for (const one of models) one.toggleAttribute("data-on", one.dataset.who === scene.who);
      for (const [i, { at }] of before.entries()) context[i].dataset.role = t >= at ? "prompt" : "";
      for (const [i, word] of words.entries()) {
        const flight = flightAt(word, t);
        const token = tokens[i];
        token.dataset.role = roleAt(word, t);
        token.style.opacity = String(flight);
        token.style.transform = flight < 1 ? `translateY(${-FLIGHT * (1 - flight) ** 2}px)` : "";
      }
      root.toggleAttribute("data-looks", t >= look.from && t < look.to);
      if (t >= race) for (const lane of lanes) moveLane(lane, (t - race) / slow, true);
    },
  };
}

// A run that takes long, while it goes on: its rounds in both lanes as they come. The replay follows when it is done.

import { clip } from "../picture/tokens.js";
import { el } from "../shared/dom.js";
import { visible } from "../shared/tokens.js";
import { ROLES, WORDS, wordOf } from "../shared/words.js";

/** @import { LiveLane, Race, LiveTokens } from "./types.js" */

/** @param {Race} race @param {LiveTokens} lanes */
export function drawLive(race, lanes) {
  race.live ||= begin(race);
  for (const [name, { from, spans }] of Object.entries(lanes)) add(race.live[name], from, spans);
}

/** @param {Race} race */
function begin(race) {
  race.state?.clock.pause();
  const lanes = { vanilla: makeLane("vanilla"), speculative: makeLane("speculative") };
  const heading = el("h2.sv-unseen", null, WORDS.race);
  race.stage.replaceChildren(heading, el("div.sv-lanes", null, lanes.vanilla.root, lanes.speculative.root));
  race.root.dataset.live = "";
  delete race.root.dataset.empty;
  delete race.root.dataset.earlier;
  return lanes;
}

/** @param {string} name @returns {LiveLane} */
function makeLane(name) {
  const text = el("div.sv-text", { role: "group", "aria-label": wordOf(name) });
  const head = el("header.sv-lane-head.sv-flow", null, el("h3", null, wordOf(name)), el("p.sv-note", null, WORDS.live));
  return { root: el("article.sv-lane", { "data-lane": name }, head, text), text, drawn: 0 };
}

/** @param {LiveLane} lane @param {number} from @param {LiveTokens[string]["spans"]} spans */
function add(lane, from, spans) {
  if (from > lane.drawn) lane.text.append(WORDS.none); // more came at once than is told in one line
  for (const [role, text] of spans.slice(Math.max(0, lane.drawn - from))) {
    const gap = /^ (?=\S)/.test(text) ? 1 : 0;
    const looks = { "data-role": role, "data-final": role, "data-glyph": ROLES[role].glyph };
    lane.text.append(text.slice(0, gap), el("span.sv-token", looks, visible(clip(text.slice(gap)))));
    if (role !== "rejected" && role !== "unexamined" && text.includes("\n")) lane.text.append(el("br"));
  }
  lane.drawn = Math.max(lane.drawn, from + spans.length);
  lane.text.scrollTop = lane.text.scrollHeight;
}

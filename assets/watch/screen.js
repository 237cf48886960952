// Draws a picture: both lanes, the player, the caches, the inspector and the numbers; and brings all of it to a moment.

import { el } from "../shared/dom.js";
import { WORDS } from "../shared/words.js";
import { makeCache } from "./cache.js";
import { headline } from "./headline.js";
import { buildLane, moveLane } from "./lane.js";
import { legend } from "./legend.js";
import { drawNumbers } from "./numbers.js";
import { makeBar, moveBar } from "./player.js";
import { keepStop } from "./spans.js";
import { makeSteps } from "./steps.js";

/** @import { LaneName } from "../shared/types.js" */
/** @import { Race, Screen, State } from "./types.js" */

/** @type {LaneName[]} */
const LANES = ["vanilla", "speculative"];

/** @param {Race} race @param {State} state @returns {Screen} */
export function drawScreen(race, { picture, clock, stepped }) {
  const { config } = picture.header;
  const lanes = LANES.map((name) => buildLane(name, picture));
  const bar = makeBar(clock);
  const steps = stepped && makeSteps(clock, stepped, config);
  const cache = stepped && makeCache(stepped);
  const inspector = el("section.sv-inspector");
  const numbers = el("section.sv-numbers");
  const head = headline(picture);
  const caption = el("div.sv-caption", { "aria-live": "polite" });
  if (steps) bar.takes.before(steps.root);
  drawNumbers(numbers, picture);
  race.stage.replaceChildren(
    el("h2.sv-unseen", null, WORDS.race),
    el("p.sv-earlier", null, WORDS.earlier),
    head,
    el("div.sv-lanes", null, ...lanes.map(({ root }) => root)),
    caption,
    bar.root,
    legend(config.K > 0, race.hiding, (hiding) => hide(race, hiding)),
    ...(cache ? [cache.root] : []),
  );
  race.detail.replaceChildren(inspector, numbers);
  delete race.root.dataset.empty;
  delete race.root.dataset.earlier;
  return { lanes, bar, steps, cache, head, caption, inspector, linked: [] };
}

/** @param {Race} race @param {boolean} hiding */
function hide(race, hiding) {
  race.hiding = hiding;
  race.root.toggleAttribute("data-hiding", hiding);
  for (const lane of race.screen?.lanes || []) {
    lane.places = null; // what is hidden takes no room
    keepStop(lane, hiding);
  }
}

/** Bring everything to the moment at which the clock stands. @param {Race} race */
export function paint({ state, screen, timeline, hiding }) {
  if (!state || !screen) return;
  const { clock } = state;
  for (const lane of screen.lanes) moveLane(lane, clock.t, hiding);
  moveBar(screen.bar, clock);
  if (screen.steps) screen.cache?.move(screen.steps.move(clock.t));
  timeline.move(clock.t);
  const over = clock.t >= clock.duration;
  // at the end a lane is read from its top
  if (over && !state.over) for (const lane of screen.lanes) lane.text.scrollTop = 0;
  if (over) delete screen.head.dataset.awaited;
  state.over = over;
}

// The race: a picture arrives, both lanes are drawn, the clock starts, a token is chosen; the timeline in its place on the
// page, and the keys.

import { hasRounds, lanesOf, makeClock, STEPWISE, slowdownFor } from "./clock.js";
import {
  el,
  legend,
  numberWriter,
  query,
  readStored,
  readTabStored,
  roundNumbersInside,
  shape,
  still,
  text,
  whileHere,
  within,
} from "./dom.js";
import { fitLanes, nextVisible, tokenOf } from "./lane.js";
import { listenToMenus, onBarePage, onTabBar } from "./page.js";
import { drawScreen, paintRace } from "./screen.js";
import {
  closeInspection,
  firstQuestion,
  inspectSelection,
  instructiveRound,
  isProjecting,
  laneOf,
  linkRound,
  linkSpan,
  longestDuration,
  makeState,
  seekBeforeRejection,
  selectRound,
  selectToken,
  setProjecting,
  steppedLane,
  stopsOf,
} from "./selection.js";
import { formatted, milliseconds, number, plain, WORDS } from "./words.js";

/** @import { Clock, Guess, Inspection, Lane, LaneName, Picture, Race, Round, Slow } from "../shared/types.js" */
/** @import { TimelineEvents, TimelineView, TokenSpan } from "../shared/types.js" */

// The timeline in its place on the page, and what lies over it: the key to its colours, the hand of the replay, and the
// band of one round.

const WIDTH = 800; // px, where its place has none yet

/** @param {HTMLElement} root @param {TimelineEvents} on @returns {TimelineView} */
export function makeTimeline(root, on) {
  const home = query(root, "#timeline");
  const hand = el("div.sv-hand", { "aria-hidden": "true" });
  const band = el("div.sv-band", { "aria-hidden": "true", hidden: "" });
  const over = el("div.sv-overlay", null, legend(...keyOf()), band, hand);
  /** @type {Picture["lanes"] | null} */
  let lanes = null;
  let longest = 1;
  let width = 0;
  const at = (/** @type {number} */ ms) => `${(100 * ms) / longest}%`;
  home.addEventListener("click", (event) => callOnBar(event, on.choose));
  home.addEventListener("pointerover", (event) => {
    if (!callOnBar(event, on.hover)) on.leave();
  });
  home.addEventListener("pointerleave", on.leave);
  function draw() {
    width = home.clientWidth;
    if (!lanes) return;
    const svg = timelineDrawing(lanes, { ...MARGIN, width: width || WIDTH, height: HEIGHT });
    svg.style.inlineSize = "100%";
    home.replaceChildren(svg, hasRounds(lanes) ? over : "");
  }
  new ResizeObserver(() => {
    if (home.clientWidth && home.clientWidth !== width) draw();
  }).observe(home);
  return {
    draw(next) {
      lanes = next;
      longest = longestDuration({ lanes: next }) || 1e-9;
      band.hidden = true;
      draw();
    },
    move(t) {
      hand.style.left = at(Math.min(t, longest));
    },
    mark(target) {
      const rows = lanes ? lanesOf(lanes) : [];
      const row = rows.findIndex(({ name }) => name === target?.lane);
      band.hidden = row < 0;
      if (!target || row < 0) return;
      band.style.left = at(target.round.start);
      band.style.width = at(target.round.end - target.round.start);
      band.style.top = `${(100 * row) / rows.length}%`;
      band.style.height = `${100 / rows.length}%`;
    },
  };
}

/** @param {Event} event @param {(lane: LaneName, round: number) => void} act */
function callOnBar(event, act) {
  const bar = event.target instanceof Element ? event.target.closest("[data-round]") : null;
  if (!(bar instanceof SVGElement)) return false;
  act(/** @type {LaneName} */ (bar.dataset.lane), Number(bar.dataset.round));
  return true;
}

// The keys of the race. They work on the player and on the bare page, never while something else is typed into or
// pressed.

/** @type {Record<string, number>} */
const ARROWS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/** @type {Record<string, Guess>} */
const GUESSES = { a: "accept", r: "reject" };

/** @param {Race} race @param {KeyboardEvent} event */
function onKey(race, event) {
  if (!race.state || event.ctrlKey || event.metaKey || event.altKey || !race.screen?.bar.root.offsetWidth) return;
  const span = tokenOf(event);
  const isHandled = (span && race.root.contains(span) && tokenKey(race, event, span)) || playerKey(race, event, race.state.clock);
  if (isHandled) event.preventDefault();
}

/** @param {Race} race @param {KeyboardEvent} event @param {TokenSpan} span */
function tokenKey(race, { key, shiftKey }, span) {
  const { screen } = race;
  if (!screen) return false;
  const direction = shiftKey ? 0 : ARROWS[key]; // with Shift: a phase, as anywhere
  if (key === "Escape") screen.bar.play.focus({ preventScroll: true }); // and closes what it closes on the player
  if (key === "Enter" || key === " ") selectToken(race, span.ref, span);
  else if (direction) {
    const next = nextVisible(laneOf(screen, span), span, direction, race.hiding);
    if (next) {
      next.focus();
      selectToken(race, next.ref, next);
    }
  } else return false;
  return true;
}

/** Space, arrows, Home and End; with Shift, as comma and full stop, in a replay that goes step by step or while
 * verdicts are asked for, a step at a time; A and R say what is predicted; P is for a projector. @param {Race} race
 * @param {KeyboardEvent} event @param {Clock} clock */
function playerKey(race, event, clock) {
  const { target, key, shiftKey } = event;
  const inside = target instanceof Node && race.stage.contains(target);
  if (!inside && !onBarePage(event) && !onTabBar(event)) return false;
  const inSelect = within(event, "select");
  const inControl = inSelect || within(event, "button, summary, input[type=checkbox]");
  const fine = shiftKey || race.asking || clock.slow === STEPWISE;
  if (key === " " && !inControl) clock.toggle();
  else if (GUESSES[key] && race.asking) return race.screen?.predict?.giveGuess(GUESSES[key]) ?? false;
  else if (key === "ArrowRight" && !inSelect) clock.step(1, fine);
  else if (key === "ArrowLeft" && !inSelect) clock.step(-1, fine);
  else if (key.toLowerCase() === "p") setProjecting(race, !isProjecting(race));
  else if (key === "Escape" && isProjecting(race)) setProjecting(race, false);
  else if (key === "Escape" && race.inspecting) closeInspection(race);
  else if (key === ".") clock.step(1, true);
  else if (key === ",") clock.step(-1, true);
  else if (key === "Home") {
    clock.pause();
    clock.seek(0);
  } else if (key === "End") {
    clock.pause();
    clock.seek(clock.duration);
  } else return false;
  return true;
}

/** @param {HTMLElement} root @param {Inspection | (() => Promise<Inspection>)} inspection what a chosen token is
 * explained with, or who sends it @returns {Race} */
export function makeRace(root, inspection) {
  const on = {
    hover: (/** @type {any} */ lane, /** @type {number} */ round) => linkRound(race, lane, round),
    leave: () => linkRound(race),
    choose: (/** @type {any} */ lane, /** @type {number} */ round) => selectRound(race, lane, round),
  };
  const stage = query(root, ".sv-race");
  const detail = query(root, ".sv-detail");
  /** @type {Race} */
  const race = {
    root,
    stage,
    detail,
    timeline: makeTimeline(root, on),
    hiding: false,
    struck: readStored("struck") === true,
    asking: false,
    fit() {},
    inspecting: false,
    inspection: typeof inspection === "function" ? null : inspection,
    fetchInspection: async () => (typeof inspection === "function" ? inspection() : inspection),
    inspectionRequest: null,
    slow: null,
    live: null,
    state: null,
    screen: null,
  };
  stage.addEventListener("pointerover", (event) => race.live || linkSpan(race, tokenOf(event)));
  stage.addEventListener("pointerleave", () => linkRound(race));
  stage.addEventListener("click", (event) => {
    const span = race.live ? null : tokenOf(event);
    if (span) selectToken(race, span.ref, span);
  });
  listenToMenus();
  whileHere(root, document, "keydown", (event) => onKey(race, event));
  // the focus on a token links its round
  whileHere(root, document, "focusin", (event) => {
    const span = ownToken(race, event);
    race.screen?.bar.keys.toggleAttribute("data-token", Boolean(span));
    if (span) linkSpan(race, span);
  });
  whileHere(root, document, "focusout", (event) => {
    race.screen?.bar.keys.removeAttribute("data-token");
    if (ownToken(race, event)) linkRound(race);
  });
  race.fit = fitLanes(race);
  if (readTabStored("inspecting")) inspectSelection(race);
  return race;
}

/** A run that nobody has asked for stands before a rejection. @param {Race} race @param {Picture} picture */
export function openRun(race, picture) {
  const round = instructiveRound(steppedLane(picture));
  drawRun(race, picture, round ? STEPWISE : null);
  if (round) seekBeforeRejection(race, round);
  else startReplay(race);
}

/** @param {Race} race @param {Picture} picture @param {boolean} [isNew] it was asked for just now */
export function showRun(race, picture, isNew = false) {
  const focusLost = losesFocus(race.root);
  drawRun(race, picture);
  race.fit();
  if (isNew && race.screen) bringIntoView(query(race.stage, ".sv-lanes"), race.screen.bar.root);
  if (isNew && focusLost) race.screen?.bar.play.focus({ preventScroll: true });
  startReplay(race);
}

/** @param {Race} race @param {Picture} picture @param {Slow | null} [slow] */
function drawRun(race, picture, slow = race.slow) {
  race.state?.clock.pause();
  race.live = null;
  delete race.root.dataset.live;
  const clock = makeClock(longestDuration(picture), () => paintRace(race), stopsOf(picture, race.asking));
  clock.slow = slow ?? slowdownFor(clock.duration);
  race.state = makeState(picture, clock);
  race.screen = drawScreen(race, race.state);
  selectToken(race, race.state.selection);
  clock.seek(0);
}

/** It plays; for whoever wants no motion it stands where it would have come to. @param {Race} race */
function startReplay(race) {
  const clock = race.state?.clock;
  if (!clock) return;
  const question = race.asking && firstQuestion(race.state?.lane ?? null, clock.stops.halts, 0);
  if (question) clock.stopAt(question);
  else if (!still()) clock.play();
  else if (clock.slow !== STEPWISE) clock.seek(clock.duration);
}

/** A run that was asked for should be seen, both lanes and what is pressed, also on a small screen.
 * @param {HTMLElement} lanes @param {HTMLElement} [bar] */
export function bringIntoView(lanes, bar = lanes) {
  const [{ top }, { bottom }] = [lanes, bar].map((part) => part.getBoundingClientRect());
  if (top >= 0 && bottom <= innerHeight) return;
  lanes.scrollIntoView({ block: "start", behavior: still() ? "auto" : "smooth" });
}

/** @param {Race} race @param {Event} event */
function ownToken({ root }, event) {
  const span = tokenOf(event);
  return span && root.contains(span) ? span : null;
}

/** Whether a new run takes the focus from what is about to go, or to be disabled. @param {HTMLElement} root */
function losesFocus(root) {
  const { activeElement } = document;
  return activeElement === document.body || activeElement?.id === "stop" || root.contains(activeElement);
}

// The timeline of a run: both lanes on one axis of milliseconds, and what each round spent on drafting, on the target's pass
// and on the rest. The same drawing stands on the page and in a file.

/** @typedef {Picture["lanes"]} Lanes */

const PARTS = /** @type {const} */ (["draft", "verify", "rest"]);

/** A colour and a word for each part of a round. @returns {[series: string, word: string][]} */
export const keyOf = () => PARTS.map((part) => [part, WORDS[`timeline_${part}`]]);

/** What is heard of it: of each lane, what its parts took together. @param {Lanes} lanes */
function timelineText(lanes) {
  const sentences = lanesOf(lanes).map(({ name, rounds }) => {
    const sums = { draft: 0, verify: 0, rest: 0 };
    for (const { part, from, to } of rounds.flatMap(barsOf)) sums[part] += to - from;
    return plain("timeline_lane", { lane: WORDS[name], ...formatted(sums, milliseconds) });
  });
  return [`${WORDS.timeline_label}.`, ...sentences].join(" ");
}

/** What of a round took time, and when. @param {Round} round */
function barsOf(round) {
  const moments = [round.start, round.drafted_at, round.verified_at, round.end];
  return PARTS.map((part, i) => ({ part, from: moments[i], to: moments[i + 1] })).filter(({ from, to }) => to > from);
}

/** @typedef {{ left: number, right: number, top: number, bottom: number }} Edges */

const MARGIN = { left: 124, right: 12, top: 30, bottom: 40 }; // px, as in player/screen.css
const HEIGHT = 190; // px
const BAR_SHARE = 0.65; // of a lane's height
const TICK_GAP = 110; // px from one tick to the next, about
const TICK = { kind: "tick" };

/** A sentence where no round was decoded. @param {Lanes} lanes @param {typeof MARGIN & { width: number, height: number }} size */
export function timelineDrawing(lanes, { width, height, ...margin }) {
  if (!hasRounds(lanes)) {
    const line = text(0, margin.top, WORDS.timeline_none);
    return shape("svg", { class: "sv-chart", viewBox: `0 0 ${width} ${margin.top + 10}`, role: "group" }, line);
  }
  const edges = { ...margin, right: width - margin.right, bottom: height - margin.bottom };
  const { left, right, top, bottom } = edges;
  const rows = lanesOf(lanes);
  const longest = longestDuration({ lanes }) || 1e-9;
  const place = (/** @type {number} */ ms) => left + ((right - left) * ms) / longest;
  const ticks = roundNumbersInside(0, longest, Math.max(2, width / TICK_GAP));
  const write = numberWriter(ticks);
  const box = { class: "sv-chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": timelineText(lanes) };
  return shape(
    "svg",
    box,
    ticks.map((ms) => shape("line", { class: "sv-chart-grid", x1: place(ms), x2: place(ms), y1: top, y2: bottom })),
    ticks.map((ms) => text(place(ms), bottom + 16, write(ms), "middle", TICK)),
    text(right, height - 6, `${WORDS.timeline_unit} →`, "end", TICK),
    rows.map(({ name }, i) => text(left - 8, top + ((bottom - top) * (i + 0.5)) / rows.length + 5, WORDS[name], "end")),
    // a pixel of the rest, which may take less, stands over the end of its own pass: it shows where a round ends
    keyOf().flatMap(([series]) => rows.flatMap((lane, i) => bars(lane, series, place, rowOf(i, rows.length, edges)))),
  );
}

/** Where the bars of a row stand. @param {number} i @param {number} rows @param {Edges} edges */
function rowOf(i, rows, { top, bottom }) {
  const high = (bottom - top) / rows;
  return { y: top + high * (i + (1 - BAR_SHARE) / 2), height: high * BAR_SHARE };
}

/** @param {Lane} lane @param {string} series @param {(ms: number) => number} place
 * @param {{ y: number, height: number }} row */
function bars({ name, rounds }, series, place, row) {
  return rounds.flatMap((round, i) =>
    barsOf(round)
      .filter(({ part }) => part === series)
      .map(({ part, from, to }) => {
        const title = plain("timeline_bar", {
          round: i + 1,
          part: WORDS[`timeline_${part}`],
          ms: number(to - from, 2),
        });
        const about = { class: "sv-chart-area", "data-series": series, "data-lane": name, "data-round": i };
        const width = Math.max(1, place(to) - place(from));
        const size = { x: part === "rest" ? place(to) - width : place(from), width, ...row };
        return shape("rect", { ...about, ...size }, shape("title", {}, title));
      }),
  );
}

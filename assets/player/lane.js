// One lane: its name and rate, its text, its counters. Each token is a span that is made once, at its final place and unseen;
// moveLane brings the lane to any moment by the least number of changes of how they look. A long text scrolls inside its
// lane, after what happens in it: whole lines, the one that is at work among them.

import { upTo } from "./clock.js";
import { button, el, SPECIAL, setText, speechText, visible, whileHere } from "./dom.js";
import { explainWord } from "./page.js";
import { number, phrase, plain, ROLES, roleWord, WORDS, wordOf } from "./words.js";

/** @import { Change, Header, Lane, LaneName, LaneSchedule, LaneView, Look, Picture } from "../shared/types.js" */
/** @import { Places, PromptToken, Race, Round, TextSpan, TokenRef, TokenSpan } from "../shared/types.js" */

// Easy and hard tokens: how sure the target was at each place of the text, by the entropy of p there; at temperature 0
// by that of its logits.

/** @typedef {"hard_note" | "hard_logits" | "hard_greedy"} HardnessNote */

const LEVELS = [0.1, 0.5, 1, 2]; // nats, where the next level begins

/** The entropies of p (at temperature 0 of the logits) and q where a token stands, in nats; null where they were not
 * recorded, as of a token that was not examined. @param {Pick<Round, "drafted" | "emitted">} round
 * @param {Pick<TextSpan, "drafted" | "emitted" | "role">} shown */
export function entropiesAt(round, { drafted, emitted, role }) {
  const guess = drafted === null ? null : round.drafted[drafted];
  // a corrected token stands where a guess was rejected; of a tree that p lacks what the siblings took
  const rejected = role === "corrected" ? round.drafted.find((one) => one.verdict === "rejected" && !one.rank) : null;
  const position = guess?.position ?? (emitted === null ? null : round.emitted[emitted].position) ?? rejected?.position;
  return { p: position?.logits_entropy ?? position?.p_entropy ?? null, q: position?.q_entropy ?? null };
}

/** From 0, where the target was almost certain, to 4. @param {number} entropy */
export const levelOf = (entropy) => LEVELS.filter((from) => entropy >= from).length;

/** Which sentence says what is shaded, if anything is. @param {Picture} picture @returns {HardnessNote} */
export function hardnessNote({ header: { config }, lanes }) {
  if (!config.greedy) return "hard_note";
  const rounds = Object.values(lanes).flatMap((lane) => lane?.rounds ?? []);
  const hasLogits = rounds.some(({ emitted, drafted }) =>
    [...drafted, ...emitted].some(({ position }) => (position?.logits_entropy ?? null) !== null),
  );
  return hasLogits ? "hard_logits" : "hard_greedy";
}

/** The list of the levels. */
export function shades() {
  const levels = [...LEVELS, null].map((_, level) =>
    el(
      "li",
      null,
      el("span.sv-token", { "data-hard": level, "aria-hidden": "true" }, String(level)),
      " ",
      wordOf(`hard_${level}`),
    ),
  );
  return el("ul.sv-flow", null, levels);
}

/** @param {LaneView} view @param {Round} round @param {number} index */
function addRound(view, round, index) {
  view.byRound[index] = round.shown.map((token) => {
    const { text, kind, drafted, emitted } = token;
    const firstRole = drafted === null ? token.role : "drafted";
    const label = plain("token_label", { text: speechText(text), word: ROLES[firstRole].word, round: round.index + 1 });
    const ref = { lane: view.name, round: index, drafted, emitted };
    const span = makeSpan(view, { text, kind, label, lost: emitted === null, ref }, view.text);
    if (drafted !== null && round.drafted[drafted].void) span.dataset.void = WORDS.void_sign;
    const { p } = entropiesAt(round, token);
    if (p !== null) span.dataset.hard = String(levelOf(p));
    Object.assign(span.dataset, { glyph: ROLES[token.role].glyph, role: "", final: token.role });
    span.labelValues = { text: speechText(text), round: round.index + 1 };
    if (emitted !== null) addLineBreaks(view.text, text);
    return span;
  });
}

/** The space that begins a word stands before its span, so that words look like words; a token of nothing but spaces
 * keeps them. What did not stay in the text (`lost`) can be hidden, its space with it. @param {LaneView} view
 * @param {{ text: string, kind: string, label: string, lost: boolean, ref: TokenRef }} token
 * @param {HTMLElement} into @returns {TokenSpan} */
function makeSpan(view, { text, kind, label, lost, ref }, into) {
  const gap = /^ (?=\S)/.test(text) ? 1 : 0;
  const attributes = { role: "button", tabindex: -1, "aria-label": label, "aria-pressed": "false" };
  const looks = { ...attributes, "data-kind": SPECIAL.test(text) ? "special" : kind };
  const span = Object.assign(el("span.sv-token", looks, visible(text.slice(gap))), {
    at: view.spans.length,
    lost,
    ref,
    labelValues: null,
  });
  view.spans.push(span);
  if (lost) into.append(el("span.sv-lost", null, text.slice(0, gap), span));
  else into.append(text.slice(0, gap), span);
  return span;
}

/** @param {HTMLElement} into @param {string} text */
function addLineBreaks(into, text) {
  for (const _ of text.match(/\n/g) || []) into.append(document.createElement("br"));
}

/** While the target's pass checks a block, its tokens are still drafts: lit all at once, none of them decided. What is
 * read aloud is what is seen. @param {TokenSpan} span @param {Look} look */
function setLook(span, look) {
  const role = look === "verified" ? "drafted" : look;
  span.dataset.role = role;
  if (role && span.labelValues)
    span.setAttribute("aria-label", plain("token_label", { ...span.labelValues, word: roleWord(role, "void" in span.dataset) }));
  if (look === "verified") span.dataset.phase = "verify";
  else delete span.dataset.phase;
}

/** @param {TokenSpan} span @param {boolean} hiding what did not stay is hidden */
export const isVisible = (span, hiding) => span.dataset.role !== "" && !(span.lost && hiding) && !span.closest("[hidden]");

/** The nearest token that can be seen, from `span` on in one direction. @param {LaneView} view @param {TokenSpan} span
 * @param {number} way @param {boolean} hiding @returns {TokenSpan | undefined} */
export function nextVisible(view, span, way, hiding) {
  let at = span.at + way;
  while (view.spans[at] && !isVisible(view.spans[at], hiding)) at += way;
  return view.spans[at];
}

/** One stop of the Tab key a lane; arrows go on from there (WAI-ARIA, roving tabindex). @param {LaneView} view
 * @param {TokenSpan} span */
export function setTabStop(view, span) {
  if (view.tabStop) view.tabStop.tabIndex = -1;
  view.tabStop = span;
  span.tabIndex = 0;
}

/** A token that is no longer shown can be no stop, and hands over the focus if it has it. @param {LaneView} view
 * @param {boolean} hiding */
export function moveTabStop(view, hiding) {
  const { tabStop: stop } = view;
  if (!stop || isVisible(stop, hiding)) return;
  const next = nextVisible(view, stop, -1, hiding) || nextVisible(view, stop, 1, hiding);
  if (!next) return;
  const hadFocus = document.activeElement === stop;
  setTabStop(view, next);
  if (hadFocus) next.focus({ preventScroll: true });
}

/** The token that an event happened to. @param {Event} event @returns {TokenSpan | null} */
export function tokenOf(event) {
  const element = event.target instanceof Element ? event.target.closest(".sv-text .sv-token") : null;
  return /** @type {TokenSpan | null} */ (element);
}

const WIDE = 1060; // px, from which on lanes stand beside each other and the inspector in the place of one
const LEAST = 240; // px of both lanes
const MARGIN = 8; // px under the signs

/** On a wide screen lanes, player, sentence and signs take one screen together, whatever stands above them; where the
 * style sheets want to know how high the lanes then are, and where they begin. @param {Race} race */
export function fitLanes(race) {
  const { root, stage } = race;
  const fit = () => {
    if (!root.isConnected) return observer.disconnect();
    const alone = document.body.matches("[data-figure], [data-sv-projector]");
    root.toggleAttribute("data-fits", root.offsetWidth >= WIDE && !alone);
    const lanes = /** @type {HTMLElement | null} */ (stage.querySelector(".sv-lanes"));
    const signs = race.screen?.signs.firstElementChild;
    if (!lanes?.offsetHeight || !signs?.isConnected) return; // of a live run they stay as high as they were
    const { top, bottom } = lanes.getBoundingClientRect();
    const below = signs.getBoundingClientRect().bottom - bottom;
    const height = Math.max(LEAST, Math.floor(innerHeight - (top + scrollY) - below - MARGIN));
    root.style.setProperty("--sv-lanes-height", `${height}px`);
    root.style.setProperty("--sv-lanes-top", `${lanes.offsetTop}px`);
  };
  const observer = new ResizeObserver(fit);
  for (const each of [document.body, root, stage]) observer.observe(each);
  whileHere(root, window, "resize", fit);
  return fit;
}

/** A line stays free below the one at work, for the rest of its block. Spans never move, so their places are read once;
 * read while it plays, each would cost a layout. @param {LaneView} view @param {TokenSpan} span */
export function scrollToSpan(view, span) {
  view.scrollTarget = span;
  view.places ||= measureLines(view);
  const { places } = view;
  if (!places.long) return;
  const row = Math.floor((places.tops[span.at] + places.line / 2) / places.line);
  const top = places.line * Math.max(0, row - Math.max(0, places.rows - 2));
  if (top === places.scrollTop || Math.abs((places.scrollTop ?? view.text.scrollTop) - top) <= 8) return;
  view.text.scrollTop = top;
  places.scrollTop = top;
}

/** What was written is read from its first line, below as much of the prompt as finds room. @param {LaneView} view */
export function scrollToStart(view) {
  const first = view.byRound[0]?.[0];
  if (first) scrollToSpan(view, first);
}

/** @param {LaneView} view @returns {Places} */
function measureLines({ text, spans }) {
  const { scrollHeight, clientHeight } = text;
  if (scrollHeight <= clientHeight + 4) return { long: false, rows: 0, line: 0, tops: [] };
  const line = Number.parseFloat(getComputedStyle(text).lineHeight);
  const rows = Math.floor(clientHeight / line + 0.1);
  let top = 0;
  const tops = spans.map((span) => {
    if (span.offsetParent) top = span.offsetTop; // one that is not drawn stands where the one before it does
    return top;
  });
  return { long: true, rows, line, tops };
}

/** @param {LaneView} view */
function watchScroll(view) {
  const onScroll = () => {
    if (view.places) view.places.scrollTop = undefined;
  };
  view.text.addEventListener("scroll", onScroll, { passive: true });
  // at another size, as on a projector, other lines are in sight
  new ResizeObserver(() => {
    view.places = null;
    const { clientHeight, style } = view.text;
    if (!clientHeight) return; // in a tab that is not shown
    const overhang = clientHeight % Number.parseFloat(getComputedStyle(view.text).lineHeight);
    style.clipPath = overhang > 1 ? `inset(0 0 ${overhang}px)` : ""; // no line is cut
    style.paddingBottom = overhang > 1 ? `${overhang}px` : ""; // nor the last one
    if (view.scrollTarget) scrollToSpan(view, view.scrollTarget);
  }).observe(view.text);
}

// A chat template writes tokens around what somebody says, and many a model begins each text with one. They stand
// folded: they are always the same.

/** Which of the prompt's tokens are what somebody said: from the first number up to the second. Where no template wrote
 * any, all but a control token that begins the text. @param {PromptToken[]} prompt
 * @param {Pick<Header, "prompt" | "chat">} header @returns {[number, number]} */
export function userTokens(prompt, header) {
  const message = header.prompt.trim();
  if (!header.chat || !message) return [prompt.length > 1 && SPECIAL.test(prompt[0].shown) ? 1 : 0, prompt.length];
  const ends = [];
  let text = "";
  for (const { shown, kind } of prompt) {
    text += kind === "bytes" ? "" : shown; // the token that completes a character shows all of it
    ends.push(text.length);
  }
  const places = [];
  for (let at = text.indexOf(message); at >= 0; at = text.indexOf(message, at + 1)) places.push(at);
  // the template's own words may hold it too: after what is said a control token follows
  const start = places.findLast((at) => /^\s*(<[|/]|\[\/|<end)/.test(text.slice(at + message.length))) ?? places.at(-1);
  if (start === undefined) return [0, prompt.length];
  const from = ends.findIndex((end) => end > start);
  return [from, ends.findIndex((end) => end >= start + message.length) + 1];
}

/** Where tokens of a template go: a button, and what it unfolds. Nothing where there are none. @param {number} count
 * @param {() => void} onToggle @returns {{ nodes: Node[], inside: HTMLElement } | null} */
function templateFold(count, onToggle) {
  if (!count) return null;
  const inside = el("span.sv-folded", { hidden: "" });
  const act = () => {
    inside.hidden = !inside.hidden;
    open.setAttribute("aria-expanded", String(!inside.hidden));
    onToggle();
  };
  const open = button(plain(count === 1 ? "template_one" : "template", { n: count }), act, {
    class: "sv-fold",
    "aria-expanded": "false",
  });
  return { nodes: [open, inside], inside };
}

const EARLY_SHARE = 0.2; // of a lane

/** @param {LaneName} name @param {Picture} picture @returns {LaneView} */
export function buildLane(name, picture) {
  const data = picture.lanes[name];
  const view = emptyLane(name, data, name === "vanilla" ? phrase("vanilla_note") : drafterNote(picture.header));
  if (picture.comparison?.clock === null) {
    view.rate.parentElement?.remove();
    view.clock.remove();
  }
  if (picture.comparison?.clock === "processor") view.rate.parentElement?.append(" ", ...explainWord("rate_processor"));
  if (!data) {
    view.text.append(el("p.sv-note", null, WORDS.never_began));
    return view;
  }
  addWholePrompt(view, data, picture.header);
  for (const [index, round] of data.rounds.entries()) addRound(view, round, index);
  const first = view.spans.find((span) => !span.closest("[hidden]")) ?? view.spans[0];
  if (first) setTabStop(view, first);
  watchScroll(view);
  return view;
}

/** The prompt; what its chat template wrote before and after it stands folded. @param {LaneView} view
 * @param {Lane} data @param {Header} header */
function addWholePrompt(view, { prompt }, header) {
  const [from, to] = userTokens(prompt, header);
  const onToggle = () => {
    view.places = null;
    moveTabStop(view, false);
  };
  const folds = [templateFold(from, onToggle), null, templateFold(prompt.length - to, onToggle)];
  for (const [index, token] of prompt.entries()) {
    const part = folds[index < from ? 0 : index < to ? 1 : 2];
    if (part && !part.inside.parentElement) view.text.append(...part.nodes);
    const into = part ? part.inside : view.text;
    const label = plain("prompt_label", { text: speechText(token.shown) });
    const ref = { lane: view.name, prompt: index, drafted: null, emitted: null };
    const span = makeSpan(view, { text: token.shown, kind: token.kind, label, lost: false, ref }, into);
    span.dataset.role = "prompt";
    span.dataset.final = "prompt";
    addLineBreaks(into, token.shown);
  }
  if (to < prompt.length) view.text.append(el("br"));
}

/** `next`: how many of its changes are drawn; `tabStop`: where the Tab key enters it. @param {LaneName} name
 * @param {Lane | null} data @param {Node[]} note */
export function emptyLane(name, data, note) {
  const text = el("div.sv-text", { role: "group", "aria-label": WORDS[name] });
  const counter = el("span.sv-counter");
  const clock = el("span.sv-clock");
  const rate = el("strong", null, WORDS.none);
  const ending = el("span.sv-done");
  const meter = el("div.sv-meter-fill");
  const head = el(
    "header.sv-lane-head.sv-flow",
    null,
    el("h3", null, WORDS[name]),
    el("p.sv-rate", null, rate, " ", WORDS.rate),
    el("p.sv-note", null, note),
  );
  const root = el(
    "article.sv-lane",
    { "data-lane": name, "data-reason": data?.stopped?.reason },
    head,
    el("div.sv-meter", null, meter),
    text,
    el("footer.sv-lane-foot", null, counter, ending, clock),
  );
  return {
    ...{ name, data, next: 0, root, text, counter, clock, rate, ending, meter },
    schedule: data ? scheduleOf(data) : /** @type {LaneSchedule} */ ({ changes: [], tokensAt: [], passesAt: [] }),
    spans: /** @type {TokenSpan[]} */ ([]),
    byRound: /** @type {TokenSpan[][]} */ ([]),
    places: /** @type {Places | null} */ (null),
    tabStop: /** @type {TokenSpan | null} */ (null),
    scrollTarget: /** @type {TokenSpan | null} */ (null),
  };
}

/** How the blocks of this run were made, in words that fit the drafter. @param {Header} header */
function drafterNote({ draft, config }) {
  if (!draft || !config.K) return phrase("note_zero");
  const single = draft.most === 1;
  const tree = config.tree && config.tree !== "off";
  const key = single ? "block_one" : tree ? "block_tree" : draft.fewer ? "block_most" : "block";
  const block = plain(key, { K: draft.most, n: draft.most });
  return phrase(`note_${draft.kind}`, { draft: draft.name, block, check: single ? WORDS.check_one : WORDS.check });
}

/** Bring a lane to time t, either way. @param {LaneView} view @param {number} t @param {boolean} hiding */
export function moveLane(view, t, hiding) {
  const { data, schedule, spans } = view;
  if (!data) return;
  const { changes } = schedule;
  /** @type {TokenSpan | null} */
  let latest = null;
  while (view.next < changes.length && changes[view.next].at <= t) {
    const { token, to } = changes[view.next++];
    latest = spans[token];
    setLook(latest, to);
  }
  while (view.next > 0 && changes[view.next - 1].at > t) {
    const { token, from } = changes[--view.next];
    latest = spans[token];
    setLook(latest, from);
  }
  if (latest) {
    scrollToSpan(view, latest);
    moveTabStop(view, hiding);
  }
  updateLane(view, data, t);
}

/** @param {LaneView} view @param {Lane} data @param {number} t */
function updateLane(view, data, t) {
  const now = Math.min(t, data.duration);
  const over = t >= data.duration;
  const tokens = upTo(view.schedule.tokensAt, t, (at) => at);
  const rounds = upTo(view.schedule.passesAt, t, ([at]) => at);
  setText(view.counter, plain("counter", { tokens, passes: rounds ? view.schedule.passesAt[rounds - 1][1] : 0 }));
  setText(view.clock, plain("clock", { now: number(now, 0), whole: number(data.duration, 0) }));
  // While it plays: tokens shown by time shown. At its end that is the measured rate, at its beginning it would jump.
  const rate = over ? data.numbers.tokens_per_second : now > EARLY_SHARE * data.duration ? (1000 * tokens) / now : null;
  setText(view.rate, number(rate, (rate ?? 0) < 100 ? 1 : 0));
  const { stopped } = data;
  setText(view.ending, over && stopped ? plain(`ended_${stopped.reason}`, { detail: stopped.detail }) : "");
  view.meter.style.transform = `scaleX(${data.duration ? now / data.duration : 1})`;
  view.root.classList.toggle("sv-over", over);
}

/** A draft token is drafted, then verified with its whole block, then gets its role; what follows a block comes with
 * its role. Tokens are counted through the lane's text, the prompt's first. @param {Lane} lane @returns {LaneSchedule}
 */
function scheduleOf(lane) {
  /** @type {LaneSchedule} */
  const schedule = { changes: [], tokensAt: [], passesAt: [] };
  let token = lane.prompt.length;
  for (const round of lane.rounds) {
    // where nothing is verified, a pass is seen by its token
    schedule.passesAt.push([round[round.drafted.length ? "verified_at" : "decided_at"], round.target_forwards]);
    for (const entry of round.shown) {
      if (entry.drafted === null) schedule.changes.push({ at: entry.at, token, from: "", to: entry.role });
      else {
        /** @type {Change[]} */
        const steps = [
          { at: entry.at, token, from: "", to: "drafted" },
          { at: round.drafted_at, token, from: "drafted", to: "verified" },
          { at: entry.decided, token, from: "verified", to: entry.role },
        ];
        schedule.changes.push(...steps);
      }
      if (entry.emitted !== null) schedule.tokensAt.push(entry.decided);
      token += 1;
    }
  }
  schedule.changes.sort((a, b) => a.at - b.at);
  schedule.tokensAt.sort((a, b) => a - b);
  return schedule;
}

// One lane: its name and rate, its text, its counters. moveLane brings it to any moment by the least number of changes.

import { upTo } from "../shared/clock.js";
import { el, setText } from "../shared/dom.js";
import { number } from "../shared/numbers.js";
import { phrase, plain } from "../shared/sentences.js";
import { WORDS } from "../shared/words.js";
import { scrollToSpan, watchScroll } from "./scroll.js";
import { addPromptToken, addRound, moveTabStop, setLook, setTabStop } from "./spans.js";
import { templateFold, userTokens } from "./template.js";

/** @import { Header, Lane, LaneName, Picture } from "../shared/types.js" */
/** @import { LaneView, Places, LaneSchedule, TokenSpan, Change } from "./types.js" */

const EARLY_SHARE = 0.2; // of a lane

/** @param {LaneName} name @param {Picture} picture @returns {LaneView} */
export function buildLane(name, picture) {
  const data = picture.lanes[name];
  const view = emptyLane(name, data, name === "vanilla" ? phrase("vanilla_note") : drafterNote(picture.header));
  if (picture.comparison?.clock === null) {
    view.rate.parentElement?.remove();
    view.clock.remove();
  }
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

/**
 * The prompt; what its chat template wrote before and after it stands folded.
 * @param {LaneView} view @param {Lane} data @param {Header} header
 */
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
    addPromptToken(view, token, index, part ? part.inside : view.text);
  }
  if (to < prompt.length) view.text.append(el("br"));
}

/**
 * `next`: how many of its changes are drawn; `tabStop`: where the Tab key enters it.
 * @param {LaneName} name @param {Lane | null} data @param {Node[]} note
 */
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

/**
 * A draft token is drafted, then verified with its whole block, then gets its role; what follows a block comes with its
 * role. Tokens are counted through the lane's text, the prompt's first.
 * @param {Lane} lane @returns {LaneSchedule}
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

// One lane: its name and rate, its text, its counters. moveLane brings it to any moment by the least number of changes.

import { upTo } from "../shared/beats.js";
import { el, setText } from "../shared/dom.js";
import { number } from "../shared/numbers.js";
import { plain, say } from "../shared/sentences.js";
import { WORDS } from "../shared/words.js";
import { scoreOf } from "./score.js";
import { follow, watchScroll } from "./scroll.js";
import { addPrompt, addRound, keepStop, rove, setLook } from "./spans.js";
import { fold, saidTokens } from "./template.js";

/** @import { Header, Lane, LaneName, Picture } from "../shared/types.js" */
/** @import { LaneView, Places, Score, TokenSpan } from "./types.js" */

const EARLY = 0.2; // of a lane

/** @param {LaneName} name @param {Picture} picture @returns {LaneView} */
export function buildLane(name, picture) {
  const data = picture.lanes[name];
  const view = emptyLane(name, data, name === "vanilla" ? say("vanilla_note") : drafterNote(picture.header));
  if (picture.comparison?.kind === "disturbed") {
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
  if (first) rove(view, first);
  watchScroll(view);
  return view;
}

/**
 * The prompt; what its chat template wrote before and after it stands folded.
 * @param {LaneView} view @param {Lane} data @param {Header} header
 */
function addWholePrompt(view, { prompt }, header) {
  const [from, to] = saidTokens(prompt, header);
  const changed = () => {
    view.places = null;
    keepStop(view, false);
  };
  const folds = [fold(from, changed), null, fold(prompt.length - to, changed)];
  for (const [index, token] of prompt.entries()) {
    const part = folds[index < from ? 0 : index < to ? 1 : 2];
    if (part && !part.inside.parentElement) view.text.append(...part.nodes);
    addPrompt(view, token, index, part ? part.inside : view.text);
  }
  if (to < prompt.length) view.text.append(el("br"));
}

/**
 * `next`: how many of its changes are drawn; `stop`: where the Tab key enters it.
 * @param {LaneName} name @param {Lane | null} data @param {Node[]} note
 */
export function emptyLane(name, data, note) {
  const text = el("div.sv-text", { role: "group", "aria-label": WORDS[name] });
  const counter = el("span.sv-counter");
  const clock = el("span.sv-clock");
  const rate = el("strong", null, WORDS.none);
  const done = el("span.sv-done");
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
    el("footer.sv-lane-foot", null, counter, done, clock),
  );
  return {
    ...{ name, data, next: 0, root, text, counter, clock, rate, done, meter },
    score: data ? scoreOf(data) : /** @type {Score} */ ({ changes: [], tokensAt: [], passesAt: [] }),
    spans: /** @type {TokenSpan[]} */ ([]),
    byRound: /** @type {TokenSpan[][]} */ ([]),
    places: /** @type {Places | null} */ (null),
    stop: /** @type {TokenSpan | null} */ (null),
    followed: /** @type {TokenSpan | null} */ (null),
  };
}

/** How the blocks of this run were made, in words that fit the drafter. @param {Header} header */
function drafterNote({ draft, config }) {
  if (!draft || !config.K) return say("note_zero");
  const one = draft.most === 1;
  const tree = config.tree && config.tree !== "off";
  const key = one ? "block_one" : tree ? "block_tree" : draft.fewer ? "block_most" : "block";
  const block = plain(key, { K: draft.most, n: draft.most });
  return say(`note_${draft.kind}`, { draft: draft.name, block, check: one ? WORDS.check_one : WORDS.check });
}

/** Bring a lane to time t, either way. @param {LaneView} view @param {number} t @param {boolean} hiding */
export function moveLane(view, t, hiding) {
  const { data, score, spans } = view;
  if (!data) return;
  const { changes } = score;
  /** @type {TokenSpan | null} */
  let touched = null;
  while (view.next < changes.length && changes[view.next].at <= t) {
    const { token, to } = changes[view.next++];
    touched = spans[token];
    setLook(touched, to);
  }
  while (view.next > 0 && changes[view.next - 1].at > t) {
    const { token, from } = changes[--view.next];
    touched = spans[token];
    setLook(touched, from);
  }
  if (touched) {
    follow(view, touched);
    keepStop(view, hiding);
  }
  tellLane(view, data, t);
}

/** @param {LaneView} view @param {Lane} data @param {number} t */
function tellLane(view, data, t) {
  const now = Math.min(t, data.duration);
  const over = t >= data.duration;
  const tokens = upTo(view.score.tokensAt, t, (at) => at);
  const rounds = upTo(view.score.passesAt, t, ([at]) => at);
  setText(view.counter, plain("counter", { tokens, passes: rounds ? view.score.passesAt[rounds - 1][1] : 0 }));
  setText(view.clock, plain("clock", { now: number(now, 0), whole: number(data.duration, 0) }));
  // While it plays: tokens shown by time shown. At its end that is the measured rate, at its beginning it would jump.
  const rate = over ? data.numbers.tokens_per_second : now > EARLY * data.duration ? (1000 * tokens) / now : null;
  setText(view.rate, number(rate, (rate ?? 0) < 100 ? 1 : 0));
  const { stopped } = data;
  setText(view.done, over && stopped ? plain(`ended_${stopped.reason}`, { detail: stopped.detail }) : "");
  view.meter.style.transform = `scaleX(${data.duration ? now / data.duration : 1})`;
  view.root.classList.toggle("sv-over", over);
}

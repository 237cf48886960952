// How far a run is and what of it is told while it goes on (specviz/page/watch/pace.py).

import { face } from "../picture/tokens.js";

/** @import { Progress, Round } from "../engine/types.js" */
/** @typedef {[role: string, text: string]} Span */

const EVERY = 250; // ms between two lines
const LIVE = 2000; // ms of a run, after which its rounds are drawn as they come
const SENT = 400; // tokens of a lane at most in one line

export class Pace {
  /** @param {() => number} clock */
  constructor(clock = () => performance.now()) {
    this.clock = clock;
    this.began = clock();
    this.last = 0;
    this.lane = "";
    this.laneBegan = 0;
    /** @type {Map<string, { spans: Span[], ends: [number, number] }>} */
    this.lanes = new Map();
  }

  /** The status line after a step; null where one was told a moment ago. @param {Progress} step @param {number} asked
   * tokens that were asked for
   * @returns {{ state: string, [value: string]: unknown } | null} */
  told({ lane, tokens, of, again, event }, asked) {
    const now = this.clock();
    if (lane !== this.lane) [this.lane, this.laneBegan] = [lane, now];
    if (event?.event === "round") this._of(lane).spans.push(...spans(event));
    if (now - this.last < EVERY) return null;
    this.last = now;
    if (again) return { state: "again", times: again };
    const done = { state: "running", lane, tokens, of, ...(of < asked ? { asked } : {}) };
    if (now - this.began < LIVE) return done;
    const live = Object.fromEntries([...this.lanes].map(([name, told]) => [name, next(told)]));
    const left = of - tokens + (lane === "vanilla" ? of : 0);
    const seconds = Math.max(1, Math.round((left * (now - this.laneBegan)) / (1000 * Math.max(1, tokens))));
    return { ...done, live, ...(tokens ? { left: seconds } : {}) };
  }

  /** @param {string} lane */
  _of(lane) {
    const told = this.lanes.get(lane) ?? { spans: [], ends: [0, 0] };
    this.lanes.set(lane, told);
    return told;
  }
}

/** What is new since the last line but one. @param {{ spans: Span[], ends: [number, number] }} told */
function next(told) {
  const from = Math.max(told.ends[0], told.spans.length - SENT);
  told.ends = [told.ends[1], told.spans.length];
  return { from, spans: told.spans.slice(from) };
}

/** In reading order: the block, struck or kept, then the token that follows it.
 * @param {Round} round @returns {Span[]} */
function spans({ drafted, emitted }) {
  const kept = emitted.values(); // of a tree not every token before the last that stayed
  /** @type {Span[]} */
  const block = drafted.map(({ verdict, token }) => [
    verdict,
    face(token, verdict === "accepted" ? (kept.next().value?.piece ?? "") : "")[0],
  ]);
  const after = emitted.filter(({ role }) => role !== "accepted");
  return [...block, ...after.map(({ role, token, piece }) => /** @type {Span} */ ([role, face(token, piece)[0]]))];
}

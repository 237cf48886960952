// Both lanes of one prompt, measured alike: one after the other, and again by turns where that is cheap
// (specviz/engine/race.py). Whoever wants true times warms up first (warm_up.js).

import { decode } from "./decode.js";
import { divergence } from "./divergence.js";
import { medianRun, repeatLanes } from "./repeats.js";

/** @import { Config, Event, LaneName, Lanes, Progress, Setup, Trace } from "./types.js" */

/** Events of the vanilla lane, then of the speculative lane. @param {Setup} setup @param {number[]} prompt
 * @param {Config} config
 * @param {() => boolean} stop @returns {Generator<[LaneName, Event], void, void>} */
function* lanes(setup, prompt, config, stop) {
  for (const event of decode(setup, prompt, { ...config, K: 0 }, stop)) yield ["vanilla", event];
  if (stop()) return;
  for (const event of decode(setup, prompt, config, stop)) yield ["speculative", event];
}

/** Run both lanes; say how far they are; give the trace at the end. `machine`: as the trace's header names it; `step`:
 * of the clock, in ms, where it is coarse.
 * @param {Setup} setup @param {string} prompt @param {Config} config
 * @param {{ stop?: () => boolean, machine: Record<string, unknown>, repeat?: boolean, step?: number }} how
 * @returns {Generator<Progress, Trace, void>} */
export function* race(setup, prompt, config, { stop = () => false, machine, repeat = true, step = 0 }) {
  const ids = setup.text.encode(prompt);
  const drafter = config.K ? setup.drafter : null;
  const created = `${new Date().toISOString().slice(0, 19)}+00:00`;
  /** @type {Lanes} */
  const first = { vanilla: [], speculative: [] };
  const of = Math.min(config.max_new_tokens, setup.target.context - ids.length);
  const tokens = { vanilla: 0, speculative: 0 };
  for (const [lane, event] of lanes(setup, ids, config, stop)) {
    first[lane].push(event);
    if (event.event === "finished") continue;
    if (event.event === "round") tokens[lane] += event.emitted.length;
    yield { lane, tokens: tokens[lane], of, again: 0, event };
  }
  const runs = [first];
  if (repeat)
    for (const one of repeatLanes(first, () => lanes(setup, ids, config, stop), stop)) {
      runs.push(one);
      yield { lane: "speculative", tokens: tokens.speculative, of, again: runs.length, event: null };
    }
  const { run, repeats, note } = medianRun(runs, step);
  const header = {
    prompt,
    config,
    target: setup.target.info,
    draft: drafter?.info ?? null,
    machine: { ...machine, note },
    created,
    divergence: config.temperature === 0 ? divergence(setup.target, ids, run) : null,
    drafter: drafter?.kind ?? null,
    eos: [...setup.text.eos],
    chat: false,
    repeats,
    engine: "specviz",
    engine_version: "",
    exact: true, // both rules are
  };
  return { header, ...run };
}

// What a line of the list shows of a run, and a comparison of two: its settings and its numbers.

import { pictureOf } from "../picture/view.js";
import { unpackBytes } from "../shared/packing.js";
import { ABOUT } from "../shared/words.js";

/** @import { Picture } from "../shared/types.js" */
/** @import { LaneName, Trace } from "../trace/types.js" */
/** @import { PackedRun } from "./stored_runs.js" */
/** @import { Run } from "./runs.js" */
/**
 * `rule`: the only one that reads it; `beside`: the setting without which its default decides nothing; `default`: its
 * value where a trace leaves it out
 * @typedef {{ name: string, rule?: string | null, beside?: string | null, default: any }} Setting
 */

const COUNTS = ["accepted_of_tested", "tokens_per_forward", "tokens_per_round"];
const RATES = ["tokens_per_second", "tokens", "target_forwards", "draft_forwards"];
const MAX_BYTES = 2 ** 25; // bytes of a trace

/** @param {Picture} picture @param {string} id @param {string} source run, file or recorded
 * @param {Setting[]} settings @returns {Run} */
export function lineOf(picture, id, source, settings) {
  const { header, comparison, lanes } = /** @type {any} */ (picture);
  const { config, draft, machine } = header;
  const { numbers } = lanes.speculative ?? lanes.vanilla;
  const values = Object.fromEntries(settings.map((setting) => [setting.name, config[setting.name] ?? setting.default]));
  const usual = Object.fromEntries(settings.map((setting) => [setting.name, setting.default]));
  const pairs = settings.map(({ name, rule, beside }) => {
    const idle = beside && [name, beside].every((each) => values[each] === usual[each]);
    const value = (rule && rule !== config.verifier) || idle ? null : values[name];
    return [name, Array.isArray(value) ? value.join(", ") : value];
  });
  /** @type {Run["sure"]} */
  const sure = comparison?.speedup
    ? { speedup: [comparison.low, comparison.high], tokens_per_second: comparison.rates }
    : {};
  return {
    id,
    source,
    created: header.created,
    disturbed: comparison?.disturbed.length > 0,
    sure,
    settings: {
      prompt: header.prompt.slice(0, 400),
      target: header.target.name,
      draft: config.K && draft ? draft.name : null,
      ...Object.fromEntries(pairs),
      device: machine.device,
      threads: machine.threads,
    },
    numbers: {
      speedup: comparison?.speedup ?? null,
      alpha: numbers.alpha,
      ...Object.fromEntries([...COUNTS, ...RATES].map((name) => [name, numbers[name]])),
    },
  };
}

/** Of a run as the server packed it. Rejects what is none. @param {PackedRun} packed @param {Setting[]} settings */
export async function lineOfPacked({ id, source, data }, settings) {
  const text = new TextDecoder().decode(await unpackBytes(data, MAX_BYTES));
  return lineOf(pictureOf(traceOf(text), ABOUT), id, source, settings);
}

/** The trace in a file that the server wrote, so nothing is checked. @param {string} text @returns {Trace} */
function traceOf(text) {
  const [header, ...events] = text
    .split("\n")
    .slice(0, -2)
    .map((line) => JSON.parse(line)); // but for the seal
  const of = (/** @type {LaneName} */ name) => events.filter(({ lane }) => lane === name);
  return { header, vanilla: of("vanilla"), speculative: of("speculative") };
}

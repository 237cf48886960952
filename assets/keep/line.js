// A run of this visit in a line: when it was made, what drafted, what it came to.

import { pictureOf } from "../picture/view.js";
import { number, percent } from "../shared/numbers.js";
import { unpackBytes } from "../shared/packing.js";
import { fillText } from "../shared/sentences.js";
import { visible } from "../shared/tokens.js";
import { ABOUT } from "../shared/words.js";

/** @import { Picture } from "../shared/types.js" */
/** @import { LaneName, Trace } from "../trace/types.js" */
/** @import { PackedRun } from "./stored_runs.js" */
/**
 * `created`: when, in ISO 8601; `timed`: by which clock, none where the machine was busy and nobody knows the
 * processor time; `values`: of COLUMNS
 * @typedef {{ id: string, source: string, created: string, timed: "wall" | "processor" | null,
 *   values: Record<string, string | number | null> }} Line
 */

export const COLUMNS = ["draft", "K", "temperature", "speedup", "alpha", "tokens_per_forward", "prompt"];
const MAX_BYTES = 2 ** 25; // bytes of a trace
const MAX_PROMPT = 400; // characters

/** @param {Picture} picture @param {string} id @param {string} source run, file or recorded @returns {Line} */
export function lineOf(picture, id, source) {
  const { header, comparison, lanes } = /** @type {any} */ (picture);
  const { config, created, draft, prompt } = header;
  const { alpha, tokens_per_forward } = (lanes.speculative ?? lanes.vanilla).numbers;
  return {
    id,
    source,
    created,
    timed: comparison ? comparison.clock : "wall",
    values: {
      draft: config.K && draft ? draft.name : null,
      K: config.K,
      temperature: config.temperature,
      speedup: comparison?.speedup ?? null,
      alpha,
      tokens_per_forward,
      prompt: prompt.slice(0, MAX_PROMPT),
    },
  };
}

/** Of a run as the server packed it. Rejects what is none. @param {PackedRun} packed */
export async function lineOfPacked({ id, source, data }) {
  const text = new TextDecoder().decode(await unpackBytes(data, MAX_BYTES));
  return lineOf(pictureOf(traceOf(text), ABOUT), id, source);
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

/** The time of day, and the day too where it is another one. @param {Line} line */
export function clockTime({ created }) {
  const then = new Date(created);
  const time = then.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });
  return then.toDateString() === new Date().toDateString() ? time : `${then.toLocaleDateString()} ${time}`;
}

/** A value as a person reads it. @param {Line} line @param {string} name of COLUMNS @param {Record<string, string>} words */
export function cellText({ values, timed }, name, words) {
  const value = values[name];
  if (value === null || value === "") return words.nothing;
  if (name === "speedup") {
    const speedup = `${number(Number(value), 2)} ×`;
    return timed === "processor" ? fillText(words.processor, { speedup }) : timed ? speedup : words.busy;
  }
  if (name === "alpha") return percent(Number(value));
  return name === "tokens_per_forward" ? number(Number(value), 2) : visible(String(value));
}

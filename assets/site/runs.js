// Where runs come from: recorded here, from a file, from another address of this site. All are traces, read strictly.

import { readPicture, whole } from "../picture/replay.js";
import { fillText } from "../shared/sentences.js";
import { readTrace, TraceError } from "../trace/read.js";

/** @import { Given, Run } from "./types.js" */

/** A run that could not be had, in a sentence. */
export class RunError extends Error {}

/** @param {string} path @param {string} lost the sentence where it cannot be had */
async function answer(path, lost) {
  const response = await fetch(path).catch(() => null);
  if (!response?.ok) throw new RunError(lost);
  return response;
}

/** The text of a file of this site. @param {string} path @param {string} lost */
export const text = async (path, lost) => (await answer(path, lost)).text();

/** @param {string} name @param {Given} given */
export const recordedRun = (name, given) => runAt(`traces/${name}.jsonl.gz`, given);

/** A run by its address, which must be of this site. @param {string} path @param {Given} given */
export async function runAt(path, given) {
  const { words } = given;
  const address = URL.canParse(path, location.href) ? new URL(path, location.href) : null;
  if (address?.origin !== location.origin) throw new RunError(words.run_foreign);
  return openRun(await answer(address.href, words.run_lost), given);
}

/** @param {Response | Blob} source @param {Given} given @returns {Promise<Run>} */
export async function openRun(source, given) {
  const { words, contract } = given;
  try {
    const bytes = await unzipped(await bounded(bodyOf(source), given), given);
    const trace = await readTrace(bytes, contract);
    const value = JSON.stringify(whole(trace));
    return { trace, picture: readPicture(value), bytes, value };
  } catch (error) {
    if (error instanceof RunError) throw error;
    const said = error instanceof TraceError ? error.message : words.run_unreadable;
    throw new RunError(fillText(words.refused, { error: said }));
  }
}

/** @param {Response | Blob} source */
function bodyOf(source) {
  const body = source instanceof Blob ? source.stream() : source.body;
  return /** @type {ReadableStream<Uint8Array<ArrayBuffer>>} */ (body ?? new Blob([]).stream());
}

/** All bytes of a stream, at most as many as a trace may have. @param {ReadableStream<Uint8Array<ArrayBuffer>>} body
 * @param {Given} given */
async function bounded(body, { words, contract }) {
  const parts = [];
  let size = 0;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > contract.limits.file) {
      await reader.cancel().catch(() => {});
      throw new RunError(fillText(words.run_large, { most: contract.limits.file / 2 ** 20 }));
    }
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** Some servers unpack a file on the way, most do not: its first bytes tell. @param {Uint8Array<ArrayBuffer>} bytes
 * @param {Given} given */
async function unzipped(bytes, given) {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  return bounded(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")), given);
}

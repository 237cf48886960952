// Where runs come from: recorded here, from a file, from another address of this site. All are traces, read strictly.

import { asPacked, readPicture } from "../picture/replay.js";
import { fillText } from "../shared/sentences.js";
import { readTrace, TraceError } from "../trace/read.js";

/** @import { SiteData, Run } from "./types.js" */

/** A run that could not be had, in a sentence. */
export class RunError extends Error {}

/** @param {string} path @param {string} lost the sentence where it cannot be had */
async function fetchFile(path, lost) {
  const response = await fetch(path).catch(() => null);
  if (!response?.ok) throw new RunError(lost);
  return response;
}

/** The text of a file of this site. @param {string} path @param {string} lost */
export const text = async (path, lost) => (await fetchFile(path, lost)).text();

/** @param {string} name @param {SiteData} site */
export const recordedRun = (name, site) => runAt(`traces/${name}.jsonl.gz`, site);

/** A run by its address, which must be of this site. @param {string} path @param {SiteData} site */
export async function runAt(path, site) {
  const { words } = site;
  const address = URL.canParse(path, location.href) ? new URL(path, location.href) : null;
  if (address?.origin !== location.origin) throw new RunError(words.run_foreign);
  return openRun(await fetchFile(address.href, words.run_lost), site);
}

/** @param {Response | Blob} source @param {SiteData} site @returns {Promise<Run>} */
export async function openRun(source, site) {
  const { words, contract } = site;
  try {
    const bytes = await unzip(await readBounded(bodyOf(source), site), site);
    const trace = await readTrace(bytes, contract);
    const value = JSON.stringify(asPacked(trace));
    return { trace, picture: readPicture(value), bytes, value };
  } catch (error) {
    if (error instanceof RunError) throw error;
    const reason = error instanceof TraceError ? error.message : words.run_unreadable;
    throw new RunError(fillText(words.refused, { error: reason }));
  }
}

/** @param {Response | Blob} source */
function bodyOf(source) {
  const body = source instanceof Blob ? source.stream() : source.body;
  return /** @type {ReadableStream<Uint8Array<ArrayBuffer>>} */ (body ?? new Blob([]).stream());
}

/** All bytes of a stream, at most as many as a trace may have. @param {ReadableStream<Uint8Array<ArrayBuffer>>} body
 * @param {SiteData} site */
async function readBounded(body, { words, contract }) {
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
 * @param {SiteData} site */
async function unzip(bytes, site) {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  return readBounded(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")), site);
}

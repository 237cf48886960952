// A finished race as the JSON lines of specviz/trace/file.py: a header, the events of both lanes, and a last line
// that seals them.

/** @import { LaneName, Trace } from "./types.js" */

export const VERSION = { format: "specviz-trace", version: 1 };

/** The bytes of a trace file. `sha256`: hex digits of some bytes. @param {Trace} trace
 * @param {(bytes: Uint8Array<ArrayBuffer>) => Promise<string>} sha256 @returns {Promise<Uint8Array<ArrayBuffer>>} */
export async function writeTrace(trace, sha256 = digest) {
  const lines = [JSON.stringify({ ...VERSION, event: "header", ...trace.header })];
  for (const lane of /** @type {LaneName[]} */ (["vanilla", "speculative"]))
    for (const event of trace[lane]) lines.push(JSON.stringify({ lane, ...event }));
  const text = new TextEncoder().encode(`${lines.join("\n")}\n`);
  const seal = `{"event":"end","lines":${lines.length},"sha256":"${await sha256(text)}"}\n`;
  const all = new Uint8Array(text.length + seal.length);
  all.set(text);
  all.set(new TextEncoder().encode(seal), text.length);
  return all;
}

/** @param {BufferSource} bytes */
export async function digest(bytes) {
  if (!globalThis.crypto?.subtle) throw new Error("A run can be saved from a page that came by https only.");
  const found = await crypto.subtle.digest("SHA-256", bytes);
  return [...new Uint8Array(found)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Files below assets/ from where the page came from, with how far each is.

import { ModelError } from "./weights.js";

const MAX_FILE_BYTES = 64 * 2 ** 20; // of one file: the largest bundled one has 8 MB
const TRIES = 2; // a connection that breaks off once, as on a train, is no reason to give up

/** What breaks off may come whole the next time; what a server refuses does not. */
class ConnectionError extends ModelError {}

/** Gives a file, or an error in a sentence. `onProgress` hears how many bytes came, and of how many.
 * @param {URL} base @param {(path: string, bytes: number, of: number) => void} onProgress */
export function makeFetch(base, onProgress) {
  /** @param {string} path @returns {Promise<ArrayBuffer>} */
  return async (path) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await fetchWhole(path, base, onProgress);
      } catch (error) {
        if (!(error instanceof ConnectionError) || attempt === TRIES) throw error;
      }
    }
  };
}

/** @param {string} path @param {URL} base @param {(path: string, bytes: number, of: number) => void} onProgress */
async function fetchWhole(path, base, onProgress) {
  const response = await fetch(new URL(path, base)).catch(() => {
    throw new ConnectionError(`${path} could not be fetched: there is no connection.`);
  });
  if (!response.ok || !response.body)
    throw new ModelError(`${path} could not be fetched: the server answered ${response.status}.`);
  const of = Number(response.headers.get("content-length"));
  /** @type {Uint8Array<ArrayBuffer>[]} */
  const parts = [];
  let bytes = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new ConnectionError(`${path} came in part only: the connection ended.`);
    });
    if (done) break;
    bytes += value.length;
    if (bytes > MAX_FILE_BYTES) {
      await reader.cancel();
      throw new ModelError(`${path} is larger than ${MAX_FILE_BYTES / 2 ** 20} MB.`);
    }
    parts.push(value);
    onProgress(path, bytes, Math.max(of, bytes));
  }
  return new Blob(parts).arrayBuffer();
}

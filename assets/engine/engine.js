// The engine as a page uses it: one worker, one run at a time.
//
//     const engine = new Engine("engine/worker.js");
//     const trace = await engine.race({ target: "fable", draft: "eagle", prompt, config }, (message) => …);

import { sha256, TAG } from "../trace/events.js";

/** @import { LaneName, Trace, Work, WorkerMessage } from "./types.js" */

/** @typedef {Omit<Extract<Work, { type: "run" }>, "type" | "browser">} RaceRequest */

/** What a page calls the target that comes in parts (assistant.js). */
export const ASSISTANT = "assistant";

export class Engine {
  /** @param {string | URL} url of worker.js */
  constructor(url) {
    this.url = url;
    /** @type {Worker | null} */
    this.worker = null;
    this.busy = false;
    /** @type {(error: Error) => void} */
    this.reject = () => {};
  }

  /** A race; `onMessage` hears what is fetched and how far both lanes are.
   * @param {RaceRequest} request @param {(message: WorkerMessage) => void} [onMessage]
   * @returns {Promise<Trace>} */
  async race(request, onMessage) {
    return /** @type {Trace} */ (await this.run(raceOf(request), onMessage));
  }

  /** The result of `work`. Rejects with an error whose message is a sentence.
   * @param {Work} work @param {(message: WorkerMessage) => void} onMessage @returns {Promise<unknown>} */
  run(work, onMessage = () => {}) {
    if (this.busy) return Promise.reject(new Error("A run is going on in this browser. Stop it first."));
    if (typeof Worker === "undefined") return Promise.reject(new Error("This browser gives the page no worker to decode in."));
    this.busy = true;
    return new Promise((resolve, reject) => {
      this.reject = reject;
      this.worker ??= new Worker(this.url, { type: "module" });
      const { worker } = this;
      worker.onmessage = (/** @type {MessageEvent<WorkerMessage>} */ { data }) => {
        if (data.type === "result") resolve(data.result);
        else if (data.type === "error") reject(new Error(data.message));
        else onMessage(data);
      };
      worker.onerror = () =>
        this.abandon("The engine could not be started: its files did not come, or this browser refuses them.");
      worker.postMessage(work);
    }).finally(() => {
      this.busy = false;
    });
  }

  /** The run ends after its round; the trace says that it was cancelled. */
  stop() {
    this.worker?.postMessage({ type: "stop" });
  }

  /** What is loaded is given up, and the run ends at once with this sentence. @param {string} message */
  abandon(message) {
    this.worker?.terminate();
    this.worker = null;
    this.reject(new Error(message));
  }
}

/** A race as work. @param {RaceRequest} request @returns {Work} */
export const raceOf = (request) => ({ ...request, type: "run", browser: browserName() });

/** The browser's name and main version, as far as it tells them. */
function browserName() {
  const match = /(Firefox|Edg|Chrome)\/(\d+)|Version\/(\d+).*Safari/.exec(navigator.userAgent);
  if (!match) return "a browser";
  return match[1] ? `${match[1].replace("Edg", "Edge")} ${match[2]}` : `Safari ${match[3]}`;
}

/** A finished race as the JSON lines of specviz/trace/file.py: a header, the events of both lanes, and a last line that
 * seals them. @param {Trace} trace @returns {Promise<Uint8Array<ArrayBuffer>>} */
export async function writeTrace(trace) {
  if (!globalThis.crypto?.subtle) throw new Error("A run can be saved from a page that came by https only.");
  const lines = [JSON.stringify({ ...TAG, event: "header", ...trace.header })];
  for (const lane of /** @type {LaneName[]} */ (["vanilla", "speculative"]))
    for (const event of trace[lane]) lines.push(JSON.stringify({ lane, ...event }));
  const text = new TextEncoder().encode(`${lines.join("\n")}\n`);
  const seal = `{"event":"end","lines":${lines.length},"sha256":"${await sha256(text)}"}\n`;
  const all = new Uint8Array(text.length + seal.length);
  all.set(text);
  all.set(new TextEncoder().encode(seal), text.length);
  return all;
}

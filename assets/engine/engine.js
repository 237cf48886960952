// The engine as a page uses it: one worker, one run at a time.
//
//     const engine = new Engine("engine/worker.js");
//     const trace = await engine.race({ target: "fable", draft: "eagle", prompt, config }, (said) => …);

/** @import { Said, Trace, Work } from "./types.js" */
/** @typedef {Omit<Extract<Work, { type: "run" }>, "type" | "browser">} Raced */

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

  /** A race; `told` hears what is fetched and how far both lanes are.
   * @param {Raced} asked @param {(said: Said) => void} [told]
   * @returns {Promise<Trace>} */
  async race(asked, told) {
    return /** @type {Trace} */ (await this.work(raceOf(asked), told));
  }

  /** What was found. Rejects with an error whose message is a sentence.
   * @param {Work} asked @param {(said: Said) => void} told @returns {Promise<unknown>} */
  work(asked, told = () => {}) {
    if (this.busy) return Promise.reject(new Error("A run is going on in this browser. Stop it first."));
    if (typeof Worker === "undefined")
      return Promise.reject(new Error("This browser gives the page no worker to decode in."));
    this.busy = true;
    return new Promise((resolve, reject) => {
      this.reject = reject;
      const worker = this._started();
      worker.onmessage = (/** @type {MessageEvent<Said>} */ { data }) => {
        if (data.type === "found") resolve(data.found);
        else if (data.type === "error") reject(new Error(data.message));
        else told(data);
      };
      worker.onerror = () =>
        this.abandon("The engine could not be started: its files did not come, or this browser refuses them.");
      worker.postMessage(asked);
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

  _started() {
    this.worker ??= new Worker(this.url, { type: "module" });
    return this.worker;
  }
}

/** A race as work. @param {Raced} asked @returns {Work} */
export const raceOf = (asked) => ({ ...asked, type: "run", browser: browser() });

/** The browser's name and main version, as far as it tells them. */
function browser() {
  const found = /(Firefox|Edg|Chrome)\/(\d+)|Version\/(\d+).*Safari/.exec(navigator.userAgent);
  if (!found) return "a browser";
  return found[1] ? `${found[1].replace("Edg", "Edge")} ${found[2]}` : `Safari ${found[3]}`;
}

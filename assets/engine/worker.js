// A race in a worker of its own, so that the page stays awake. What it is told and says: types.d.ts, Asked and Said.

import { suited } from "./compiled.js";
import { fetching } from "./fetching.js";
import { Shelf } from "./load.js";
import { MemoryError } from "./memory.js";
import { race } from "./race.js";
import { resolution } from "./stopwatch.js";
import { PromptError } from "./text.js";
import { ModelError } from "./weights.js";

/** @import { Asked, Said } from "./types.js" */

const AWAKE = 30; // ms of work after which the worker looks whether it was told to stop

let running = false;
let stopped = false;
/** @type {Promise<Shelf> | null} */
let shelf = null;

/** @param {Said} said */
function say(said) {
  postMessage(said);
}

/** Models stay loaded between runs; what could not be opened is tried again. */
async function opened() {
  const { file, reason } = suited();
  if (reason) throw new ModelError(reason);
  const fetch = fetching(new URL("../", import.meta.url), (path, bytes, of) =>
    say({ type: "fetched", path, bytes, of }),
  );
  shelf ??= Shelf.open(fetch, file);
  try {
    return await shelf;
  } catch (error) {
    shelf = null;
    throw error;
  }
}

/** @param {Extract<Asked, { type: "run" }>} asked */
async function run({ target, draft, prompt, config, browser }) {
  const setup = await (await opened()).setUp(target, draft);
  const step = resolution();
  const note = step < 0.05 ? "" : `the browser's clock steps by ${step.toFixed(1)} ms`;
  const machine = {
    device: `CPU (WebAssembly, ${browser})`,
    threads: 1,
    python: "",
    torch: "",
    transformers: "",
    note,
  };
  const steps = race(setup, prompt, config, { stop: () => stopped, machine });
  let looked = performance.now();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return say({ type: "trace", trace: value });
    say({ type: "progress", progress: value });
    if (performance.now() - looked < AWAKE) continue;
    await new Promise((resolve) => setTimeout(resolve)); // between rounds: what is timed is not interrupted
    looked = performance.now();
  }
}

/** @param {unknown} error */
function sentence(error) {
  if (error instanceof ModelError || error instanceof PromptError || error instanceof MemoryError) return error.message;
  if (error instanceof RangeError) return `The run ended: ${error.message}`;
  return `The run failed: ${error instanceof Error ? error.message : error}`;
}

addEventListener("message", async (/** @type {MessageEvent<Asked>} */ { data }) => {
  if (data.type === "stop") {
    stopped = true;
    return;
  }
  if (running) return say({ type: "error", message: "A run is going on in this browser. Stop it first." });
  running = true;
  stopped = false;
  try {
    await run(data);
  } catch (error) {
    say({ type: "error", message: sentence(error) });
  }
  running = false;
});

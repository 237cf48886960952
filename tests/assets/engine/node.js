// The browser's engine in node, on the bundled models.
//   node node.js RUNS.json FOLDER [plain]      each of [{ draft, prompt, config }, …] becomes FOLDER/0.jsonl,
// 1.jsonl, …

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { suitedModule } from "../../../assets/engine/compiled.js";
import { writeTrace } from "../../../assets/engine/engine.js";
import { ModelCache } from "../../../assets/engine/load.js";
import { race } from "../../../assets/engine/race.js";

const ASSETS = new URL("../../../assets/", import.meta.url);
const MACHINE = { device: "CPU (WebAssembly)", threads: 1, python: "", torch: "", transformers: "", note: "" };

/** A file below assets/. */
async function fetched(path) {
  const bytes = readFileSync(new URL(path, ASSETS));
  return new Uint8Array(bytes).buffer;
}

/** The bundled models; `plain`: computed without relaxed SIMD. */
export function opened(plain = false) {
  return ModelCache.open(fetched, plain ? "specviz-plain.wasm" : suitedModule().file);
}

/** A whole race at once, without a warm-up or repeats. */
function raced(setup, prompt, config) {
  const steps = race(setup, prompt, config, { machine: MACHINE, repeat: false });
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [runs, folder, how] = process.argv.slice(2);
  const shelf = await opened(how === "plain");
  for (const [i, { draft, prompt, config }] of JSON.parse(readFileSync(runs, "utf8")).entries()) {
    const setup = await shelf.setUp("fable", draft);
    writeFileSync(`${folder}/${i}.jsonl`, await writeTrace(raced(setup, prompt, config)));
  }
}

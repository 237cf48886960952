// The browser's engine in node, on the bundled models, or on the assistant of a site.
//   node node.js RUNS.json FOLDER [plain] [SITE]      each of [{ draft, prompt, config }, …] becomes FOLDER/0.jsonl,
// 1.jsonl, …

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Assistant } from "../../../assets/engine/assistant.js";
import { suitedModule } from "../../../assets/engine/compiled.js";
import { ASSISTANT, writeTrace } from "../../../assets/engine/engine.js";
import { ModelCache } from "../../../assets/engine/load.js";
import { race } from "../../../assets/engine/race.js";

const ASSETS = new URL("../../../assets/", import.meta.url);
const MACHINE = { device: "CPU (WebAssembly)", threads: 1, python: "", torch: "", transformers: "", note: "" };

/** A file below assets/, or of a site. */
async function fetched(path, base = ASSETS) {
  return new Uint8Array(readFileSync(new URL(path, base)));
}

/** The bundled models; `plain`: computed without relaxed SIMD. */
export function opened(plain = false) {
  return ModelCache.open(fetched, plain ? "specviz-plain.wasm" : suitedModule().file);
}

/** The assistant of a site in this folder. */
export function assistant(site, plain = false) {
  const fetch = (path) => fetched(path, path.startsWith("assistant/") ? pathToFileURL(`${site}/`) : ASSETS);
  return Assistant.open(fetch, plain ? "specviz-blocks-plain.wasm" : suitedModule(true).file, "blocks");
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
  const [runs, folder, how, site] = process.argv.slice(2);
  const shelf = await (site ? assistant(site, how === "plain") : opened(how === "plain"));
  for (const [i, { draft, prompt, config }] of JSON.parse(readFileSync(runs, "utf8")).entries()) {
    const setup = await shelf.setUp(site ? ASSISTANT : "fable", draft);
    writeFileSync(`${folder}/${i}.jsonl`, await writeTrace(raced(setup, prompt, config)));
  }
}

// Open a run from a file, chosen or dropped, and save the one that is shown.

import { drop } from "../keep/drop.js";
import { el, the } from "../shared/dom.js";
import { part } from "./part.js";

/** @import { Given, Run } from "./types.js" */

/**
 * @param {Given} given
 * @param {{ open: (file: File) => void, refuse: (sentence: string) => void, shown: () => Run | null }} act
 */
export function makeFiles({ words, drop: cue }, { open, refuse, shown }) {
  const input = el("input", { type: "file", hidden: "", "aria-label": words.open, accept: ".jsonl,.gz" });
  the(document, "#open").after(input);
  the(document, "#open").addEventListener("click", () => input.click());
  input.addEventListener("change", () => {
    const file = input.files?.[0];
    if (file) open(file);
    input.value = ""; // the same file may be chosen again
  });
  part(drop, "#drop", { words: cue }, { dropped: () => refuse(words.dropped) });
  the(document, "#save").addEventListener("click", () => {
    const run = shown();
    if (run) give(run.bytes, "specviz-run.jsonl");
  });
}

/** @param {Uint8Array<ArrayBuffer>} bytes @param {string} name */
function give(bytes, name) {
  const href = URL.createObjectURL(new Blob([bytes], { type: "application/jsonl" }));
  el("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000); // a browser may still be reading
}

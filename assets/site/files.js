// Open a run from a file, chosen or dropped, and save the one that is shown.

import { drop } from "../keep/drop.js";
import { csvText } from "../picture/rounds.js";
import { el, the } from "../shared/dom.js";
import { part } from "./part.js";

/** @import { Given, Run } from "./types.js" */

/**
 * @param {Given} given
 * @param {{ open: (file: File) => void, refuse: (sentence: string) => void, shown: () => Run | null }} act
 */
export function makeFiles({ words, drop: cue, contract, columns }, { open, refuse, shown }) {
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
  the(document, "#rounds").addEventListener("click", () => {
    const run = shown();
    if (run) give(csvText(run.trace, contract.rules, columns), "specviz-rounds.csv");
  });
}

/** @param {BlobPart} content @param {string} name */
function give(content, name) {
  const type = name.endsWith(".csv") ? "text/csv" : "application/jsonl";
  const href = URL.createObjectURL(new Blob([content], { type }));
  el("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000); // a browser may still be reading
}

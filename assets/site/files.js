// Open a run from a file, chosen or dropped, and save the one that is shown: its trace, a table of its rounds, a
// hand-out, its timeline as a picture.

import { drop } from "../keep/drop.js";
import { saveTimeline } from "../keep/picture.js";
import { csvText } from "../picture/rounds.js";
import { el, query } from "../shared/dom.js";
import { save } from "../shared/save.js";
import { handoutOf } from "./handout.js";
import { part } from "./part.js";

/** @import { Given, Run } from "./types.js" */

/**
 * @param {Given} given
 * @param {{ open: (file: File) => void, say: (state: string, message: string) => void, shown: () => Run | null }} act
 */
export function makeFiles(given, { open, say, shown }) {
  const { words, drop: cue, contract, columns, files } = given;
  const input = el("input", { type: "file", hidden: "", "aria-label": words.open, accept: ".jsonl,.gz" });
  query(document, "#open").after(input);
  query(document, "#open").addEventListener("click", () => input.click());
  input.addEventListener("change", () => {
    const file = input.files?.[0];
    if (file) open(file);
    input.value = ""; // the same file may be chosen again
  });
  part(drop, "#drop", { words: cue }, { dropped: () => say("refused", words.dropped) });

  const picture =
    (/** @type {"png" | "svg"} */ kind) =>
    (/** @type {Run} */ { picture }) => {
      saveTimeline(picture.lanes, kind);
      say("linked", words.pictured);
    };
  /** @type {Record<string, (run: Run) => void | Promise<void>>} */
  const gives = {
    save: (run) => save(files.save, "application/jsonl", run.bytes),
    rounds: (run) => save(files.rounds, "text/csv", csvText(run.trace, contract.rules, columns)),
    handout: async (run) => save(files.handout, "text/html", await handoutOf(given, run)),
    "picture-png": picture("png"),
    "picture-svg": picture("svg"),
  };
  for (const [id, give] of Object.entries(gives))
    query(document, `#${id}`).addEventListener("click", async () => {
      const run = shown();
      try {
        if (run) await give(run);
      } catch (error) {
        say("refused", error instanceof Error ? error.message : words.lost);
      }
    });
}

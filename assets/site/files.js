// Open a run from a file, chosen or dropped, and save the one that is shown: its trace, a table of its rounds, a
// hand-out, its timeline as a picture.

import { drop } from "../keep/drop.js";
import { saveTimeline } from "../keep/picture.js";
import { cut } from "../picture/plain.js";
import { whole } from "../picture/replay.js";
import { csvText } from "../picture/rounds.js";
import { RULES } from "../rules/all.js";
import { el, query } from "../shared/dom.js";
import { minute } from "../shared/numbers.js";
import { save } from "../shared/save.js";
import { fillText } from "../shared/sentences.js";
import { part } from "./part.js";
import { text } from "./runs.js";

/** @import { Given, Run } from "./types.js" */

/**
 * @param {Given} given
 * @param {{ open: (file: File) => void, say: (state: string, message: string) => void, shown: () => Run | null }} act
 */
export function makeFiles(given, { open, say, shown }) {
  const { words, drop: cue, files } = given;
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
    rounds: (run) => save(files.rounds, "text/csv", csvText(run.trace, RULES)),
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

const TITLE = 60; // characters of a prompt in it

/** @param {Given} given @param {Run} run */
async function handoutOf({ words, known }, { picture, trace }) {
  const { around, title, note } = JSON.parse(await text("handout.json", words.lost));
  const { prompt, created, config } = picture.header;
  const rule = known.words[`rule_${config.verifier}`];
  const measured = fillText(note, { when: minute(created) });
  const told = [measured, ...(config.exact ? [] : [fillText(known.words.not_exact, { rule })])];
  const data = JSON.stringify({ ...known, run: whole(trace) });
  const name = fillText(title, { prompt: cut(prompt.split(/\s+/).filter(Boolean).join(" "), TITLE) });
  // a `<` in a script element could end it
  const parts = [escaped(name), escaped(told.join(" ")), data.replace(/</g, "\\u003c")];
  return around.map((/** @type {string} */ piece, /** @type {number} */ i) => piece + (parts[i] ?? "")).join("");
}

/** @param {string} text */
const escaped = (text) => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

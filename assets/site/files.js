// Open a run from a file, chosen or dropped, and save the one that is shown: its trace, a table of its rounds, a
// hand-out, its timeline as a picture.

import { drop } from "../keep/drop.js";
import { saveRounds, saveTimeline } from "../keep/late.js";
import { truncate } from "../picture/plain.js";
import { asPacked } from "../picture/replay.js";
import { el, query } from "../shared/dom.js";
import { minute } from "../shared/numbers.js";
import { save } from "../shared/save.js";
import { fillText } from "../shared/sentences.js";
import { mountComponent } from "./component.js";
import { text } from "./runs.js";

/** @import { SiteData, Run } from "./types.js" */

/**
 * @param {SiteData} site
 * @param {{ open: (file: File) => void, showStatus: import("./live.js").ShowStatus,
 *   currentRun: () => Run | null }} actions
 */
export function makeFiles(site, { open, showStatus, currentRun }) {
  const { words, drop: cue, files } = site;
  const input = el("input", { type: "file", hidden: "", "aria-label": words.open, accept: ".jsonl,.gz" });
  query(document, "#open").after(input);
  query(document, "#open").addEventListener("click", () => input.click());
  input.addEventListener("change", () => {
    const file = input.files?.[0];
    if (file) open(file);
    input.value = ""; // the same file may be chosen again
  });
  mountComponent(drop, "#drop", { words: cue }, { dropped: () => showStatus("refused", { message: words.dropped }) });

  /** @type {Record<string, (run: Run) => void | Promise<void>>} */
  const savers = {
    save: (run) => save(files.save, "application/jsonl", run.bytes),
    rounds: (run) => saveRounds(run.trace),
    handout: async (run) => save(files.handout, "text/html", await handoutOf(site, run)),
    "save-picture": ({ picture }) => {
      saveTimeline(picture.lanes);
      showStatus("linked", { message: words.pictured });
    },
  };
  for (const [id, saveRun] of Object.entries(savers))
    query(document, `#${id}`).addEventListener("click", async () => {
      const run = currentRun();
      try {
        if (run) await saveRun(run);
      } catch (error) {
        showStatus("refused", { message: error instanceof Error ? error.message : words.lost });
      }
    });
}

const TITLE_CHARACTERS = 60; // of a prompt

/** @param {SiteData} site @param {Run} run */
async function handoutOf({ words, known }, { picture, trace }) {
  const { around, title, note } = JSON.parse(await text("handout.json", words.lost));
  const { prompt, created, config } = picture.header;
  const rule = known.words[`rule_${config.verifier}`];
  const measured = fillText(note, { when: minute(created) });
  const sentences = [measured, ...(config.exact ? [] : [fillText(known.words.not_exact, { rule })])];
  const data = JSON.stringify({ ...known, run: asPacked(trace) });
  const name = fillText(title, { prompt: truncate(prompt.split(/\s+/).filter(Boolean).join(" "), TITLE_CHARACTERS) });
  // a `<` in a script element could end it
  const parts = [escapeHtml(name), escapeHtml(sentences.join(" ")), data.replace(/</g, "\\u003c")];
  return around.map((/** @type {string} */ piece, /** @type {number} */ i) => piece + (parts[i] ?? "")).join("");
}

/** @param {string} text */
const escapeHtml = (text) => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

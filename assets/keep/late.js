// What makes files of a run: the trace, a hand-out, its timeline as a picture in the page's colours, its rounds as a table.
// Sent to the page when the first is saved, as window.specvizFiles (specviz/page/watch/race.py).

import { saveChart } from "../chart/save.js";
import { LETTER, query, shape, text, wrapWords } from "../player/dom.js";
import { currentRun, save, unpackBytes } from "../player/page.js";
import { truncate, unpack } from "../player/picture.js";
import { keyOf, timelineDrawing } from "../player/race.js";
import { csvText } from "../player/rounds.js";
import { ABOUT, fillText, minute, ROLES, TERMS, WORDS } from "../player/words.js";
import { MAX_BYTES } from "./visit.js";

/** @import { Packed } from "../player/picture.js" */
/** @import { Picture, Vocabulary } from "../shared/types.js" */
/** @import { Trace } from "../trace/types.js" */

const WIDTH = 1176; // px: with its edge 1200
const LINE = 18; // px

/** The timeline for a file, with its key, under a line of text.
 * @param {Picture["lanes"]} lanes @param {string} caption */
export function savedTimeline(lanes, caption) {
  const lines = wrapWords(caption, WIDTH / LETTER);
  const top = 12 + LINE * (lines.length + 1);
  const size = { width: WIDTH, height: 228 + top, left: 103, right: 14, top, bottom: 40 };
  const svg = timelineDrawing(lanes, size);
  svg.append(...lines.map((line, i) => text(0, 14 + LINE * i, line, "start", { kind: "tick" })));
  let x = 0;
  for (const [series, word] of keyOf()) {
    const sign = shape("rect", {
      class: "sv-chart-area",
      x,
      y: top - 27,
      width: 12,
      height: 12,
      "data-series": series,
    });
    svg.append(sign, text(x + 20, top - 16, word, "start", { kind: "tick" }));
    x += 42 + word.length * LETTER;
  }
  return svg;
}

/** @param {Picture["lanes"]} lanes */
export function saveTimeline(lanes) {
  const race = query(document, "#race");
  const settings = race.querySelector(".sv-settings-line")?.textContent ?? "";
  saveChart(savedTimeline(lanes, settings), "specviz-timeline", race);
}

/** @param {Trace} trace */
export const saveRounds = (trace) => save("specviz-rounds.csv", "text/csv", csvText(trace, ABOUT.rules));

/** @param {Uint8Array<ArrayBuffer>} bytes of the trace */
export const saveTrace = (bytes) => save("specviz-run.jsonl", "application/jsonl", bytes);

/** What stands around the title, the note and the data of a hand-out, and the sentences of the first two.
 * @typedef {{ around: string[], title: string, note: string }} Handout */

const TITLE_CHARACTERS = 60; // of a prompt

/** @param {string} text */
const escapeHtml = (text) => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

/** The run as one HTML file, as specviz/picture/replay.py makes it. @param {Handout} handout @param {Vocabulary} known
 * @param {Picture["header"]} header @param {Packed} run */
export function saveHandout({ around, title, note }, known, { prompt, created, config }, run) {
  const words = /** @type {Record<string, string>} */ (known.words);
  const name = fillText(title, { prompt: truncate(prompt.split(/\s+/).filter(Boolean).join(" "), TITLE_CHARACTERS) });
  const rule = words[`rule_${config.verifier}`];
  const origin = fillText(note, { when: minute(created) });
  const sentences = [origin, ...(config.exact ? [] : [fillText(words.not_exact, { rule })])];
  const data = JSON.stringify({ ...known, run }).replace(/</g, "\\u003c"); // a `<` in a script element could end it
  const parts = [escapeHtml(name), escapeHtml(sentences.join(" ")), data];
  save("specviz-handout.html", "text/html", around.map((piece, i) => piece + (parts[i] ?? "")).join(""));
}

/** The run that Watch shows. Rejects where its trace is not at hand. @param {import("../player/mount.js").Kind} kind
 * @param {{ handout: Handout, opening: string }} from `opening`: the run that the page began with, packed */
export async function saveShownRun(kind, { handout, opening }) {
  const { picture, payload, packedOf } = currentRun;
  if (!picture) return;
  const { id, ...run } = JSON.parse(payload);
  if (kind === "png") saveTimeline(picture.lanes);
  else if (kind === "csv") saveRounds(unpack(run));
  else if (kind === "run") saveTrace(await unpackBytes((id ? packedOf?.(id) : opening) ?? "", MAX_BYTES));
  else saveHandout(handout, { words: WORDS, roles: ROLES, terms: TERMS, about: ABOUT }, picture.header, run);
}

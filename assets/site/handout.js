// The run that is shown as one HTML file, the app's own (specviz/picture/handout.py): the file without a run comes from
// the site, and what a run says goes into it as text and as data, never as markup.

import { cut } from "../picture/plain.js";
import { whole } from "../picture/replay.js";
import { minute } from "../shared/numbers.js";
import { fillText } from "../shared/sentences.js";
import { text } from "./runs.js";

/** @import { Given, Run } from "./types.js" */

const TITLE = 60; // characters of a prompt in it

/** @param {Given} given @param {Run} run */
export async function handoutOf({ words, known }, { picture, trace }) {
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

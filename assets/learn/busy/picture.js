// Chapter 11: when not to draft: many texts at once as measured, and a large server by arithmetic.

import { filled } from "../../shared/sentences.js";
import { PAGE } from "../lesson.js";
import { addPicture } from "../pictures.js";
import { views } from "../views.js";
import { batchMap } from "./batches.js";
import { server } from "./server.js";

/** @import { Busy, Picture, Stage } from "./types.js" */

const BEAT_MS = 2600;

/** @param {Busy} excerpt @param {Stage} stage @returns {Picture} */
function busy({ measured }, stage) {
  const short = (/** @type {string} */ device) => device.replace(/,.*| \d+ ?GB.*/, ""); // the table says it whole
  const word = (/** @type {string} */ device) =>
    measured.length > 1 ? filled(PAGE.busy_on, { device: short(device) }) : PAGE.busy;
  const parts = [
    ...measured.map((found) => ({ ...batchMap(found), word: word(found.device) })),
    { ...server(stage), word: PAGE.server },
  ];
  return views("lrn-others", parts, BEAT_MS, stage);
}

addPicture("busy", busy);

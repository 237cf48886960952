// Chapter 11: when not to draft: many texts at once as measured, a large server by arithmetic, a mixture of experts.

import { el } from "../../shared/dom.js";
import { fillText } from "../../shared/sentences.js";
import { slow } from "../../shared/slow.js";
import { PAGE } from "../lesson.js";
import { addPicture } from "../pictures.js";
import { views } from "../views.js";
import { batchMap } from "./batches.js";
import { blockExperts } from "./experts.js";
import { server } from "./server.js";

/** @import { Busy, Picture, Say, Stage } from "../types.js" */

const BEAT_MS = 2600;
const EXAMPLE = { accepted: 0.5, K: 4, texts: 32 };

/** @param {Busy} excerpt @param {Stage} stage @returns {Picture} */
function busy({ measured, experts, slow: table }, stage) {
  const short = (/** @type {string} */ device) => device.replace(/,.*| \d+ ?GB.*/, ""); // the table says it whole
  const word = (/** @type {string} */ device) =>
    measured.length > 1 ? fillText(PAGE.busy_on, { device: short(device) }) : PAGE.busy;
  /** @type {Say} */
  const say = [PAGE.slow_says];
  const parts = [
    ...measured.map((found) => ({ ...batchMap(found), word: word(found.device) })),
    { ...server(stage), word: PAGE.server },
    ...(experts ? [{ ...blockExperts(experts, stage), word: PAGE.experts_view }] : []),
    { node: el("div", null, slow(table, EXAMPLE)), says: [say], show() {}, word: PAGE.slow_view },
  ];
  return views("lrn-others", parts, BEAT_MS, stage);
}

addPicture("busy", busy);

// Chapter 9: how fast, by the formula; and what the formula takes for granted, on a recorded run; and
// acceptance by position at each K.

import { PAGE } from "../lesson.js";
import { addPicture } from "../pictures.js";
import { views } from "../views.js";
import { byK } from "./by_k.js";
import { independence } from "./independence.js";
import { sweep } from "./sweep.js";

/** @import { Picture, Speed, Stage } from "../types.js" */

const BEAT_MS = 2400;

/** @param {Speed} excerpt @param {Stage} stage @returns {Picture} */
function speed(excerpt, stage) {
  const parts = [{ ...sweep(excerpt, stage), word: PAGE.view_map }];
  if (excerpt.stayed.length) parts.push({ ...independence(excerpt), word: PAGE.view_run });
  parts.push({ ...byK(excerpt.by_k), word: PAGE.view_k });
  return views("lrn-speeds", parts, BEAT_MS, stage);
}

addPicture("speed", speed);

// Chapter 12: what engines run: the chance to stay by rule, of three tokens and at recorded positions; who runs what;
// which rules are not exact.

import { PAGE } from "../lesson.js";
import { addPicture } from "../pictures.js";
import { views } from "../views.js";
import { defaults, distances } from "./defaults.js";
import { recordedPlaces } from "./places.js";
import { trio } from "./trio.js";

/** @import { Engines, Picture, Stage } from "./types.js" */

const BEAT_MS = 3000;

/** @param {Engines} excerpt @param {Stage} stage @returns {Picture} */
function whoRunsWhat({ recorded, temperature, engines, inexact }, stage) {
  const parts = [
    { ...trio(stage), word: PAGE.view_trio },
    ...(recorded ? [{ ...recordedPlaces(recorded, temperature, stage), word: PAGE.view_places }] : []),
    { ...defaults(engines), word: PAGE.view_engines },
    { ...distances(inexact), word: PAGE.view_inexact },
  ];
  return views("lrn-others", parts, BEAT_MS, stage);
}

addPicture("engines", whoRunsWhat);

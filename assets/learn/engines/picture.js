// Chapter 12: what engines run: the chance to stay by rule, of three tokens and at recorded positions; who runs what;
// which rules are not exact; what a grammar does to drafts.

import { PAGE } from "../lesson.js";
import { addPicture } from "../pictures.js";
import { views } from "../views.js";
import { defaults, distances, switches } from "./defaults.js";
import { grammar } from "./grammar.js";
import { recordedPlaces } from "./places.js";
import { trio } from "./trio.js";

/** @import { Engines, Picture, Stage } from "../types.js" */

const BEAT_MS = 3000;

/** @param {Engines} excerpt @param {Stage} stage @returns {Picture} */
function whoRunsWhat({ recorded, temperature, engines, inexact, masked }, stage) {
  const parts = [
    { ...trio(stage), word: PAGE.view_trio },
    ...(recorded ? [{ ...recordedPlaces(recorded, temperature, stage), word: PAGE.view_places }] : []),
    { ...defaults(engines), word: PAGE.view_engines },
    { ...switches(engines), word: PAGE.view_switch },
    { ...distances(inexact), word: PAGE.view_inexact },
    ...(masked ? [{ ...grammar(masked), word: PAGE.view_grammar }] : []),
  ];
  return views("lrn-others", parts, BEAT_MS, stage);
}

addPicture("engines", whoRunsWhat);

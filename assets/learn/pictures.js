// The picture of each chapter, by its key.

import { accept } from "./accept.js";
import { alone } from "./alone.js";
import { busy } from "./busy.js";
import { draft } from "./draft.js";
import { engines } from "./engines.js";
import { guess } from "./guess.js";
import { residual } from "./residual.js";
import { rounds } from "./rounds.js";
import { speed } from "./speed.js";
import { verify } from "./verify.js";
import { ways } from "./ways.js";
import { whole } from "./whole.js";

/** @import { Excerpts, Picture, Stage } from "./types.js" */

/** @type {{ [Key in keyof Excerpts]: (excerpt: NonNullable<Excerpts[Key]>, stage: Stage) => Picture }} */
const PICTURES = { alone, guess, draft, verify, accept, residual, rounds, whole, speed, ways, busy, engines };

/**
 * null where no recorded run has anything to show.
 * @template {keyof Excerpts} Key
 * @param {Key} key @param {Excerpts} excerpts @param {Stage} stage
 */
export function pictureOf(key, excerpts, stage) {
  const excerpt = excerpts[key];
  if (!excerpt || (Array.isArray(excerpt) && !excerpt.length)) return null;
  return PICTURES[key](excerpt, stage);
}

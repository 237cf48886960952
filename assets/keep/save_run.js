// A file of the run that is shown: what makes it is sent with the first.

import { loadBundle } from "../shared/bundle.js";
import { currentRun } from "../shared/current_run.js";

/** @typedef {"png" | "csv"} Kind its timeline as a picture, its rounds as a table */

/**
 * What is returned is what the status line says.
 * @param {Kind} kind @param {string} done it is saved @param {string} none there is no run to save
 * @param {string} lost the script does not come
 */
export async function saveRun(kind, done, none, lost) {
  const { picture, files } = currentRun;
  if (!picture) return none;
  try {
    loadBundle("specvizFiles", JSON.parse((await files?.("")) ?? "")).saveShownRun(kind);
    return done;
  } catch (error) {
    console.warn(error);
    return lost;
  }
}

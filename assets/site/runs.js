// Where runs come from: those that are recorded here.

import { readPicture } from "../shared/picture.js";

/** A run that could not be had, in a sentence. */
export class RunError extends Error {}

/** The text of a file of this site. @param {string} path @param {string} lost the sentence where it cannot be had */
export async function text(path, lost) {
  const response = await fetch(path).catch(() => null);
  if (!response?.ok) throw new RunError(lost);
  return response.text();
}

/** @param {string} name @param {string} lost */
export const recordedRun = async (name, lost) => {
  const value = await text(`runs/${name}.json`, lost);
  return { value, picture: readPicture(value) };
};

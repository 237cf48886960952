// The address names the chapter that is on the screen: ?chapter=5.

import { keepAddress as keep } from "../shared/address.js";

/**
 * The chapter that an address asks for, from 0; null if it asks for none.
 * @param {string} search @param {number} chapters how many there are
 */
export function addressChapter(search, chapters) {
  const n = new URLSearchParams(search).get("chapter") || "";
  return /^[1-9]\d?$/.test(n) && Number(n) <= chapters ? Number(n) - 1 : null;
}

/** A step that Back takes back. @param {number | null} chapter */
export const keepAddress = (chapter) => keep(chapter === null ? {} : { chapter: String(chapter + 1) });

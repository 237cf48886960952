// A file that the page made, as a download.

import { el } from "./dom.js";

/** @param {string} name @param {string} type @param {BlobPart} data */
export function save(name, type, data) {
  const href = URL.createObjectURL(new Blob([data], { type }));
  el("a", { download: name, href }).click();
  setTimeout(() => URL.revokeObjectURL(href), 1000);
}

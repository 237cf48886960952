// The panels of the Lab by their keys. A panel names its own in assets/lab/KEY/panel.js, and all such files are part of
// the script of the Lab (specviz/picture/sheets.py).

/** @import { MakePanel } from "./types.js" */

/** @type {Record<string, MakePanel>} */
export const PANELS = {};

/** The words around every panel (specviz/words/lab.toml). @type {Record<string, string>} */
export const PAGE = {};

/** @param {string} key @param {MakePanel} make */
export function addPanel(key, make) {
  PANELS[key] = make;
}

/** px of one of two charts beside each other, where there is room for both; else of all. @param {number} width */
export const columnWidth = (width) => (width >= 760 ? (width - 32) / 2 : width);

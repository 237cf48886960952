// The panels of the Lab by their keys. A panel names its own in assets/lab/KEY/panel.js, and all such files are part of
// the script of the Lab (specviz/picture/bundle.py).

/** @import { MakePanel } from "./types.js" */

/** @type {Record<string, MakePanel>} */
export const PANELS = {};

/** @param {string} key @param {MakePanel} make */
export function addPanel(key, make) {
  PANELS[key] = make;
}

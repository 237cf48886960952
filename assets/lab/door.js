// The door of the Lab, the one file of it in the page's own script: all else comes when the tab is first opened.

import { loadBundle } from "../shared/late.js";
import { currentRun } from "../shared/shown.js";
import { ROLES, TERMS, WORDS } from "../shared/words.js";

/** @import { FrameMount, Lab, PanelMount } from "./types.js" */

/** @type {PanelMount[]} panels that were mounted before there was anything to draw them with */
const early = [];
/** @type {Lab | null} */
let open = null;

/** @param {FrameMount} mount */
export async function lab(mount) {
  const root = /** @type {HTMLElement} */ (mount.element.querySelector(".lab"));
  root.textContent = mount.props.opening;
  try {
    const sent = JSON.parse(await mount.server.everything(""));
    open = /** @type {Lab} */ (loadBundle("specvizLab", sent));
    open.frame(root, sent, { words: WORDS, roles: ROLES, terms: TERMS }, () => currentRun.picture);
  } catch (error) {
    console.warn(error);
    root.textContent = mount.props.lost;
    return;
  }
  for (const one of early.splice(0)) open.panel(one);
}

/** @param {PanelMount} mount */
export function labPanel(mount) {
  if (open) open.panel(mount);
  else early.push(mount);
}

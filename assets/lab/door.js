// The door of the Lab, the one file of it in the page's own script: all else comes when the tab is first opened.

import { loadBundle } from "../shared/bundle.js";

/** @import { FrameMount, Lab, PanelMount } from "./types.js" */

/** @type {PanelMount[]} panels that were mounted before there was anything to draw them with */
const earlyMounts = [];
/** @type {Lab | null} */
let loadedLab = null;

/** @param {FrameMount} mount */
export async function lab(mount) {
  const root = /** @type {HTMLElement} */ (mount.element.querySelector(".lab"));
  root.textContent = mount.props.opening;
  try {
    const data = JSON.parse(await mount.server.everything(""));
    loadedLab = /** @type {Lab} */ (loadBundle("specvizLab", data));
    loadedLab.mountLab(root, data);
  } catch (error) {
    console.warn(error);
    root.textContent = mount.props.lost;
    return;
  }
  for (const mount of earlyMounts.splice(0)) loadedLab.addPanelMount(mount);
}

/** @param {PanelMount} mount */
export function labPanel(mount) {
  if (loadedLab) loadedLab.addPanelMount(mount);
  else earlyMounts.push(mount);
}

// The door of the Lab, the one file of it in the page's own script: all else comes when the tab is first opened.

import { shown } from "../shared/shown.js";
import { ROLES, WORDS } from "../shared/words.js";

/** @import { FrameMount, Lab, PanelMount, Sent } from "./types.js" */

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
    open = come(sent);
    open.frame(root, sent, { words: WORDS, roles: ROLES }, () => shown.picture);
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

/** @param {Sent} sent @returns {Lab} */
function come({ script, style }) {
  const add = (/** @type {string} */ tag, /** @type {string} */ text) => {
    const node = document.createElement(tag);
    node.textContent = text;
    document.head.append(node);
  };
  if (!("specvizLab" in window)) {
    add("style", style);
    add("script", script);
  }
  return /** @type {any} */ (window).specvizLab;
}

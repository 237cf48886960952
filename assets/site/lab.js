// The Lab on a page without a server: its panels that need none. Script and sheet come when the tab is first opened.

import { lab, labPanel } from "../lab/door.js";
import { el, the } from "../shared/dom.js";
import { part } from "./part.js";
import { recordedRun, text } from "./runs.js";

/** @import { Given, Values } from "./types.js" */

/** @param {Given} given @param {(settings: Values) => void} take sets these in Watch, and shows it */
export function openLab(given, take) {
  const { words, panels, recorded } = given;
  const answers = text("lab.json", words.lost).then(JSON.parse);
  const everything = async () => {
    const sheet = el("link", { rel: "stylesheet", href: "lab.css" });
    const script = el("script", { src: "lab.js" });
    document.head.append(sheet, script);
    await Promise.all([sheet, script].map((node) => loaded(node, words.lost)));
    return JSON.stringify((await answers).sent);
  };
  /** @type {Record<string, (sent?: unknown) => Promise<string>>} */
  const server = {
    hardware: async () => (await answers).answers.hardware,
    recorded_run: async (name) =>
      recorded.some((one) => one.name === name) ? (await recordedRun(String(name), given)).value : "",
  };
  for (const key of panels) {
    the(document, "#lab-tab").append(el("div.lab-box", { id: `lab-${key}` }, el("section.lab-panel")));
  }
  part(lab, "#lab", { opening: words.opening, lost: words.lost }, { server: { everything } });
  for (const key of panels) part(labPanel, `#lab-${key}`, { panel: key }, { server, run() {}, stop() {}, take });
}

/** @param {HTMLElement} node @param {string} lost @returns {Promise<void>} */
const loaded = (node, lost) =>
  new Promise((resolve, reject) => {
    node.addEventListener("load", () => resolve());
    node.addEventListener("error", () => reject(new Error(lost)));
  });

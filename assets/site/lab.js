// The Lab on a page without a server. Its script, sheet and words come when the tab is first opened.

import { lab, labPanel } from "../lab/door.js";
import { el, query } from "../shared/dom.js";
import { makeExperiments } from "./experiments.js";
import { panelLine } from "./line.js";
import { part } from "./part.js";
import { people } from "./people.js";
import { recordedRun, text } from "./runs.js";

/** @import { Settings } from "../lab/types.js" */
/** @import { Live } from "./live.js" */
/** @import { Given, LabFile, Values } from "./types.js" */

/** @param {Given} given @param {Live} live @param {(settings: Values) => void} take sets these in Watch and shows it */
export function openLab(given, live, take) {
  const { words, panels, recorded } = given;
  /** @type {Promise<LabFile>} */
  const file = text("lab.json", words.lost).then(JSON.parse);
  const experiments = makeExperiments(given, live, file);
  const { begin, pieces, score } = people(given, live);
  const server = {
    begin,
    pieces,
    score,
    hardware: async () => (await file).answers.hardware,
    recorded_load: async () => (await file).answers.recorded_load,
    recorded_luck: async () => (await file).answers.recorded_luck,
    recorded_sweep: async () => (await file).answers.recorded_sweep,
    recorded_run: async (/** @type {unknown} */ name) =>
      recorded.some((one) => one.name === name) ? (await recordedRun(String(name), given)).value : "",
  };
  const line = () => panelLine(given);
  const embed = { word: words.embed, copied: words.panel_copied, refused: words.embed_line, line };
  for (const key of panels) {
    query(document, "#lab-tab").append(el("div.lab-box", { id: `lab-${key}` }, el("section.lab-panel")));
  }
  const everything = async () => JSON.stringify((await file).sent);
  part(lab, "#lab", { opening: words.opening, lost: words.lost }, { server: { everything } });
  for (const key of panels) {
    const run = (/** @type {Settings} */ settings) => experiments.run(key, settings, tell);
    const more = { server, run, stop: experiments.stop, take, embed };
    const tell = part(labPanel, `#lab-${key}`, { panel: key }, more);
  }
}

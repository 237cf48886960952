// The Lab on a page without a server. Its script, sheet and words come when the tab is first opened.

import { lab, labPanel } from "../lab/door.js";
import { el, query } from "../shared/dom.js";
import { fillText } from "../shared/sentences.js";
import { mountComponent } from "./component.js";
import { panelLine } from "./line.js";
import { readOrExplain } from "./live.js";
import { sentence } from "./luck.js";
import { people } from "./people.js";
import { requestParsers } from "./requests.js";
import { recordedRun, text } from "./runs.js";
import { fitting, problemSentence } from "./settings.js";

/** @import { LuckResult } from "../lab/luck/types.js" */
/** @import { RunMessage, Settings } from "../lab/types.js" */
/** @import { Live } from "./live.js" */
/** @import { LabFile, SiteData, Values } from "./types.js" */

/** @param {SiteData} site @param {Live} live
 * @param {(settings: Values) => void} useInWatch sets these in Watch and shows it */
export function openLab(site, live, useInWatch) {
  const { words, panels, recorded } = site;
  /** @type {Promise<LabFile>} */
  const file = text("lab.json", words.lost).then(JSON.parse);
  const experiments = makeExperiments(site, live, file);
  const { begin, pieces, score } = people(site, live);
  const server = {
    begin,
    pieces,
    score,
    measured: async () => (await file).answers.measured,
    recorded_luck: async () => (await file).answers.recorded_luck,
    recorded_sweep: async () => (await file).answers.recorded_sweep,
    recorded_run: async (/** @type {unknown} */ name) =>
      recorded.some((one) => one.name === name) ? (await recordedRun(String(name), site)).value : "",
  };
  const line = () => panelLine(site);
  const embed = { word: words.embed, copied: words.panel_copied, refused: words.embed_line, line };
  for (const key of panels) {
    query(document, "#lab-tab").append(el("div.lab-box", { id: `lab-${key}` }, el("section.lab-panel")));
  }
  const everything = async () => JSON.stringify((await file).sent);
  mountComponent(lab, "#lab", { opening: words.opening, lost: words.lost }, { server: { everything } });
  for (const key of panels) {
    const run = (/** @type {Settings} */ settings) => experiments.run(key, settings, update);
    const more = { server, run, stop: experiments.stop, take: useInWatch, embed, notice: linkNotice(key, site) };
    const update = mountComponent(labPanel, `#lab-${key}`, { panel: key }, more);
  }
}

/** What the address asks of a panel and only the app has, as one sentence; nothing where that is nothing.
 * @param {string} key of the panel @param {SiteData} site */
function linkNotice(key, site) {
  const parameters = new URLSearchParams(location.search);
  if (parameters.get("lab") !== key) return "";
  const lacking = [...parameters].flatMap(([name, value]) => {
    const field = name.replace(/^lab_(b_)?/, "");
    const values = field === "drafters" ? value.split(/[,;\s]+/).map((drafter) => ({ drafter })) : [{ [field]: value }];
    return values.flatMap((one) => fitting(site, one).lacking);
  });
  return problemSentence(
    { problems: [...new Set(lacking)].map((name) => fillText(site.words.app_only, { name })) },
    site,
  );
}

/** @param {SiteData} site @param {Live} live @param {Promise<LabFile>} file */
function makeExperiments(site, live, file) {
  let stopped = false;
  return {
    stop() {
      stopped = true;
      live.stop();
    },
    /** @param {string} key of the panel @param {Settings} fields @param {(value: string) => void} update */
    async run(key, fields, update) {
      const report = (/** @type {RunMessage} */ message) => update(JSON.stringify(message));
      stopped = false;
      /** @type {unknown} */
      let last = null;
      report({ state: "running", done: 0, of: 1 });
      try {
        const { sent: lab, luck } = await file;
        const { words } = /** @type {LabFile["sent"]["panels"][number]} */ (lab.panels.find((one) => one.key === key));
        const { work, keys, ran } = readOrExplain(() => requestParsers[key](site, words, fields));
        const complete = (/** @type {unknown} */ result) =>
          key === "luck"
            ? { .../** @type {LuckResult} */ (result), sentence: sentence(/** @type {LuckResult} */ (result), luck) }
            : { .../** @type {object} */ (result), ran };
        const fetching = (/** @type {string} */ _, /** @type {Record<string, unknown>} */ values = {}) =>
          report({ state: "running", done: 0, of: 1, message: String(values.message) });
        const start = performance.now();
        const result = await live.resultOf(work, keys, fetching, (message) => {
          if (message.type !== "step") return;
          const { done, of } = message;
          if (message.result) last = complete(message.result);
          const left = ((performance.now() - start) / 1000 / done) * (of - done);
          report({ state: "running", done, of, left, ...(message.result ? { found: last } : {}) });
        });
        if (result) last = complete(result);
        report({ state: stopped ? "stopped" : "done", found: last });
      } catch (error) {
        report({ state: "error", message: error instanceof Error ? error.message : site.words.lost, found: last });
      }
    },
  };
}

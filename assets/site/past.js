// The runs of this visit on a page without a server. The browser keeps them as it keeps those of the app
// (specviz/page/keep/reader.py).

import { history } from "../keep/history.js";
import { packBytes, unpackBytes } from "../shared/packing.js";
import { mountComponent } from "./component.js";
import { openRun } from "./runs.js";

/** @import { PackedRun } from "../keep/stored_runs.js" */
/** @import { SiteData, Run } from "./types.js" */

/** @param {SiteData} site @param {(run: Run) => void} show */
export function makePast(site, show) {
  const handlers = {
    /** Read as strictly as a file from anybody. @param {PackedRun} packed */
    async again({ data }) {
      const run = await unpackBytes(data, site.contract.limits.file)
        .then((bytes) => openRun(new Blob([bytes]), site))
        .catch(() => null);
      if (run) show(run);
    },
  };
  const paint = mountComponent(history, "#history", { words: site.history, value: "" }, handlers);
  return {
    /** @param {Run} run @param {string} source run, file or recorded */
    async add({ picture: { header }, bytes }, source) {
      const id = `${header.created} ${bytes.length} ${header.prompt.length}`;
      paint(JSON.stringify({ id, source, data: await packBytes(bytes) }));
    },
  };
}

// Learn on a page without a server. What is printed are files of the site: a page that is made here would inherit the
// policy, which names no style of theirs.

import { learn } from "../learn/tab.js";
import { mountComponent } from "./component.js";
import { people } from "./people.js";
import { text } from "./runs.js";

/** @import { Live } from "./live.js" */
/** @import { SiteData } from "./types.js" */

/** @param {SiteData} site @param {Live} live @param {(chapter: number) => void} [tryIt] */
export function openLearn(site, live, tryIt = () => {}) {
  const { lesson, words } = site;
  const server = {
    recorded_rounds: () => text("learn.json", words.lost),
    teachers_pack: async () => "pack.html",
    students_sheet: async () => "sheet.html",
  };
  mountComponent(
    learn,
    "#learn",
    { lesson, measures: false },
    { server, drafting: people(site, live), measure() {}, tryIt },
  );
}

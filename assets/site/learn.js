// Learn on a page without a server. What is printed are files of the site: a page that is made here would inherit the
// policy, which names no style of theirs.

import { learn } from "../learn/tab.js";
import { part } from "./part.js";
import { people } from "./people.js";
import { text } from "./runs.js";

/** @import { LearnMount } from "../learn/types.js" */
/** @import { Live } from "./live.js" */
/** @import { Given } from "./types.js" */

/** @param {Given} given @param {Live} live @param {(chapter: number) => void} [tryIt] */
export function openLearn(given, live, tryIt = () => {}) {
  const { lesson, words } = given;
  const server = {
    recorded_rounds: () => text("learn.json", words.lost),
    teachers_pack: async () => "pack.html",
    students_sheet: async () => "sheet.html",
    sheets_of_the_study: async () => "study.html",
  };
  const component = (/** @type {LearnMount} */ mount) => learn(mount);
  part(
    component,
    "#learn",
    { lesson, measures: false },
    { server, drafting: people(given, live), measure() {}, tryIt },
  );
}

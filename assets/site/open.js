// specviz without a server: files on any web server. What it shows and says is the app's (specviz/site/build.py).

import { learn } from "../learn/tab.js";
import { the } from "../shared/dom.js";
import { filled } from "../shared/sentences.js";
import { know } from "../shared/words.js";
import { embed } from "./embed.js";
import { openLab } from "./lab.js";
import { makeLive } from "./live.js";
import { part } from "./part.js";
import { text } from "./runs.js";
import { makeTabs } from "./tabs.js";
import { followTheme } from "./theme.js";
import { makeWatch } from "./watch.js";

/** @import { LearnMount } from "../learn/types.js" */
/** @import { Given, Values } from "./types.js" */

/** Once a visit is shown, its files are kept for one without a connection. */
function keepOffline() {
  const keep = () => navigator.serviceWorker?.register("sw.js").catch((error) => console.warn(error));
  if (document.readyState === "complete") keep();
  else addEventListener("load", keep);
}

export function open() {
  followTheme();
  const given = /** @type {Given} */ (JSON.parse(the(document, "#sv-data").textContent || ""));
  const { words } = given;
  know(given.known);
  if (document.body.hasAttribute("data-embed")) return void embed(given);
  const live = makeLive(given);
  const watch = makeWatch(given, live);
  watch.begin();
  const take = (/** @type {Values} */ values) => watch.set(values, words.taken);
  const server = {
    recorded_rounds: () => text("learn.json", words.lost),
    teachers_pack: () => text("pack.html", words.lost),
    students_sheet: () => text("sheet.html", words.lost),
    sheets_of_the_study: () => text("study.html", words.lost),
  };
  const tryIt = (/** @type {number} */ n) => {
    const back = filled(words.back_to_chapter, { n });
    watch.set(given.chapters[n - 1], filled(words.chapter_read, { n }), back);
  };
  makeTabs({
    "learn-tab": () =>
      part(
        (/** @type {LearnMount} */ mount) => learn(mount),
        "#learn",
        { lesson: given.lesson, measures: false },
        { server, measure() {}, tryIt },
      ),
    "lab-tab": () => openLab(given, live, take),
  });
  keepOffline();
}

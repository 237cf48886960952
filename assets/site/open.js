// specviz without a server: files on any web server. What it shows and says is the app's (specviz/site/build.py).

import { query } from "../shared/dom.js";
import { fillText } from "../shared/sentences.js";
import { openTab, tabOf } from "../shared/tabs.js";
import { followTheme } from "../shared/theme.js";
import { setVocabulary } from "../shared/words.js";
import { embed } from "./embed.js";
import { openLab } from "./lab.js";
import { openLearn } from "./learn.js";
import { makeLive } from "./live.js";
import { makeWatch } from "./watch.js";

/** @import { Given, Values } from "./types.js" */
/** @import { TabName } from "../shared/tabs.js" */

/** Once a visit is shown, its files are kept for one without a connection. */
function keepOffline() {
  const keep = () => navigator.serviceWorker?.register("sw.js").catch((error) => console.warn(error));
  if (document.readyState === "complete") keep();
  else addEventListener("load", keep);
}

export function open() {
  const theme = new URLSearchParams(location.search).get("theme");
  followTheme(theme === "dark" || theme === "light" ? theme : null);
  const given = /** @type {Given} */ (JSON.parse(query(document, "#sv-data").textContent || ""));
  const { words } = given;
  setVocabulary(given.known);
  if (document.body.hasAttribute("data-embed")) return void embed(given);
  const live = makeLive(given);
  const watch = makeWatch(given, live);
  watch.begin();
  const take = (/** @type {Values} */ values) => watch.set(values, words.taken);
  const tryIt = (/** @type {number} */ n) => {
    const back = fillText(words.back_to_chapter, { n });
    watch.set(given.chapters[n - 1], fillText(words.chapter_read, { n }), back);
  };
  makeTabs({ "learn-tab": () => openLearn(given, live, tryIt), "lab-tab": () => openLab(given, live, take) });
  keepOffline();
}

/** @param {Partial<Record<TabName, () => void>>} first what happens when a tab is first opened */
function makeTabs(first) {
  const tabs = /** @type {HTMLButtonElement[]} */ ([...document.querySelectorAll("#tabs [role=tab]")]);
  const waiting = new Map(Object.entries(first));
  for (const [i, tab] of tabs.entries()) {
    tab.addEventListener("click", () => choose(tabs, tab, waiting));
    tab.addEventListener("keydown", ({ key }) => {
      const way = { ArrowRight: 1, ArrowLeft: -1 }[key] ?? 0;
      const next = way && tabs[(i + way + tabs.length) % tabs.length];
      if (!next) return;
      next.focus();
      next.click();
    });
  }
  openTab(tabOf(location.search));
}

/** @param {HTMLButtonElement[]} tabs @param {HTMLButtonElement} chosen @param {Map<string, () => void>} waiting */
function choose(tabs, chosen, waiting) {
  for (const tab of tabs) {
    const on = tab === chosen;
    tab.setAttribute("aria-selected", String(on));
    tab.tabIndex = on ? 0 : -1;
    query(document, `#${tab.getAttribute("aria-controls")}`).hidden = !on;
  }
  const name = chosen.getAttribute("aria-controls") ?? "";
  const act = waiting.get(name);
  waiting.delete(name);
  act?.();
}

// specviz without a server: files on any web server. What it shows and says is the app's (specviz/site/build.py). What Learn
// prints are files of the site: a page that is made here would inherit the policy, which names no style of theirs.

import { postHeight, showFigure } from "../handout/open.js";
import { learn } from "../learn/tab.js";
import { followTheme, query, setText } from "../player/dom.js";
import { bytesOf, openTab, tabOf } from "../player/page.js";
import { fillText, setVocabulary } from "../player/words.js";
import { openLab, people } from "./lab.js";
import { makeLive } from "./live.js";
import { mountComponent, openRun, RunError, recordedRun, runAt, text } from "./runs.js";
import { problemSentence, readLink } from "./settings.js";
import { makeWatch } from "./watch.js";

/** @import { TabName } from "../player/page.js" */
/** @import { Live } from "./live.js" */
/** @import { Run, SiteData, Values } from "./types.js" */

/** @param {SiteData} site @param {Live} live @param {(chapter: number) => void} [tryIt] */
function openLearn(site, live, tryIt = () => {}) {
  const { lesson, words } = site;
  const server = {
    recorded_rounds: () => text("learn.json", words.lost),
    teachers_pack: async () => "pack.html",
    students_sheet: async () => "sheet.html",
  };
  mountComponent(learn, "#learn", { lesson, measures: false }, { server, drafting: people(site, live), measure() {}, tryIt });
}

/** @type {Record<string, (site: SiteData, parameters: URLSearchParams) => Promise<void> | void>} */
const FIGURES = { race, round: race, inspector: race, chapter, panel };

/** Once a visit is shown, its files are kept for one without a connection. */
function keepOffline() {
  const keep = () => navigator.serviceWorker?.register("sw.js").catch((error) => console.warn(error));
  if (document.readyState === "complete") keep();
  else addEventListener("load", keep);
}

export function open() {
  const theme = new URLSearchParams(location.search).get("theme");
  followTheme(theme === "dark" || theme === "light" ? theme : null);
  const site = /** @type {SiteData} */ (JSON.parse(query(document, "#sv-data").textContent || ""));
  const { words } = site;
  setVocabulary(site.known);
  if (document.body.hasAttribute("data-embed")) return void embed(site);
  const live = makeLive(site);
  const watch = makeWatch(site, live);
  watch.showFirst();
  const useInWatch = (/** @type {Values} */ values) => watch.useSettings(values, words.taken);
  const tryIt = (/** @type {number} */ n) => {
    const back = fillText(words.back_to_chapter, { n });
    watch.useSettings(site.chapters[n - 1], fillText(words.chapter_read, { n }), back);
  };
  makeTabs({ "learn-tab": () => openLearn(site, live, tryIt), "lab-tab": () => openLab(site, live, useInWatch) });
  keepOffline();
}

/** @param {Partial<Record<TabName, () => void>>} first what happens when a tab is first opened */
function makeTabs(first) {
  const tabs = /** @type {HTMLButtonElement[]} */ ([...document.querySelectorAll("#tabs [role=tab]")]);
  const firstActions = new Map(Object.entries(first));
  const showTab = (/** @type {HTMLButtonElement} */ shownTab) => {
    for (const tab of tabs) {
      const on = tab === shownTab;
      tab.setAttribute("aria-selected", String(on));
      tab.tabIndex = on ? 0 : -1;
      query(document, `#${tab.getAttribute("aria-controls")}`).hidden = !on;
    }
    const name = shownTab.getAttribute("aria-controls") ?? "";
    const act = firstActions.get(name);
    firstActions.delete(name);
    act?.();
  };
  for (const [i, tab] of tabs.entries()) {
    tab.addEventListener("click", () => showTab(tab));
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

/** One figure alone, for a page of somebody else: embed.html?figure=race&recorded=hot. It tells its height to the page
 * around it, and shows what its address asks for; nothing else goes in or out. @param {SiteData} site */
async function embed(site) {
  const parameters = new URLSearchParams(location.search);
  const figure = parameters.get("figure") ?? "race";
  postHeight(figure);
  const refuse = (/** @type {string} */ sentence) => setText(query(document, "#status"), sentence);
  if (!Object.hasOwn(FIGURES, figure)) return refuse(site.words.figure_unknown);
  try {
    await FIGURES[figure](site, parameters);
  } catch (error) {
    console.warn(error);
    refuse(error instanceof RunError ? error.message : site.words.lost);
  }
}

/** @param {SiteData} site @param {URLSearchParams} parameters */
async function race(site, parameters) {
  const { picture } = await linkedRun(site);
  const [round, token] = ["round", "token"].map((name) => Number.parseInt(parameters.get(name) ?? "", 10));
  showFigure(picture, { figure: parameters.get("figure") ?? "race", lane: parameters.get("lane"), round, token });
}

/** @param {SiteData} site @returns {Promise<Run>} by its name, by its address, or as it stands in the link itself */
async function linkedRun(site) {
  const match = /^#trace=([\w-]+)$/.exec(location.hash);
  if (match) return openRun(new Blob([bytesOf(match[1])]), site);
  const link = readLink(location.search, site);
  if (link.problems.length) throw new RunError(problemSentence(link, site));
  if (link.run !== null) return runAt(link.run, site);
  return recordedRun(link.recorded ?? site.opening.name, site);
}

/** @param {SiteData} site */
function chapter(site) {
  query(document, "#learn-tab").hidden = false;
  openLearn(site, makeLive(site));
}

/** @param {SiteData} site */
function panel(site) {
  query(document, "#lab-tab").hidden = false;
  openLab(site, makeLive(site), () => {});
}

// One figure alone, for a page of somebody else: embed.html?figure=race&recorded=hot. It tells its height to the page
// around it, and shows what its address asks for; nothing else goes in or out.

import { makeTimeline } from "../handout/timeline.js";
import { the } from "../shared/dom.js";
import { chooseRound, pick } from "../watch/pick.js";
import { makeRace, show } from "../watch/race.js";
import { openLab } from "./lab.js";
import { openLearn } from "./learn.js";
import { problem, readLink } from "./link.js";
import { makeLive } from "./live.js";
import { bytesOf } from "./packed.js";
import { openRun, RunError, recordedRun, runAt } from "./runs.js";

/** @import { LaneName, Picture } from "../shared/types.js" */
/** @import { Race } from "../watch/types.js" */
/** @import { Given, Run } from "./types.js" */

/** @type {Record<string, (given: Given, asked: URLSearchParams) => Promise<void> | void>} */
const FIGURES = { race, round: race, inspector: race, chapter, panel };

/** @param {Given} given */
export async function embed(given) {
  const asked = new URLSearchParams(location.search);
  const figure = asked.get("figure") ?? "race";
  document.body.dataset.figure = figure;
  tellHeight(figure);
  if (!Object.hasOwn(FIGURES, figure)) return refuse(given.words.figure_unknown);
  try {
    await FIGURES[figure](given, asked);
  } catch (error) {
    console.warn(error);
    refuse(error instanceof RunError ? error.message : given.words.lost);
  }
}

/** @param {string} sentence */
function refuse(sentence) {
  the(document, "#status").textContent = sentence;
}

/** The page around it hears how high the figure is, and hears it again when that changes. @param {string} figure */
function tellHeight(figure) {
  const main = the(document, "main");
  const tell = () => {
    const height = Math.ceil(main.getBoundingClientRect().height);
    if (parent !== window) parent.postMessage({ type: "specviz:height", figure, height }, "*"); // no secret is in it
  };
  new ResizeObserver(tell).observe(main);
  tell();
}

/** @param {Given} given @param {URLSearchParams} asked */
async function race(given, asked) {
  const run = await asRun(given);
  const own = makeRace(the(document, "#race"), (root, on) => makeTimeline(root, on, given.handout));
  own.timeline.draw?.(run.picture.lanes);
  show(own, run.picture);
  const figure = asked.get("figure");
  if (figure !== "race") stand(own, run.picture, asked, figure === "inspector");
}

/** @param {Given} given @returns {Promise<Run>} by its name, by its address, or as it stands in the link itself */
async function asRun(given) {
  const inside = /^#trace=([\w-]+)$/.exec(location.hash);
  if (inside) return openRun(new Blob([bytesOf(inside[1])]), given);
  const link = readLink(location.search, given);
  if (link.problems.length) throw new RunError(problem(link, given));
  if (link.run !== null) return runAt(link.run, given);
  return recordedRun(link.recorded ?? given.opening.name, given);
}

/**
 * At the end of a round, with one token of it: that of the address, else the one that says most.
 * @param {Race} own @param {Picture} picture @param {URLSearchParams} asked @param {boolean} over all has happened
 */
function stand(own, { lanes }, asked, over) {
  const lane = /** @type {LaneName} */ (
    lanes.speculative && asked.get("lane") !== "vanilla" ? "speculative" : "vanilla"
  );
  const rounds = lanes[lane]?.rounds ?? [];
  const index = Math.min(rounds.length, Math.max(1, Number.parseInt(asked.get("round") ?? "1", 10) || 1)) - 1;
  if (!rounds[index] || !own.state) return;
  const { clock } = own.state;
  clock.pause();
  clock.seek(over ? clock.duration : rounds[index].end);
  const token = rounds[index].shown[Number.parseInt(asked.get("token") ?? "", 10) - 1];
  if (token) pick(own, { lane, round: index, drafted: token.drafted, emitted: token.emitted });
  else chooseRound(own, lane, index);
}

/** @param {Given} given */
function chapter(given) {
  the(document, "#learn-tab").hidden = false;
  openLearn(given);
}

/** @param {Given} given */
function panel(given) {
  the(document, "#lab-tab").hidden = false;
  openLab(given, makeLive(given), () => {});
}

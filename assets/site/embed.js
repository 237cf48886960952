// One figure alone, for a page of somebody else: embed.html?figure=race&recorded=hot. It tells its height to the page
// around it, and shows what its address asks for; nothing else goes in or out.

import { postHeight, seekFigure } from "../handout/figure.js";
import { makeTimeline } from "../handout/timeline.js";
import { query } from "../shared/dom.js";
import { bytesOf } from "../shared/packed.js";
import { inspect } from "../watch/inspecting.js";
import { inspection } from "../watch/inspection.js";
import { makeRace, show } from "../watch/race.js";
import { openLab } from "./lab.js";
import { openLearn } from "./learn.js";
import { problem, readLink } from "./link.js";
import { makeLive } from "./live.js";
import { openRun, RunError, recordedRun, runAt } from "./runs.js";

/** @import { Given, Run } from "./types.js" */

/** @type {Record<string, (given: Given, asked: URLSearchParams) => Promise<void> | void>} */
const FIGURES = { race, round: race, inspector: race, chapter, panel };

/** @param {Given} given */
export async function embed(given) {
  const asked = new URLSearchParams(location.search);
  const figure = asked.get("figure") ?? "race";
  document.body.dataset.figure = figure;
  postHeight(figure);
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
  query(document, "#status").textContent = sentence;
}

/** @param {Given} given @param {URLSearchParams} asked */
async function race(given, asked) {
  const run = await asRun(given);
  const own = makeRace(query(document, "#race"), makeTimeline, inspection);
  inspect(own, true);
  own.timeline.draw(run.picture.lanes);
  show(own, run.picture);
  const figure = asked.get("figure");
  if (!figure || figure === "race") return;
  const [round, token] = ["round", "token"].map((name) => Number.parseInt(asked.get(name) ?? "", 10));
  seekFigure(own, run.picture, { figure, lane: asked.get("lane"), round, token });
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

/** @param {Given} given */
function chapter(given) {
  query(document, "#learn-tab").hidden = false;
  openLearn(given, makeLive(given));
}

/** @param {Given} given */
function panel(given) {
  query(document, "#lab-tab").hidden = false;
  openLab(given, makeLive(given), () => {});
}

// One figure of a run alone, in a frame of somebody else's page. figure.css says which parts it shows.

import { query } from "../shared/dom.js";
import { chooseRound, pick } from "../watch/pick.js";

/** @import { LaneName, Picture } from "../shared/types.js" */
/** @import { Race } from "../watch/types.js" */
/** @typedef {{ figure: string, lane?: string | null, round?: number | null, token?: number | null }} Figure */

/** The page around it hears how high the figure is, again when that changes. @param {string} figure */
export function postHeight(figure) {
  const main = query(document, "main");
  const tell = () => {
    const height = Math.ceil(main.getBoundingClientRect().height);
    if (parent !== window) parent.postMessage({ type: "specviz:height", figure, height }, "*"); // no secret is in it
  };
  new ResizeObserver(tell).observe(main);
  tell();
}

/**
 * At the end of a round, with one token of it: the one that is named, else the one that says most.
 * @param {Race} race @param {Picture} picture @param {Figure} asked
 */
export function seekFigure(race, { lanes }, { figure, lane: named, round, token: nth }) {
  const lane = /** @type {LaneName} */ (lanes.speculative && named !== "vanilla" ? "speculative" : "vanilla");
  const rounds = lanes[lane]?.rounds ?? [];
  const index = Math.min(rounds.length, Math.max(1, round || 1)) - 1;
  if (!rounds[index] || !race.state) return;
  const { clock } = race.state;
  clock.pause();
  clock.seek(figure === "inspector" ? clock.duration : rounds[index].end); // there all has happened
  const token = rounds[index].shown[(nth || 0) - 1];
  if (token) pick(race, { lane, round: index, drafted: token.drafted, emitted: token.emitted });
  else chooseRound(race, lane, index);
}

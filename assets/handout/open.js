// A hand-out: the race in a file of its own, without a server and without Gradio (specviz/picture/replay.py). And one figure
// of a run alone, in a frame of somebody else's page; handout.css says which parts it shows.

import { followTheme, query } from "../player/dom.js";
import { inspection } from "../player/inspector.js";
import { pictureOf, unpack } from "../player/picture.js";
import { makeRace, showRun } from "../player/race.js";
import { selectRound, selectToken, setInspecting } from "../player/selection.js";
import { ABOUT, setVocabulary } from "../player/words.js";

/** @import { LaneName, Picture } from "../shared/types.js" */

/** @typedef {{ figure: string, lane?: string | null, round?: number | null, token?: number | null }} Figure */

/** Its parts alone; the page around it hears how high they are, again when that changes. @param {string} figure */
export function postHeight(figure) {
  document.body.dataset.figure = figure;
  const main = query(document, "main");
  const post = () => {
    const height = Math.ceil(main.getBoundingClientRect().height);
    if (parent !== window) parent.postMessage({ type: "specviz:height", figure, height }, "*"); // no secret is in it
  };
  new ResizeObserver(post).observe(main);
  post();
}

/** The race; as another figure at the end of a round, with one token of it: the one that is named, else the one that
 * says most. @param {Picture} picture @param {Figure} asked */
export function showFigure(picture, { figure, lane: laneName, round, token: nth }) {
  const race = makeRace(query(document, "#race"), inspection);
  const { lanes } = picture;
  setInspecting(race, true);
  race.timeline.draw(lanes);
  showRun(race, picture);
  if (figure === "race") return;
  const lane = /** @type {LaneName} */ (lanes.speculative && laneName !== "vanilla" ? "speculative" : "vanilla");
  const rounds = lanes[lane]?.rounds ?? [];
  const index = Math.min(rounds.length, Math.max(1, round || 1)) - 1;
  if (!rounds[index] || !race.state) return;
  const { clock } = race.state;
  clock.pause();
  clock.seek(figure === "inspector" ? clock.duration : rounds[index].end); // there all has happened
  const token = rounds[index].shown[(nth || 0) - 1];
  if (token) selectToken(race, { lane, round: index, drafted: token.drafted, emitted: token.emitted });
  else selectRound(race, lane, index);
}

/** Draw the run that stands in the file, in the colours that the reader's system prefers. */
export function open() {
  followTheme();
  const { run, figure, ...vocabulary } = JSON.parse(query(document, "#sv-data").textContent || "");
  setVocabulary(vocabulary);
  if (figure) postHeight(figure.figure);
  showFigure(pictureOf(unpack(run), ABOUT), figure ?? { figure: "race" });
}

// A hand-out: the race in a file of its own, without a server and without Gradio (specviz/picture/handout.py).

import { unpack } from "../picture/replay.js";
import { pictureOf } from "../picture/view.js";
import { query } from "../shared/dom.js";
import { followTheme } from "../shared/theme.js";
import { ABOUT, setVocabulary } from "../shared/words.js";
import { inspect } from "../watch/inspecting.js";
import { inspection } from "../watch/inspection.js";
import { makeRace, show } from "../watch/race.js";
import { postHeight, seekFigure } from "./figure.js";
import { makeTimeline } from "./timeline.js";

/** Draw the run that stands in the file, in the colours that the reader's system prefers. */
export function open() {
  followTheme();
  const { run, figure, ...known } = JSON.parse(query(document, "#sv-data").textContent || "");
  setVocabulary(known);
  const picture = pictureOf(unpack(run), ABOUT);
  const race = makeRace(query(document, "#race"), makeTimeline, inspection);
  inspect(race, true);
  race.timeline.draw(picture.lanes);
  show(race, picture);
  if (!figure) return;
  document.body.dataset.figure = figure.figure;
  postHeight(figure.figure);
  if (figure.figure !== "race") seekFigure(race, picture, figure);
}

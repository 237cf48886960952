// A hand-out: the race in a file of its own, without a server and without Gradio (specviz/picture/handout.py).

import { unpack } from "../picture/replay.js";
import { pictureOf } from "../picture/view.js";
import { the } from "../shared/dom.js";
import { ABOUT, know } from "../shared/words.js";
import { inspect } from "../watch/inspecting.js";
import { makeRace, show } from "../watch/race.js";
import { stand, tellHeight } from "./figure.js";
import { makeTimeline } from "./timeline.js";

/** Draw the run that stands in the file, in the colours that the reader's system prefers. */
export function open() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const theme = () => document.documentElement.classList.toggle("dark", dark.matches);
  dark.addEventListener("change", theme);
  theme();
  const { run, figure, ...known } = JSON.parse(the(document, "#sv-data").textContent || "");
  know(known);
  const picture = pictureOf(unpack(run), ABOUT);
  const race = makeRace(the(document, "#race"), makeTimeline);
  inspect(race, true);
  race.timeline.draw(picture.lanes);
  show(race, picture);
  if (!figure) return;
  document.body.dataset.figure = figure.figure;
  tellHeight(figure.figure);
  if (figure.figure !== "race") stand(race, picture, figure);
}

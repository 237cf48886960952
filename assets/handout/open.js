// A hand-out: the race in a file of its own, without a server and without Gradio (specviz/picture/frame.py).

import { unpack } from "../picture/replay.js";
import { pictureOf } from "../picture/view.js";
import { query } from "../shared/dom.js";
import { followTheme } from "../shared/theme.js";
import { ABOUT, setVocabulary } from "../shared/words.js";
import { postHeight, showFigure } from "./figure.js";

/** Draw the run that stands in the file, in the colours that the reader's system prefers. */
export function open() {
  followTheme();
  const { run, figure, ...vocabulary } = JSON.parse(query(document, "#sv-data").textContent || "");
  setVocabulary(vocabulary);
  if (figure) postHeight(figure.figure);
  showFigure(pictureOf(unpack(run), ABOUT), figure ?? { figure: "race" });
}

// A picture of several views, one after the other, each by its button too.

import { button } from "../shared/button.js";
import { el } from "../shared/dom.js";
import { evenly } from "./beats.js";

/** @import { Picture, Stage, View } from "./types.js" */

/**
 * @param {string} kind the class of the picture
 * @param {(View & { word: string })[]} parts
 * @param {number} each how long a beat is
 * @param {Stage} stage
 * @returns {Picture}
 */
export function views(kind, parts, each, stage) {
  let beats = 0;
  const placed = parts.map((view) => {
    const from = beats;
    beats += view.says.length;
    return { ...view, from, until: beats };
  });
  const buttons = placed.map((part) =>
    button(part.word, () => {
      stage.player?.clock.pause();
      stage.player?.clock.seek(part.until * each - 1); // its last beat
    }),
  );
  const choice = parts.length > 1 ? el("div.lrn-views.sv-flow", { role: "group" }, buttons) : null;
  return {
    node: el(
      `div.${kind}.sv-stack`,
      null,
      choice,
      placed.map((part) => part.node),
    ),
    beats: evenly(
      placed.flatMap((part) => part.says),
      each,
    ),
    tail: each,
    paint(_, i, anew) {
      placed.forEach((part, k) => {
        const holds = i >= part.from && i < part.until;
        part.node.hidden = !holds;
        buttons[k].setAttribute("aria-pressed", String(holds));
        if (holds) part.show(i - part.from, anew);
      });
    },
  };
}

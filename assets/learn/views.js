// A picture of several views, one after the other, each by its button too.

import { button } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { evenly } from "./beats.js";

/** @import { Beat, Picture, Stage, View } from "./types.js" */

/**
 * @param {string} kind the class of the picture
 * @param {(View & { word: string, each?: number })[]} parts `each`: how long its beats are, if not `usual`
 * @param {number} usual how long a beat is @param {Stage} stage @returns {Picture}
 */
export function views(kind, parts, usual, stage) {
  const beats = /** @type {Beat[]} */ ([]);
  let end = 0;
  const placed = parts.map(({ each = usual, ...view }) => {
    const [from, start] = [beats.length, end];
    beats.push(...evenly(view.says, each).map(({ at, say }) => ({ at: start + at, say })));
    end += view.says.length * each;
    return { ...view, from, start, until: beats.length, end };
  });
  const buttons = placed.map((part) =>
    button(part.word, () => {
      stage.player?.clock.pause();
      stage.player?.clock.seek(part.end - 1); // its last beat
    }),
  );
  const choice = parts.length > 1 ? el("div.lrn-views.sv-flow", { role: "group" }, buttons) : null;
  return {
    node: el(`div.${kind}.sv-stack`, null, choice, ...placed.map((part) => part.node)),
    beats,
    tail: end - beats[beats.length - 1].at,
    paint(t, i, anew) {
      placed.forEach((part, k) => {
        const holds = i >= part.from && i < part.until;
        part.node.hidden = !holds;
        buttons[k].setAttribute("aria-pressed", String(holds));
        if (holds) part.show(i - part.from, anew, t - part.start);
      });
    },
  };
}

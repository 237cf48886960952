// Chapter 9: six ways to draft, and when not to: one view after the other, each by its button too.

import { el } from "../shared/dom.js";
import { evenly } from "./beats.js";
import { busyMap } from "./busy.js";
import { button } from "./button.js";
import { PAGE } from "./lesson.js";
import { ways } from "./ways.js";

/** @import { Others, Picture, Stage } from "./types.js" */

const BEAT_MS = 2000;

/** @param {Others} excerpt @param {Stage} stage @returns {Picture} */
export function others({ c, busy }, stage) {
  const word = (/** @type {string} */ device) => (busy.length > 1 ? `${PAGE.busy}: ${device}` : PAGE.busy);
  const views = [
    { ...ways(c), word: PAGE.ways },
    ...busy.map((found) => ({ ...busyMap(found), word: word(found.device) })),
  ];
  let beats = 0;
  const parts = views.map((view) => {
    const from = beats;
    beats += view.says.length;
    return { ...view, from, until: beats };
  });
  const buttons = parts.map((part) =>
    button(part.word, () => {
      stage.player?.clock.pause();
      stage.player?.clock.seek(part.until * BEAT_MS - 1); // its last beat
    }),
  );
  const choice = parts.length > 1 ? el("div.lrn-views", { role: "group" }, buttons) : null;
  return {
    node: el(
      "div.lrn-others",
      null,
      choice,
      parts.map((part) => part.node),
    ),
    beats: evenly(
      parts.flatMap((part) => part.says),
      BEAT_MS,
    ),
    tail: BEAT_MS,
    paint(_, i) {
      parts.forEach((part, k) => {
        const holds = i >= part.from && i < part.until;
        part.node.hidden = !holds;
        buttons[k].setAttribute("aria-pressed", String(holds));
        if (holds) part.show(i - part.from);
      });
    },
  };
}

// How far something is, and how long the rest takes.

import { el } from "../shared/dom.js";
import { fillText } from "../shared/sentences.js";
import { PAGE } from "./page.js";

/** @import { Meter } from "./types.js" */

/** @returns {Meter} */
export function makeMeter() {
  const done = el("progress.lab-progress", { max: 1 });
  const said = el("span.lab-left");
  const root = el("div.lab-meter", { hidden: "" }, done, said);
  return {
    root,
    show(value, of = 1, left = null) {
      root.hidden = value === null;
      if (value === null) return;
      const part = of > 0 ? Math.min(1, value / of) : 0;
      done.value = part;
      const percent = `${Math.floor(100 * part)} %`;
      said.textContent = fillText(left === null ? PAGE.running : PAGE.running_left, {
        percent,
        left: durationText(left ?? 0),
      });
    },
  };
}

/** Seconds as a person says them. @param {number} seconds */
export function durationText(seconds) {
  if (seconds < 100) return fillText(PAGE.seconds, { n: Math.max(1, Math.round(seconds)) });
  return fillText(PAGE.minutes, { n: Math.round(seconds / 60) });
}

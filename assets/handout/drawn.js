// The timeline of a page without Plotly as a picture file, in the colours of the page and under the settings of the
// run, as large as the app's (assets/keep/timeline.js).

import { the } from "../shared/dom.js";
import { number } from "../shared/numbers.js";
import { shape } from "../shared/shape.js";
import { WORDS } from "../shared/words.js";
import { barsOf, PARTS, ticksOf } from "./timeline.js";

/** @import { Picture } from "../shared/types.js" */
/** @import { Words } from "./timeline.js" */

const [WIDE, HIGH] = [1200, 300];
const [LEFT, RIGHT, TOP, BOTTOM] = [110, 24, 84, 56];
const LINE = 150; // characters of the settings in one line
const BAR = 0.65; // of a lane's height

/** @param {HTMLElement} root of the race @param {Picture["lanes"]} lanes @param {Words} words */
export function drawn(root, lanes, words) {
  const colour = (/** @type {string} */ name) => getComputedStyle(root).getPropertyValue(`--sv-${name}`).trim();
  const [ink, muted, rule] = ["ink", "muted", "rule"].map(colour);
  const keys = PARTS.map(
    (part) => getComputedStyle(the(root, `#timeline .sv-key[data-series=${part}]`), "::before").backgroundColor,
  );
  const shown = [lanes.vanilla, lanes.speculative].filter((lane) => lane !== null);
  const longest = Math.max(1e-9, ...shown.map(({ duration }) => duration));
  const x = (/** @type {number} */ ms) => LEFT + ((WIDE - LEFT - RIGHT) * ms) / longest;
  const row = (HIGH - TOP - BOTTOM) / Math.max(1, shown.length);
  const write = (/** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ text, more = {}) =>
    shape("text", { x, y, fill: muted, "font-size": 14, ...more }, text);
  const svg = shape("svg", { width: WIDE, height: HIGH, "font-family": "system-ui, sans-serif" });
  svg.append(shape("rect", { width: WIDE, height: HIGH, fill: colour("page") }));
  const settings = root.querySelector(".sv-settings-line")?.textContent ?? "";
  svg.append(...lines(settings).map((line, i) => write(12, 22 + 18 * i, line)));
  for (const [i, part] of PARTS.entries()) {
    const at = LEFT + 200 * i;
    svg.append(shape("rect", { x: at, y: TOP - 22, width: 12, height: 12, fill: keys[i] }));
    svg.append(write(at + 18, TOP - 11, words[part], { fill: ink }));
  }
  for (const ms of ticksOf(longest)) {
    svg.append(shape("path", { d: `M${x(ms)} ${TOP}V${HIGH - BOTTOM}`, stroke: rule }));
    svg.append(write(x(ms), HIGH - BOTTOM + 18, number(ms, 0), { "text-anchor": "middle" }));
  }
  svg.append(write((LEFT + WIDE - RIGHT) / 2, HIGH - 12, words.unit, { "text-anchor": "middle" }));
  for (const [i, { name, rounds }] of shown.entries()) {
    const y = TOP + row * (i + (1 - BAR) / 2);
    svg.append(write(LEFT - 10, TOP + row * (i + 0.5) + 5, WORDS[name], { fill: ink, "text-anchor": "end" }));
    for (const { part, from, to } of rounds.flatMap(barsOf)) {
      const fill = keys[PARTS.indexOf(part)];
      svg.append(
        shape("rect", { x: x(from), y, width: x(to) - x(from), height: BAR * row, fill, "data-series": part }),
      );
    }
  }
  return svg;
}

/** A text in lines that the picture is wide enough for. @param {string} text */
function lines(text) {
  const found = [""];
  for (const word of text.split(" ")) {
    const last = found.length - 1;
    if (found[last].length + word.length > LINE) found.push(word);
    else found[last] = `${found[last]} ${word}`.trim();
  }
  return found.slice(0, 2);
}

// u on [0, 1) with the threshold min(1, p/q): left of it a token stays, right of it it goes.

import { el, setText } from "./dom.js";
import { share } from "./scale.js";

const WORD = 0.24; // of the scale where it is narrowest: the room that a word needs
const NEAR = 0.03;

/** @param {string} keep @param {string} reject what stands left and right of the threshold */
export function makeScale(keep, reject) {
  const [low, high] = [el("span.sv-u-keep", null, keep), el("span.sv-u-reject", null, reject)];
  const label = el("span");
  const mark = el("span.sv-u-mark", null, label);
  const limit = el("span.sv-u-limit");
  const ends = el("div.sv-u-ends", null, el("span", null, "0"), limit, el("span", null, "1"));
  const track = el("div.sv-u-track", null, low, high);
  let edge = 0;
  const scale = {
    root: el("div.sv-u", { role: "img" }, el("div.sv-u-marks", null, mark), track, ends),
    /**
     * @param {number} bound what u must be below @param {number | null} u none before it is drawn
     * @param {string} uText of u @param {string} limitText what is said of the threshold
     */
    show(bound, u, uText, limitText) {
      const sure = bound >= 1;
      edge = Math.min(1, bound);
      low.style.width = share(edge, 1);
      high.style.width = share(1 - edge, 1);
      mark.style.left = share(u ?? 0, 1);
      mark.dataset.side = (u ?? 0) > 0.6 ? "left" : "right";
      mark.toggleAttribute("data-waits", u === null);
      setText(label, uText);
      setText(limit, limitText);
      limit.toggleAttribute("data-sure", sure);
      limit.style.left = sure ? "" : `clamp(6.5em, ${share(edge, 1)}, calc(100% - 6.5em))`;
      scale.root.setAttribute("aria-label", `${uText}; ${limitText}`);
      scale.place(u === null ? [] : [u]);
    },
    /** Its words stand where no mark crosses them. @param {number[]} marks on the scale, from 0 to 1 */
    place(marks) {
      low.dataset.side = roomFor(0, edge, marks, "left");
      high.dataset.side = roomFor(edge, 1, marks, "right");
    },
  };
  return scale;
}

/**
 * The end of the band [from, to] at which its word has room beside the marks: its own end, else the other, else "none".
 * @param {number} from @param {number} to @param {number[]} marks @param {"left" | "right"} own
 */
export function roomFor(from, to, marks, own) {
  const inside = marks.filter((mark) => mark > from - NEAR && mark < to + NEAR);
  const room = { left: Math.min(to, ...inside) - from, right: to - Math.max(from, ...inside) };
  const other = own === "left" ? "right" : "left";
  if (room[own] >= WORD) return own;
  return room[other] >= WORD ? other : "none";
}

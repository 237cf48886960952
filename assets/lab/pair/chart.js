// The promised speedup by K, and between what it lies.

import { number } from "../../shared/numbers.js";
import { shape } from "../../shared/shape.js";
import { marks, scale, upward } from "../axis.js";
import { drawn } from "../plot.js";

const [LEFT, RIGHT, TOP, BOTTOM, HEIGHT] = [46, 20, 44, 44, 300];
const NUMBER = 28; // px that a number under the axis takes

/**
 * @param {(string | number)[][]} rows K, low, speedup, high
 * @param {number} best
 * @param {Record<string, string>} words
 * @param {number} width
 * @returns {SVGSVGElement}
 */
export function drawByK(rows, best, words, width) {
  const all = /** @type {number[][]} */ (rows);
  const at = marks(0, Math.max(1.2, ...all.map(([, , , high]) => high)), 5);
  const bottom = HEIGHT - BOTTOM;
  const x = scale([0, all.length - 1], LEFT + 10, width - RIGHT);
  const y = scale(at, bottom, TOP);
  const every = x(1) - x(0) < NUMBER ? 2 : 1;
  const svg = drawn(width, HEIGHT, words.by_K, "lab-drawn");
  svg.append(shape("text", { class: "lab-title", x: 0, y: 14 }, words.by_K));
  svg.append(shape("text", { class: "lab-mark", x: 0, y: 32 }, `↑ ${words.speedup}`));
  svg.append(
    shape("text", { class: "lab-mark", x: width - RIGHT, y: HEIGHT - 6, "text-anchor": "end" }, `${words.K_axis} →`),
  );
  svg.append(...upward(at, y, LEFT, width - RIGHT).flat());
  svg.append(shape("line", { class: "lab-one", x1: LEFT, x2: width - RIGHT, y1: y(1), y2: y(1) }));
  const group = shape("g", { "data-look": "first" });
  const [lower, upper] = [all.map(([K, low]) => [x(K), y(low)]), all.map(([K, , , high]) => [x(K), y(high)])];
  group.append(
    shape("polygon", { class: "lab-band", points: [...upper, ...lower.reverse()].map((p) => p.join(",")).join(" ") }),
  );
  const middle = all.map(([K, , speedup]) => `${x(K)},${y(speedup)}`).join(" ");
  group.append(shape("polyline", { class: "lab-curve", points: middle, "data-strong": "" }));
  for (const [K, low, speedup, high] of all) {
    const dot = shape("circle", {
      class: K === best ? "lab-spot" : "lab-dot",
      cx: x(K),
      cy: y(speedup),
      r: K === best ? 7 : 3.5,
    });
    dot.append(shape("title", {}, `K = ${K}: ${number(speedup, 2)} (${number(low, 2)} – ${number(high, 2)})`));
    group.append(dot);
    if (K % every === 0) {
      svg.append(shape("text", { class: "lab-mark", x: x(K), y: bottom + 16, "text-anchor": "middle" }, String(K)));
    }
  }
  svg.append(group);
  return svg;
}

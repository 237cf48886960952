// u on [0, 1) with the threshold min(1, p/q): left of it the token stays, right of it it goes. And a handle: what if u
// had been another?

import { button } from "../shared/button.js";
import { el, the } from "../shared/dom.js";
import { limitOf } from "../shared/limit.js";
import { probability } from "../shared/numbers.js";
import { share } from "../shared/scale.js";
import { plain, say } from "../shared/sentences.js";
import { chip } from "../shared/tokens.js";
import { branches } from "../shared/tree.js";
import { WORDS } from "../shared/words.js";
import { keepsEarlier, keptLater, roomFor, whatIf } from "./verdict.js";

/** @import { Config, Drafted, Round } from "../shared/types.js" */

/** What u is held against, by its name. @param {Config} config */
export const limitName = ({ verifier }) => WORDS[`limit_is_${verifier}`];

/**
 * @param {number} whole what u must be below
 * @param {Config} config
 * @param {number | null} drawn u; none before it is drawn
 */
function uScale(whole, config, drawn) {
  const limit = Math.min(1, whole);
  const sure = whole >= 1;
  const keep = el("span.sv-u-keep", null, WORDS.u_keep);
  const reject = el("span.sv-u-reject", null, WORDS.u_reject);
  keep.style.width = share(limit, 1);
  reject.style.width = share(1 - limit, 1);
  const u = drawn === null ? WORDS.u_waits : plain("u_mark", { u: probability(drawn) });
  const mark = el("span.sv-u-mark", { "data-side": (drawn ?? 0) > 0.6 ? "left" : "right" }, el("span", null, u));
  mark.style.left = share(drawn ?? 0, 1);
  mark.toggleAttribute("data-waits", drawn === null);
  const line = plain(sure ? "u_any" : "u_line", { limit: limitName(config), ratio: written(whole) });
  const threshold = el("span.sv-u-limit", { "data-sure": sure ? "" : null }, line);
  if (!sure) threshold.style.left = `clamp(6.5rem, ${share(limit, 1)}, calc(100% - 6.5rem))`;
  return el(
    "div.sv-u",
    { role: "img", "aria-label": `${u}; ${line}` },
    el("div.sv-u-marks", null, mark),
    el("div.sv-u-track", null, keep, reject),
    el("div.sv-u-ends", null, el("span", null, "0"), threshold, el("span", null, "1")),
  );
}

/**
 * "keep" and "reject" stand where no mark on the scale (`marks`, from 0 to 1) crosses them.
 * @param {HTMLElement} scale @param {number} limit @param {number[]} marks
 */
function placeWords(scale, limit, marks) {
  the(scale, ".sv-u-keep").dataset.side = roomFor(0, limit, marks, "left");
  the(scale, ".sv-u-reject").dataset.side = roomFor(limit, 1, marks, "right");
}

/** Where q is 0 there is no ratio. @param {number} limit */
const written = (limit) => probability(Number.isFinite(limit) ? limit : null);

/** The scale before u is drawn. @param {Drafted} drafted @param {Config} config */
export function waitingScale(drafted, config) {
  const limit = limitOf(drafted, config);
  const scale = uScale(limit, config, null);
  placeWords(scale, Math.min(1, limit), []);
  return el("div.sv-u-try", null, scale);
}

/**
 * The scale, and a handle on it with a sentence on what another u would change.
 * @param {Round} round @param {Drafted} drafted @param {Config} config @param {number} drawn the u of the run
 */
export function triedScale(round, drafted, config, drawn) {
  const limit = limitOf(drafted, config);
  const scale = uScale(limit, config, drawn);
  const later = keptLater(drafted, round, config);
  const earlier = keepsEarlier(drafted, round, config);
  const range = { type: "range", min: 0, max: 0.999, step: 0.001, "aria-label": WORDS.try_u };
  const handle = el("input.sv-try", range);
  const told = el("p.sv-tried", { "aria-live": "polite" });
  const back = button(WORDS.try_back, again, { class: "sv-back" });
  const line = el("div.sv-tries", null, told, back);
  const after = branches(round) ? null : round.drafted.length - round.drafted.indexOf(drafted) - 1;

  function tell() {
    const u = Number(handle.value);
    const moved = handle.dataset.moved !== undefined;
    const { kept, same, key } = whatIf(u, drafted, after, limit, later, earlier);
    const verdict = WORDS[kept ? "u_keep" : "u_reject"];
    handle.setAttribute("aria-valuetext", plain("try_value", { u: probability(u), verdict }));
    placeWords(scale, Math.min(1, limit), [drawn, u]);
    back.disabled = !moved;
    line.dataset.verdict = !moved ? "" : same ? "same" : "other";
    const held = { limit: limitName(config), ratio: written(limit) };
    const values = { x: chip(drafted.token), u: probability(u), ...held, n: after ?? 0 };
    told.replaceChildren(...(moved ? say(key, values) : say("try_hint")));
  }
  function reset() {
    handle.value = String(drawn);
    delete handle.dataset.moved;
    tell();
  }
  function again() {
    reset();
    handle.focus({ preventScroll: true }); // the button is off now
  }
  handle.addEventListener("input", () => {
    handle.dataset.moved = "";
    tell();
  });
  reset();
  return [el("div.sv-u-try", null, scale, handle), line]; // beside the scale, which is one picture to a screen reader
}

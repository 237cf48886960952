// u on [0, 1) with the threshold min(1, p/q): left of it the token stays, right of it it goes. And a handle: what if u
// had been another?

import { button } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { limitOf } from "../shared/limit.js";
import { probability } from "../shared/numbers.js";
import { plain, say } from "../shared/sentences.js";
import { chip } from "../shared/tokens.js";
import { makeScale } from "../shared/uscale.js";
import { WORDS, wordOf } from "../shared/words.js";
import { branches } from "../trace/tree.js";

/** @import { Config, Drafted, Round } from "../shared/types.js" */

/** What u is held against, by its name. @param {Config} config */
export const limitName = ({ verifier }) => wordOf(`limit_is_${verifier}`);

/**
 * @param {number} whole what u must be below @param {Config} config
 * @param {number | null} drawn u; none before it is drawn
 */
function uScale(whole, config, drawn) {
  const scale = makeScale(WORDS.u_keep, WORDS.u_reject);
  const u = drawn === null ? WORDS.u_waits : plain("u_mark", { u: probability(drawn) });
  const line = plain(whole >= 1 ? "u_any" : "u_line", { limit: limitName(config), ratio: written(whole) });
  scale.show(whole, drawn, u, line);
  return scale;
}

/** Where q is 0 there is no ratio. @param {number} limit */
const written = (limit) => probability(Number.isFinite(limit) ? limit : null);

/** The scale before u is drawn. @param {Drafted} drafted @param {Config} config */
export function waitingScale(drafted, config) {
  return el("div.sv-u-try", null, uScale(limitOf(drafted, config), config, null).root);
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
  const sentence = el("p.sv-tried", { "aria-live": "polite" });
  const back = button(WORDS.try_back, again, { class: "sv-back" });
  const line = el("div.sv-tries", null, sentence, back);
  const after = branches(round) ? null : round.drafted.length - round.drafted.indexOf(drafted) - 1;

  function tell() {
    const u = Number(handle.value);
    const moved = handle.dataset.moved !== undefined;
    const { kept, same, key } = whatIf(u, drafted, after, limit, later, earlier);
    const verdict = WORDS[kept ? "u_keep" : "u_reject"];
    handle.setAttribute("aria-valuetext", plain("try_value", { u: probability(u), verdict }));
    scale.place([drawn, u]);
    back.disabled = !moved;
    line.dataset.verdict = !moved ? "" : same ? "same" : "other";
    const held = { limit: limitName(config), ratio: written(limit) };
    const values = { x: chip(drafted.token), u: probability(u), ...held, n: after ?? 0 };
    sentence.replaceChildren(...(moved ? say(key, values) : say("try_hint")));
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
  // beside the scale, which is one picture to a screen reader
  return [el("div.sv-u-try", null, scale.root, handle), line];
}

/**
 * Whether a token after this one keeps it, whatever its own u: under block verification the longest beginning stays.
 * @param {Drafted} drafted @param {Round} round @param {Pick<Config, "verifier" | "theta">} config
 */
export function keptLater(drafted, round, config) {
  if (config.verifier !== "block") return false;
  const after = round.drafted.slice(round.drafted.indexOf(drafted) + 1);
  return after.some((later) => later.u !== null && later.u < limitOf(later, config));
}

/**
 * Whether the token before this one stands only because this one passed, as block verification has it.
 * @param {Drafted} drafted @param {Round} round @param {Pick<Config, "verifier" | "theta">} config
 */
function keepsEarlier(drafted, round, config) {
  const before = round.drafted[round.drafted.indexOf(drafted) - 1];
  return config.verifier === "block" && before?.u != null && before.u >= limitOf(before, config);
}

/**
 * What another u would have done, as the key of its sentence.
 * @param {number} u @param {Drafted} drafted
 * @param {number | null} after how many tokens were drafted after it; null in a tree
 * @param {number} limit what u must be below @param {boolean} later a token after it keeps it all the same
 * @param {boolean} back the token before it passed only with it
 */
export function whatIf(u, drafted, after, limit = limitOf(drafted), later = false, back = false) {
  const kept = later || u < limit; // strictly below: u = 0 keeps nothing that p(x) = 0 forbids
  const same = kept === (drafted.verdict === "accepted");
  const chain = after && (after > 1 ? "try_rejected" : "try_rejected_one");
  const gone = after === null ? "try_rejected_tree" : chain || "try_rejected_end";
  let key = kept ? "try_kept" : back ? "try_rejected_back" : gone;
  if (same && !kept) key = "try_same_rejected";
  else if (same && u >= limit) key = "try_same_later";
  else if (same) key = limit >= 1 ? "try_same_sure" : "try_same_kept";
  return { kept, same, key };
}

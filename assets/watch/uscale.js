// u on [0, 1) with the threshold min(1, p/q): left of it the token stays, right of it it goes. And a handle: what if u
// had been another?

import { button } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { probability } from "../shared/numbers.js";
import { phrase, plain } from "../shared/sentences.js";
import { chip } from "../shared/tokens.js";
import { limitOf } from "../shared/tree.js";
import { makeScale } from "../shared/uscale.js";
import { WORDS, wordOf } from "../shared/words.js";
import { branches } from "../trace/tree.js";

/** @import { Config, Drafted, Round } from "../shared/types.js" */

/** What u is held against, by its name. @param {Config} config */
export const limitName = ({ verifier }) => wordOf(`limit_is_${verifier}`);

/**
 * @param {number} whole what u must be below @param {Config} config
 * @param {number | null} u u; none before it is drawn
 */
function uScale(whole, config, u) {
  const scale = makeScale(WORDS.u_keep, WORDS.u_reject);
  const uText = u === null ? WORDS.u_waits : plain("u_mark", { u: probability(u) });
  const line = plain(whole >= 1 ? "u_any" : "u_line", { limit: limitName(config), ratio: limitText(whole) });
  scale.show(whole, u, uText, line);
  return scale;
}

/** Where q is 0 there is no ratio. @param {number} limit */
const limitText = (limit) => probability(Number.isFinite(limit) ? limit : null);

/** The scale before u is drawn. @param {Drafted} drafted @param {Config} config */
export function waitingScale(drafted, config) {
  return el("div.sv-u-try", null, uScale(limitOf(drafted, config), config, null).root);
}

/**
 * The scale, and a handle on it with a sentence on what another u would change.
 * @param {Round} round @param {Drafted} drafted @param {Config} config @param {number} runU the u of the run
 */
export function triedScale(round, drafted, config, runU) {
  const limit = limitOf(drafted, config);
  const scale = uScale(limit, config, runU);
  const keptByLater = isKeptByLater(drafted, round, config);
  const carries = carriesEarlier(drafted, round, config);
  const range = { type: "range", min: 0, max: 0.999, step: 0.001, "aria-label": WORDS.try_u };
  const handle = el("input.sv-try", range);
  const sentence = el("p.sv-tried", { "aria-live": "polite" });
  const back = button(WORDS.try_back, resetAndFocus, { class: "sv-back" });
  const line = el("div.sv-tries", null, sentence, back);
  const after = branches(round) ? null : round.drafted.length - round.drafted.indexOf(drafted) - 1;

  function updateScale() {
    const u = Number(handle.value);
    const moved = handle.dataset.moved !== undefined;
    const { accepted, same, key } = hypotheticalVerdict(u, drafted, after, limit, keptByLater, carries);
    const verdict = WORDS[accepted ? "u_keep" : "u_reject"];
    handle.setAttribute("aria-valuetext", plain("try_value", { u: probability(u), verdict }));
    scale.place([runU, u]);
    back.disabled = !moved;
    line.dataset.verdict = !moved ? "" : same ? "same" : "other";
    const limitValues = { limit: limitName(config), ratio: limitText(limit) };
    const values = { x: chip(drafted.token), u: probability(u), ...limitValues, n: after ?? 0 };
    sentence.replaceChildren(...(moved ? phrase(key, values) : phrase("try_hint")));
  }
  function resetHandle() {
    handle.value = String(runU);
    delete handle.dataset.moved;
    updateScale();
  }
  function resetAndFocus() {
    resetHandle();
    handle.focus({ preventScroll: true }); // the button is off now
  }
  handle.addEventListener("input", () => {
    handle.dataset.moved = "";
    updateScale();
  });
  resetHandle();
  // beside the scale, which is one picture to a screen reader
  return [el("div.sv-u-try", null, scale.root, handle), line];
}

/**
 * Whether a token after this one keeps it, whatever its own u: under block verification the longest beginning stays.
 * @param {Drafted} drafted @param {Round} round @param {Pick<Config, "verifier" | "theta">} config
 */
export function isKeptByLater(drafted, round, config) {
  if (config.verifier !== "block") return false;
  const after = round.drafted.slice(round.drafted.indexOf(drafted) + 1);
  return after.some((later) => later.u !== null && later.u < limitOf(later, config));
}

/**
 * Whether the token before this one stands only because this one passed, as block verification has it.
 * @param {Drafted} drafted @param {Round} round @param {Pick<Config, "verifier" | "theta">} config
 */
function carriesEarlier(drafted, round, config) {
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
export function hypotheticalVerdict(u, drafted, after, limit = limitOf(drafted), later = false, back = false) {
  const accepted = later || u < limit; // strictly below: u = 0 keeps nothing that p(x) = 0 forbids
  const same = accepted === (drafted.verdict === "accepted");
  const chainKey = after && (after > 1 ? "try_rejected" : "try_rejected_one");
  const rejectedKey = after === null ? "try_rejected_tree" : chainKey || "try_rejected_end";
  let key = accepted ? "try_kept" : back ? "try_rejected_back" : rejectedKey;
  if (same && !accepted) key = "try_same_rejected";
  else if (same && u >= limit) key = "try_same_later";
  else if (same) key = limit >= 1 ? "try_same_sure" : "try_same_kept";
  return { accepted, same, key };
}

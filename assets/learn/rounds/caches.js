// What a round left in both caches: a column for each of its tokens, a row for each cache.

import { el } from "../../shared/dom.js";
import { PAGE } from "../lesson.js";
import { tokenBox, unseen } from "../tokens.js";

/** @import { Cached } from "./types.js" */

const SIGNS = { held: "■", back: "✗", none: "○" };

export function makeCaches() {
  const root = el("div.lrn-caches");
  return {
    root,
    /** @param {Cached[]} round */
    show(round) {
      root.style.setProperty("--n", String(round.length));
      root.replaceChildren(
        line(
          PAGE.cache_block,
          round.map(({ text, role }) => tokenBox(text, role)),
        ),
        line(
          PAGE.cache_target,
          round.map(({ target }) => state(target)),
        ),
        line(
          PAGE.cache_draft,
          round.map(({ draft }) => state(draft)),
        ),
      );
    },
  };
}

/** @param {string} word @param {HTMLElement[]} cells */
function line(word, cells) {
  return el("div.lrn-cache-line", null, el("span.lrn-note", null, word), cells);
}

/** @param {Cached["target"]} held */
function spoken(held) {
  return { held: PAGE.cache_held, back: PAGE.cache_back, none: PAGE.cache_none }[held];
}

/** @param {Cached["target"]} held */
function state(held) {
  return el("span.lrn-cached", { "data-state": held }, SIGNS[held], unseen(` ${spoken(held)} `));
}

/**
 * How many of a round's tokens a cache holds, gave back, and was never fed.
 * @param {Cached[]} round @param {"target" | "draft"} cache
 */
export function counted(round, cache) {
  const count = (/** @type {string} */ held) => round.filter((token) => token[cache] === held).length;
  return { held: count("held"), back: count("back"), none: count("none") };
}

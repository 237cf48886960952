// A hand on the tokens of a round: a pointer or the focus marks whom one sees, a click, Enter or Space chooses it,
// arrows lead through the outline (WAI-ARIA tree).

/** @import { Drawn } from "./types.js" */

/**
 * @param {HTMLElement} tree @param {() => Drawn | null} now
 * @param {(at: number | null) => void} mark @param {(at: number) => void} choose
 */
export function listen(tree, now, mark, choose) {
  tree.addEventListener("pointerover", (event) => mark(positionOf(event)));
  tree.addEventListener("pointerleave", () => mark(null));
  tree.addEventListener("focusin", (event) => {
    const at = positionOf(event);
    mark(at);
    // one stop of the Tab key: where one was last
    for (const view of now()?.views ?? []) view.root.tabIndex = view.at === at ? 0 : -1;
  });
  tree.addEventListener("focusout", () => mark(null));
  tree.addEventListener("click", (event) => {
    const at = positionOf(event);
    if (at !== null) choose(at);
  });
  tree.addEventListener("keydown", (event) => {
    const [at, drawn] = [positionOf(event), now()];
    if (!drawn || at === null || event.shiftKey) return;
    if (event.key === "Enter" || event.key === " ") choose(at);
    else if (/^(Arrow|Home|End)/.test(event.key)) nextSeen(drawn, event.key, at)?.root.focus();
    else return;
    event.preventDefault();
    event.stopPropagation(); // the player has arrows too
  });
}

/** Where a key leads among the tokens that are there. @param {Drawn} drawn @param {string} key @param {number} at */
function nextSeen({ views }, key, at) {
  const there = views.filter(({ root }) => root.dataset.look);
  const to = leadsTo(key, at, there);
  return there.find((view) => view.at === to);
}

/** @param {Event} event @returns {number | null} */
function positionOf(event) {
  const node = event.target instanceof Element ? event.target.closest(".sv-node") : null;
  return node instanceof HTMLElement ? Number(node.dataset.at) : null;
}

/**
 * Where a key leads from position `at`, or null.
 * @param {string} key @param {number} at @param {{ at: number, depth: number }[]} items as they are read
 */
export function leadsTo(key, at, items) {
  const here = items.findIndex((item) => item.at === at);
  const { depth } = items[here];
  const next = items[here + 1];
  const to = {
    ArrowDown: next,
    ArrowUp: items[here - 1],
    ArrowRight: next?.depth > depth ? next : undefined,
    ArrowLeft: items.slice(0, here).findLast((item) => item.depth < depth),
    Home: items[0],
    End: items[items.length - 1],
  }[key];
  return to ? to.at : null;
}

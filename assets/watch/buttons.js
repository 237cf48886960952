// Run and Stop, which stand elsewhere on the page: what the race has to do with them.

import { whileHere, within } from "../shared/dom.js";

/** @import { Race } from "./types.js" */

/** @param {string} name @returns {HTMLButtonElement | null} */
const button = (name) => document.querySelector(name);

/** @param {Race} race */
export function listenToButtons(race) {
  // A replay costs the machine that is about to be timed.
  whileHere(race.root, document, "click", (event) => {
    if (within(event, "#run")) race.state?.clock.pause();
  });
  whileHere(race.root, document, "keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || !within(event, "#prompt")) return;
    const run = button("#run");
    if (run && !run.disabled) run.click();
    event.preventDefault();
  });
  takeTurns(race.root);
}

/**
 * Run and Stop take turns in being disabled; the one that was pressed hands its focus to the other.
 * @param {HTMLElement} root
 */
function takeTurns(root) {
  /** @type {EventTarget | null} */
  let focused = null;
  whileHere(root, document, "focusin", ({ target }) => {
    focused = target;
  });
  const disabled = new MutationObserver(() => {
    if (!root.isConnected) return disabled.disconnect();
    const run = button("#run");
    const stop = button("#stop");
    const { activeElement } = document;
    if (!run || !stop || (activeElement !== document.body && !activeElement?.matches(":disabled"))) return;
    if (focused === run && run.disabled && !stop.disabled) stop.focus({ preventScroll: true });
    else if (focused === stop && stop.disabled && !run.disabled) run.focus({ preventScroll: true });
  });
  disabled.observe(document.body, { subtree: true, attributes: true, attributeFilter: ["disabled"] });
}

// What the focus does: on a token it links its round, and a new run takes it from what is about to go.

import { whileHere } from "../shared/dom.js";
import { link, linkSpan } from "./pick.js";
import { tokenOf } from "./spans.js";

/** @import { Race } from "./types.js" */

/** @param {Race} race */
export function listenToFocus(race) {
  whileHere(race.root, document, "focusin", (event) => {
    const span = ownToken(race, event);
    race.screen?.bar.keys.toggleAttribute("data-token", Boolean(span));
    if (span) linkSpan(race, span);
  });
  whileHere(race.root, document, "focusout", (event) => {
    race.screen?.bar.keys.removeAttribute("data-token");
    if (ownToken(race, event)) link(race);
  });
}

/** @param {Race} race @param {Event} event */
function ownToken(race, event) {
  const span = tokenOf(event);
  return span && race.root.contains(span) ? span : null;
}

/**
 * Whether a new run takes the focus from something that is about to go, or to be disabled, with it.
 * @param {HTMLElement} root
 */
export function losesFocus(root) {
  const { activeElement } = document;
  return activeElement === document.body || activeElement?.id === "stop" || root.contains(activeElement);
}

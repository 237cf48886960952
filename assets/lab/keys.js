// The keys of the Lab.

import { within } from "../shared/dom.js";
import { actOnKey, onBarePage } from "../shared/tabs.js";

/** @import { Actions } from "./tab.js" */
/** @import { Tab } from "./types.js" */

/**
 * Keys work on the bare page and inside the tab, never while something is typed or chosen with them. Caught before the
 * player of Watch hears them.
 * @param {KeyboardEvent} event @param {Tab} tab @param {Actions} act
 */
export function onKey(event, tab, act) {
  if (!tab.seen) return;
  const done = actOnKey(event, within(event, "#lab, .lab-box") !== null, () => meant(event, tab, act));
  const bare = onBarePage(event) && !(event.ctrlKey || event.metaKey || event.altKey);
  if (!done && bare) event.stopImmediatePropagation();
}

/** What a key asks for, if anything. @param {KeyboardEvent} event @param {Tab} tab @param {Actions} act */
function meant(event, tab, act) {
  if (within(event, "input, select, textarea")) return null;
  const key = event.key.toLowerCase();
  const projecting = document.body.hasAttribute("data-lab-projector");
  const run = tab.panels.get(tab.at)?.drawn?.run;
  if (key === "arrowright") return () => act.turnBy(1);
  if (key === "arrowleft") return () => act.turnBy(-1);
  if (key === "p") return () => act.project(!projecting);
  if (key === "escape" && projecting) return () => act.project(false);
  if (key === "r" && run) return run;
  return null;
}

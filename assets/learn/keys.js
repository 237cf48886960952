// The keys of a lesson.

import { within } from "../shared/dom.js";
import { actOnKey, onBarePage } from "../shared/tabs.js";

/** @import { Actions, Tab } from "./types.js" */

/**
 * Keys work on the bare page and inside the tab, never behind a dialog, nor while something is pressed or moved with
 * them. Caught before the player of the other tab hears them.
 * @param {KeyboardEvent} event @param {Tab} tab @param {Actions} act
 */
export function onKey(event, tab, act) {
  if (!tab.visible || !tab.excerpts || tab.root.querySelector("dialog[open]")) return;
  const scrolling = onBarePage(event) && (event.key === "Home" || event.key === "End"); // they scroll the page
  if (scrolling) return event.stopImmediatePropagation();
  actOnKey(event, tab.root.contains(/** @type {Node} */ (event.target)), () => actionFor(event, tab, act));
}

/** What a key asks for, if anything. @param {KeyboardEvent} event @param {Tab} tab @param {Actions} act */
function actionFor(event, { root, stage: { player } }, act) {
  const inside = within(event, "input, select, textarea");
  const moving = inside || within(event, "[role=treeitem]"); // its own arrows come first
  const pressing = within(event, "button, a, input, summary");
  const projecting = root.hasAttribute("data-projector");
  const { key } = event;
  if (key === "ArrowRight" && !moving) return () => act.turnBy(1);
  if (key === "ArrowLeft" && !moving) return () => act.turnBy(-1);
  if (key === " " && !pressing && player) return player.clock.toggle;
  if (key === "," && !inside && player) return () => player.step(-1);
  if (key === "." && !inside && player) return () => player.step(1);
  if (key.toLowerCase() === "p" && !inside) return () => act.setProjector(!projecting);
  if (key.toLowerCase() === "n" && !inside) return act.toggleNotes;
  if (key === "Escape" && projecting) return () => act.setProjector(false);
  return null;
}

// The projector: the race alone on the screen, and back.

import { button } from "../shared/controls.js";
import { el, setText } from "../shared/dom.js";
import { pageAddress } from "../shared/room.js";
import { writeTabStored } from "../shared/store.js";
import { WORDS } from "../shared/words.js";
import { inspectSelection } from "./selection.js";

/** @import { Race } from "./types.js" */

/** The whole of the race, also where gradio puts it in boxes of its own. @param {Race} race */
const frameOf = ({ root }) => root.closest("#race") ?? root;

/** @param {Race} race */
export const isProjecting = (race) => frameOf(race).hasAttribute("data-projector");

/** @param {Race} race @param {boolean} on */
export function setProjecting(race, on) {
  frameOf(race).toggleAttribute("data-projector", on);
  if (on) {
    inspectSelection(race);
    for (const fold of race.stage.querySelectorAll("details")) fold.open = true;
  }
  writeTabStored("projector", on ? "watch" : null);
  document.body.toggleAttribute("data-sv-projector", on);
  for (const lane of race.screen?.lanes || []) lane.places = null; // at another size
  const button = race.root.querySelector(".sv-project");
  if (button) labelButton(button, on);
}

/** @param {Race} race */
export function projectorButton(race) {
  const toggle = button("", () => setProjecting(race, !isProjecting(race)), { class: "sv-project" });
  const nodes = el("span.sv-flow", null, toggle, el("span.sv-address", null, pageAddress()));
  labelButton(toggle, isProjecting(race));
  return nodes;
}

/** @param {Element} button @param {boolean} on */
function labelButton(button, on) {
  setText(button, WORDS[on ? "projector_off" : "projector"]);
  button.setAttribute("aria-pressed", String(on));
  button.nextElementSibling?.toggleAttribute("hidden", !on);
}

// The projector: the race alone on the screen, and back.

import { button } from "../shared/controls.js";
import { setText } from "../shared/dom.js";
import { writeTabStored } from "../shared/store.js";
import { WORDS } from "../shared/words.js";
import { inspectPicked } from "./pick.js";

/** @import { Race } from "./types.js" */

/** The whole of the race, also where gradio puts it in boxes of its own. @param {Race} race */
const whole = ({ root }) => root.closest("#race") ?? root;

/** @param {Race} race */
export const projecting = (race) => whole(race).hasAttribute("data-projector");

/** @param {Race} race @param {boolean} on */
export function project(race, on) {
  whole(race).toggleAttribute("data-projector", on);
  if (on) {
    inspectPicked(race);
    for (const fold of race.stage.querySelectorAll("details")) fold.open = true;
  }
  writeTabStored("projector", on ? "watch" : null);
  document.body.toggleAttribute("data-sv-projector", on);
  for (const lane of race.screen?.lanes || []) lane.places = null; // at another size
  const button = race.root.querySelector(".sv-project");
  if (button) dress(button, on);
}

/** @param {Race} race */
export function projectorButton(race) {
  const switched = button("", () => project(race, !projecting(race)), { class: "sv-project" });
  dress(switched, projecting(race));
  return switched;
}

/** @param {Element} button @param {boolean} on */
function dress(button, on) {
  setText(button, WORDS[on ? "projector_off" : "projector"]);
  button.setAttribute("aria-pressed", String(on));
}

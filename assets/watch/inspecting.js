// The inspector and the picture of a round are there once a token was chosen, until they are closed: symbols come with
// them. A reload leaves them as they were.

import { button } from "../shared/controls.js";
import { writeTabStored } from "../shared/store.js";
import { WORDS } from "../shared/words.js";

/** @import { Race } from "./types.js" */

/**
 * @param {Race} race @param {boolean} on
 * @returns {Promise<void> | null} until what draws them is there, on a page that is sent it later
 */
export function inspect(race, on) {
  if (race.inspecting !== on) {
    race.inspecting = on;
    race.root.toggleAttribute("data-inspecting", on);
    writeTabStored("inspecting", on || null);
    for (const lane of race.screen?.lanes ?? []) lane.places = null; // at another width
  }
  if (!on || race.inspection) return null;
  race.coming ??= fetchInspection(race);
  return race.coming;
}

/** Where it is lost, the next token that is chosen asks again. @param {Race} race */
async function fetchInspection(race) {
  try {
    race.inspection = await race.fetchInspection();
  } catch (error) {
    console.warn(error);
  }
  race.coming = null;
}

/** @param {Race} race */
export function closeButton(race) {
  const close = () => {
    inspect(race, false);
    race.screen?.bar.play.focus({ preventScroll: true });
  };
  return button("×", close, { class: "sv-close", "aria-label": WORDS.close_inspector, title: WORDS.close_inspector });
}

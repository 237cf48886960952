// The race as a component of the page: what Python sends is shown, and what becomes of Run is heard of.

import { el, setText, the, whileHere } from "../shared/dom.js";
import { readPicture } from "../shared/picture.js";
import { shown } from "../shared/shown.js";
import { WORDS } from "../shared/words.js";
import { listenToButtons } from "./buttons.js";
import { makeRace, show } from "./race.js";
import { makeTimeline } from "./timeline.js";

/** @import { Mount } from "../shared/types.js" */
/** @import { Race } from "./types.js" */

const BUSY = ["waiting", "starting", "running", "again", "stopping"];

/** @param {Mount} mount */
export function race({ element, props, watch }) {
  const own = makeRace(element, makeTimeline);
  const read = (/** @type {boolean} */ arrived) => {
    shown.picture = props.value ? readPicture(props.value) : null;
    if (shown.picture) return show(own, shown.picture, arrived);
    element.dataset.empty = "";
    own.stage.replaceChildren(el("p.sv-invitation", null, WORDS.empty));
  };
  listenToButtons(own);
  whileHere(element, document, "specviz:status", (event) => onStatus(own, event.detail));
  watch("value", () => read(true));
  read(false);
}

/**
 * A run that failed leaves the one before it on the page: still there to read, but plainly not the answer.
 * @param {Race} race @param {string} status
 */
function onStatus({ root, stage, state }, status) {
  if (!state) return setText(the(stage, ".sv-invitation"), BUSY.includes(status) ? WORDS.under_way : WORDS.empty);
  if (status === "idle") delete root.dataset.earlier;
  if (status !== "error" && status !== "never") return;
  state.clock.pause();
  root.dataset.earlier = "";
}

// The panel that appears in Watch when a record of another engine is opened, and goes when something is run or closed.

import { button } from "../shared/button.js";
import { el, whileHere } from "../shared/dom.js";
import { WORDS } from "../shared/words.js";
import { recordPanel } from "./panel.js";

/** @import { Mount } from "../shared/types.js" */

/** @param {Mount} mount */
export function record({ element, props, watch }) {
  const box = el("div");
  element.replaceChildren(box);
  const close = () => box.replaceChildren();
  const paint = () => {
    if (!props.value) return close();
    box.replaceChildren(recordPanel(JSON.parse(props.value), button(WORDS.record_close, close)));
    box.scrollIntoView({ block: "nearest" }); // on a phone it begins below the first screen
  };
  watch("value", paint);
  whileHere(element, document, "specviz:status", (event) => {
    if (event.detail === "waiting") close();
  });
  paint();
}

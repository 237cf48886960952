// The place in Watch of a record of another engine: it is drawn when one is opened, and goes when something is run or
// closed. What draws it is sent with the first.

import { loadBundle } from "../shared/bundle.js";
import { button } from "../shared/controls.js";
import { el, whileHere } from "../shared/dom.js";
import { WORDS } from "../shared/words.js";

/** @import { RecordMount, RecordScript } from "./types.js" */

/** @param {RecordMount} mount */
export function record({ element, props, watch, server }) {
  const box = el("div");
  element.replaceChildren(box);
  const close = () => box.replaceChildren();
  const paint = async () => {
    const { value } = props;
    close();
    if (!value) return;
    const { words, ...bundle } = JSON.parse(await server.everything(""));
    const script = /** @type {RecordScript} */ (loadBundle("specvizRecord", bundle));
    Object.assign(WORDS, words);
    if (value !== props.value) return; // another one was opened meanwhile
    box.replaceChildren(script.recordPanel(JSON.parse(value), button(words.record_close, close)));
    box.scrollIntoView({ block: "nearest" }); // on a phone it begins below the first screen
  };
  watch("value", paint);
  whileHere(element, document, "specviz:status", (event) => {
    if (event.detail === "waiting") close();
  });
  paint();
}

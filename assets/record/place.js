// A record of another engine in Watch: it goes when something is run or closed. And the form for an engine whose files
// are not read.

import { button } from "../shared/controls.js";
import { el, whileHere } from "../shared/dom.js";
import { upload } from "../shared/upload.js";
import { WORDS } from "../shared/words.js";
import { countsForm } from "./counts.js";
import { recordPanel } from "./panel.js";

/** @import { RecordMount } from "./types.js" */

/** @param {RecordMount} mount */
export function place({ element, props }) {
  const box = el("div");
  let counted = false; // five numbers were sent, and are not answered
  element.replaceChildren(box);
  const close = () => box.replaceChildren();
  /** @param {HTMLElement} panel */
  function show(panel) {
    box.replaceChildren(panel);
    box.scrollIntoView({ block: "nearest" }); // on a phone it begins below the first screen
  }
  function paint() {
    close();
    if (props.value) show(recordPanel(JSON.parse(props.value), button(WORDS.record_close, close)));
  }
  /** @param {string} json */
  function send(json) {
    const data = new DataTransfer();
    data.items.add(new File([json], "counts.json", { type: "application/json" }));
    counted = true;
    upload(data.files);
  }
  whileHere(element, document, "specviz:status", ({ detail }) => {
    if (detail === "waiting") close();
    if (counted && detail === "linked") paint(); // of the same numbers as before the value does not change
    if (["linked", "refused"].includes(detail)) counted = false;
  });
  return { paint, openForm: () => show(countsForm(send, close)) };
}

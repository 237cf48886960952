// What became of Copy link: a sentence, and the link itself in a field where the browser refused to copy it. And the
// other end: whoever arrives by such a link has it read.

import { OTHERS } from "../shared/address.js";
import { el, query, whileHere } from "../shared/dom.js";
import { BUSY } from "../shared/shown.js";
import { keptSettings } from "./settings.js";

/** @import { Mount } from "../shared/types.js" */

/**
 * `linked`: a link's settings are to be read, or those that this browser kept.
 * @param {Mount<{ words: Record<string, string> }> & { linked: (kept: string) => void }} mount
 */
export function linkStatus({ element, props, watch, linked }) {
  const box = query(element, ".sv-said");
  const paint = () => {
    const { state, link } = JSON.parse(props.value || "{}");
    box.replaceChildren();
    if (!state) return;
    box.append(el("p", null, props.words[state]));
    if (!link) return;
    const field = el("input.sv-input", { type: "text", "aria-label": props.words.field });
    field.readOnly = true;
    field.value = link;
    box.append(field);
    field.focus();
    field.select();
  };
  watch("value", paint);
  paint();
  // what was said of a link is over when something else is done
  whileHere(element, document, "specviz:status", ({ detail }) => BUSY.includes(detail) && box.replaceChildren());
  // A link's parameters are read by the server; a plain address costs no trip there. What begins with __ is Gradio's
  // own, the chapter Learn's, the panel and what it is set to the Lab's.
  const asked = [...new URLSearchParams(location.search).keys()];
  const settings = keptSettings();
  if (asked.some((name) => !name.startsWith("__") && !OTHERS.test(name))) linked("");
  else if (settings) linked(settings);
}

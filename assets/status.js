// One line: what the run does, how far it is, or what is wrong (specviz/page/status.py).

import { el, the } from "./shared/dom.js";
import { filled } from "./shared/sentences.js";

/** @import { Mount } from "./shared/types.js" */

/** @typedef {{ state: string, message?: string, lane?: string, tokens?: number, of?: number }} Status */

/** @param {Mount<{ words: Record<string, string> }>} mount */
export function status({ element, props, watch }) {
  const box = the(element, ".sv-status");
  const read = () => /** @type {Status} */ (JSON.parse(props.value));
  const paint = () => {
    const told = read();
    const text = told.message ?? (told.state === "idle" ? "" : filled(props.words[told.state], { ...told }));
    box.dataset.state = told.state;
    box.replaceChildren(...(text ? [el("p", null, text)] : []));
    if (text && told.state === "running") box.append(meter(told));
  };
  watch("value", () => {
    paint();
    // The race hears of it too: an earlier run is dimmed when a new one fails.
    document.dispatchEvent(new CustomEvent("specviz:status", { detail: read().state }));
  });
  paint();
}

/** @param {Status} status */
function meter({ lane, tokens = 0, of = 1 }) {
  const inner = el("div");
  inner.style.width = `${(100 * tokens) / Math.max(1, of)}%`;
  const values = { role: "progressbar", "aria-valuenow": tokens, "aria-valuemax": of, "aria-label": lane };
  return el("div.sv-progress", values, inner);
}

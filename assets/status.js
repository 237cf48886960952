// One line: what the run does, how far it is, or what is wrong (specviz/page/status.py).

import { el, the } from "./shared/dom.js";
import { filled } from "./shared/sentences.js";
import { openTab } from "./shared/tabs.js";

/** @import { Mount } from "./shared/types.js" */

/**
 * `learn`: the words of a button that leads to Learn; `asked`: a length that the context has no room for.
 * @typedef {{ state: string, message?: string, learn?: string, ticket?: number, asked?: number, lane?: string,
 *   tokens?: number, of?: number }} Status
 */

const AGAIN = 2000; // ms: asking disturbs the run that is under way

/** @param {Mount<{ words: Record<string, string> }> & { server: { place(ticket: number): Promise<string> } }} mount */
export function status({ element, props, watch, server }) {
  const box = the(element, ".sv-status");
  const read = () => /** @type {Status} */ (JSON.parse(props.value));
  const paint = () => {
    const told = read();
    const text =
      told.message ??
      (told.state === "idle" ? "" : filled(props.words[told.asked ? "running_short" : told.state], { ...told }));
    box.dataset.state = told.state;
    const way = told.learn ? [text ? " " : "", lead(told.learn)] : [];
    box.replaceChildren(...(text || way.length ? [el("p", null, text, way)] : []));
    if (text && told.state === "running") box.append(meter(told));
  };
  /** Its place among those who wait, for as long as it waits. @param {number} ticket */
  async function place(ticket) {
    while (element.isConnected) {
      await new Promise((done) => setTimeout(done, AGAIN));
      if (read().ticket !== ticket) return;
      const found = JSON.parse(await server.place(ticket).catch(() => "null"));
      if (!found || read().ticket !== ticket) return;
      const { before, seconds } = found;
      const values = { before, seconds: Math.max(1, Math.round(seconds ?? 0)) };
      box.replaceChildren(el("p", null, filled(props.words[seconds === null ? "place" : "place_wait"], values)));
    }
  }
  watch("value", () => {
    paint();
    const { ticket } = read();
    if (ticket !== undefined) place(ticket);
    // The race hears of it too: an earlier run is dimmed when a new one fails.
    document.dispatchEvent(new CustomEvent("specviz:status", { detail: read().state }));
  });
  paint();
}

/** @param {string} words */
function lead(words) {
  const button = el("button.sv-lead", { type: "button" }, words);
  button.addEventListener("click", () => openTab("learn-tab"));
  return button;
}

/** @param {Status} status */
function meter({ lane, tokens = 0, of = 1 }) {
  const inner = el("div");
  inner.style.width = `${(100 * tokens) / Math.max(1, of)}%`;
  const values = { role: "progressbar", "aria-valuenow": tokens, "aria-valuemax": of, "aria-label": lane };
  return el("div.sv-progress", values, inner);
}

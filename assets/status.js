// One line: what the run does, how far it is, or what is wrong (specviz/page/status.py).

import { plainButton } from "./shared/controls.js";
import { el, query } from "./shared/dom.js";
import { fillText } from "./shared/sentences.js";
import { openTab } from "./shared/tabs.js";

/** @import { Mount } from "./shared/types.js" */

/**
 * `learn`: the words of a button that leads to Learn; `asked`: a length that the context has no room for.
 * `left`: seconds that the run may still take; `live`: what it has decoded so far.
 * @typedef {{ state: string, message?: string, learn?: string, ticket?: number, asked?: number, lane?: string,
 *   tokens?: number, of?: number, left?: number, live?: object }} Status
 */

const OWN = ["linked", "recorded", "refused"]; // said of something else than a run
const AGAIN = [2000, 15000]; // ms, the least and the most: asking disturbs the run that is under way

/** @param {Mount<{ words: Record<string, string> }> & { server: { place(ticket: number): Promise<string> } }} mount */
export function status({ element, props, watch, server }) {
  const box = query(element, ".sv-status");
  const read = () => /** @type {Status} */ (JSON.parse(props.value));
  let learn = "";
  const paint = () => {
    const current = read();
    const text =
      current.message ??
      (current.state === "idle"
        ? ""
        : fillText(props.words[current.asked ? "running_short" : current.state], { ...current })) +
        (current.left ? fillText(props.words.left, { ...current }) : "");
    box.dataset.state = current.state;
    // while what a chapter set is decoded, and when it is there, its chapter is a step away
    learn = current.learn ?? (OWN.includes(current.state) ? "" : learn);
    const way = learn ? [text ? " " : "", lead(learn)] : [];
    box.replaceChildren(...(text || way.length ? [el("p", null, text, way)] : []));
    if (text && current.state === "running") box.append(meter(current));
  };
  /** Its place among those who wait, for as long as it waits. @param {number} ticket */
  async function place(ticket) {
    let pause = AGAIN[0];
    while (element.isConnected) {
      await new Promise((done) => setTimeout(done, pause));
      if (read().ticket !== ticket) return;
      const queuePlace = JSON.parse(await server.place(ticket).catch(() => "null"));
      if (!queuePlace || read().ticket !== ticket) return;
      const { before, seconds } = queuePlace;
      pause = Math.min(AGAIN[1], Math.max(AGAIN[0], 250 * (seconds ?? 0))); // a quarter of the wait
      const values = { before, seconds: Math.max(1, Math.round(seconds ?? 0)) };
      box.replaceChildren(el("p", null, fillText(props.words[seconds === null ? "place" : "place_wait"], values)));
    }
  }
  /** Press Run where a link or a chapter asks for it, also if its answer was there before this box. */
  function decode() {
    if (read().state === "decode") requestAnimationFrame(() => query(document, "#run").click());
  }
  watch("value", () => {
    paint();
    const { ticket } = read();
    if (ticket !== undefined) place(ticket);
    // The race hears of it too: an earlier run is dimmed when a new one fails.
    const { state, live } = read();
    document.dispatchEvent(new CustomEvent("specviz:status", { detail: state }));
    decode();
    if (live) document.dispatchEvent(new CustomEvent("specviz:live", { detail: live }));
  });
  paint();
  decode();
}

/** @param {string} words */
const lead = (words) => plainButton("button.sv-lead.sv-link", null, () => openTab("learn-tab"), words);

/** @param {Status} status */
function meter({ lane, tokens = 0, of = 1 }) {
  const inner = el("div");
  inner.style.width = `${(100 * tokens) / Math.max(1, of)}%`;
  const values = { role: "progressbar", "aria-valuenow": tokens, "aria-valuemax": of, "aria-label": lane };
  return el("div.sv-progress", values, inner);
}

// One line: what the run does, how far it is, or what is wrong (specviz/page/status.py).

import { el, plainButton, query, readTabStored, writeTabStored } from "./player/dom.js";
import { BUSY, openTab } from "./player/page.js";
import { fillText } from "./player/words.js";

/** @import { Mount } from "./shared/types.js" */

/**
 * `learn`: the words of a button that leads to Learn; `asked`: a length that the context has no room for.
 * `left`: seconds that the run may still take; `live`: what it has decoded so far. `before`: runs that come first, which take
 * about so many `seconds`.
 * @typedef {{ state: string, message?: string, learn?: string, before?: number, seconds?: number | null, asked?: number,
 *   lane?: string, tokens?: number, of?: number, left?: number, live?: object }} Status
 */

const OWN = ["linked", "recorded", "refused"]; // said of something else than a run

/** @param {Mount<{ words: Record<string, string> }>} mount */
export function status({ element, props, watch }) {
  const box = query(element, ".sv-status");
  const readStatus = () => /** @type {Status} */ (JSON.parse(props.value));
  let learn = "";
  let isLost = readTabStored("running") !== null; // a connection that breaks loads the page again
  /** Whether a run is under way is known at the next load. @param {string} state */
  function keepState(state) {
    isLost &&= state === "linked" || state === "idle";
    writeTabStored("running", BUSY.includes(state) || null);
  }
  const paint = () => {
    const current = readStatus();
    const values = { ...current, lane: props.words[`lane_${current.lane}`] };
    const text =
      (isLost ? props.words.lost : undefined) ??
      current.message ??
      (current.state === "idle" ? "" : fillText(props.words[current.asked ? "running_short" : current.state], values)) +
        (current.left ? fillText(props.words.left, values) : "");
    box.dataset.state = current.state;
    // while what a chapter set is decoded, and when it is there, its chapter is a step away
    learn = current.learn ?? (OWN.includes(current.state) ? "" : learn);
    const way = learn ? [text ? " " : "", lead(learn)] : [];
    box.replaceChildren(...(text || way.length ? [el("p", null, text, way)] : []));
    if (text && current.state === "running") box.append(meter(current));
  };
  /** Its place among those who wait: the time that is left counts down, until another place is told. @param {Status} current */
  function showPlace({ before, seconds }) {
    const start = performance.now();
    const countdown = el("span", { "aria-live": "off" }); // nobody is told each second
    const tick = () => {
      if (seconds == null || !countdown.isConnected) return clearInterval(timer);
      const values = { seconds: Math.max(1, Math.round(seconds - (performance.now() - start) / 1000)) };
      countdown.textContent = fillText(props.words.place_wait, values);
    };
    const timer = setInterval(tick, 1000);
    box.replaceChildren(el("p", null, fillText(props.words.place, { before }), countdown), meanwhile(props.words));
    tick();
  }
  /** Press Run where a link or a chapter asks for it, also if its answer was there before this box. */
  function decode() {
    if (readStatus().state === "decode") requestAnimationFrame(() => query(document, "#run").click());
  }
  watch("value", () => {
    keepState(readStatus().state);
    paint();
    if (readStatus().before) showPlace(readStatus());
    // The race hears of it too: an earlier run is dimmed when a new one fails.
    const { state, live } = readStatus();
    document.dispatchEvent(new CustomEvent("specviz:status", { detail: state }));
    decode();
    if (live) document.dispatchEvent(new CustomEvent("specviz:live", { detail: live }));
  });
  paint();
  decode();
}

/**
 * An example plays: its recorded run, where `models` have one, else it is decoded. What gradio sets: the prompt, the name of
 * the recorded run.
 * @param {Record<string, { text: string, runs: Record<string, string> }>} examples by the word on the button; `runs` by models
 * @param {number} index of the button @param {string} models
 */
export function playExample(examples, index, models) {
  const label = document.querySelectorAll("#examples-menu .gallery-item")[index].textContent ?? "";
  const { text, runs } = examples[label.trim()];
  if (models in runs) return [{ __type__: "update" }, runs[models]];
  requestAnimationFrame(() => requestAnimationFrame(() => query(document, "#run").click())); // the prompt stands there then
  return [text, ""];
}

const openExamples = () => query(document, "#examples").click();

/** What needs no turn. @param {Record<string, string>} words */
function meanwhile(words) {
  const ways = [
    // after this press, which closes what menu is open
    plainButton("button.sv-link", null, () => requestAnimationFrame(openExamples), words.meanwhile_recorded),
    plainButton("button.sv-link", null, () => openTab("learn-tab"), words.meanwhile_learn),
  ];
  /** @type {HTMLElement | null} */
  const here = document.querySelector("#decode-here"); // where this server has the site
  if (here) ways.push(plainButton("button.sv-link", null, () => here.click(), words.meanwhile_browser));
  return el(
    "p.sv-meanwhile",
    { "aria-live": "off" },
    words.meanwhile,
    ways.map((way) => [" ", way]),
  );
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

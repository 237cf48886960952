// One line: what the run does, how far it is, or what is wrong (specviz/page/status.py).

import { el, plainButton, query, readTabStored, writeTabStored } from "./player/dom.js";
import { BUSY, openTab } from "./player/page.js";
import { fillText } from "./player/words.js";

/** @import { Mount } from "./shared/types.js" */

/**
 * `learn`: the words of a button that leads to Learn; `asked`: a length that the context has no room for.
 * `left`: seconds that the run may still take; `live`: what it has decoded so far. `before`: runs that come first, which take
 * about so many `seconds`. `run`: by which name it is asked for again.
 * @typedef {{ state: string, message?: string, learn?: string, before?: number, seconds?: number | null, asked?: number,
 *   run?: string, lane?: string, tokens?: number, of?: number, left?: number, live?: object }} Status
 */

const OWN = ["linked", "recorded", "refused"]; // said of something else than a run

const SILENT_MS = 5000; // of a run, after which the server is asked whether it is there

/** `lost`: asks the server for a run during which the page was loaded again, by its name; nothing where there is no server.
 * @param {Mount<{ words: Record<string, string> }> & { lost?: (run: string) => void }} mount */
export function status({ element, props, watch, lost }) {
  const box = query(element, ".sv-status");
  const readStatus = () => /** @type {Status} */ (JSON.parse(props.value));
  let learn = "";
  const lostRun = readTabStored("running"); // a connection that breaks loads the page again
  const canAsk = lost !== undefined && typeof lostRun === "string";
  let isLost = lostRun !== null;
  let silence = 0;
  /** Which run is under way is known at the next load. @param {Status} status */
  function keepState({ state, run }) {
    isLost &&= state === "linked" || state === "idle";
    if (isLost) return; // nothing was said of the run yet
    const isBusy = BUSY.includes(state);
    writeTabStored("running", isBusy ? (run ?? readTabStored("running") ?? true) : null);
    clearTimeout(silence);
    if (isBusy && lost) silence = window.setTimeout(checkConnection, SILENT_MS);
  }
  /** Gradio loads the page again when the server is back, and until then leaves what was said last. */
  async function checkConnection() {
    const asked = silence;
    const isThere = await fetch("gradio_api/app_id", { cache: "no-store" }).then(
      () => true,
      () => false,
    );
    if (asked !== silence) return; // something was said meanwhile
    if (isThere) silence = window.setTimeout(checkConnection, SILENT_MS);
    else box.replaceChildren(el("p", null, props.words.disconnected));
  }
  const paint = () => {
    const current = readStatus();
    const values = { ...current, lane: props.words[`lane_${current.lane}`] };
    const text =
      (isLost ? props.words[canAsk ? "asked" : "lost"] : undefined) ??
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
    keepState(readStatus());
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
  if (canAsk) lost(lostRun);
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

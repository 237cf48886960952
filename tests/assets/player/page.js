// The race on a page for tests: mounted as gradio mounts it, for a visitor who was here before.

import { all, fill, layOut, one, open, visitor } from "../dom.js";
import { fixtures } from "../fixtures.js";

const { setVocabulary } = await import("../../../assets/player/words.js");
const { currentRun: shown } = await import("../../../assets/player/page.js");
export const { inspection } = await import("../../../assets/player/inspector.js");
const { race } = await import("../../../assets/player/mount.js");

const BODY = `<div id="masthead"><h1>specviz</h1></div>
<div id="watch"><div id="prompt"><textarea></textarea></div><div id="race"><div class="sv-panes">
<section class="sv-race"></section><div id="timeline"></div><div class="sv-detail"></div></div></div></div>`;

/** The runs that a file of tests asks for, to be shown on a fresh page. Style sheets cost time, and so does the inspector. */
export function races(requests, { styles = false, inspects = true } = {}) {
  const { known, style, runs } = fixtures(requests);
  setVocabulary(known);
  const sheet = document.createElement("style");
  sheet.textContent = `[hidden] { display: none !important; }${styles ? shows(style) : ""}`;
  let send = (_) => {};
  const page = {
    words: known.words,
    /** A page without a run. `explains`: what a chosen token is explained with, or who sends it. */
    mount({ still = true, explains = inspection } = {}) {
      visitor.still = still;
      localStorage.clear();
      sessionStorage.clear();
      for (const name of ["story", "steps", "legend", "teach"]) localStorage.setItem(`specviz.${name}`, "true");
      if (inspects) sessionStorage.setItem("specviz.inspecting /", "true");
      open(BODY, ...(styles ? [sheet] : []));
      const props = { value: "" };
      const listeners = [];
      race({ element: one("#race"), props, watch: (_, act) => listeners.push(act) }, undefined, explains);
      send = (value) => {
        props.value = value;
        for (const act of listeners) act();
      };
    },
    /** A run arrives, as `change` makes it; its picture. */
    arrive(name, change = (run) => run) {
      send(change(runs[name] ?? ""));
      layOut();
      return shown.picture;
    },
    /** A run on a fresh page; its picture. */
    show(name, visitor) {
      page.mount(visitor);
      return page.arrive(name);
    },
  };
  return page;
}

/** What rules say of what is seen: all else only takes time here. */
function shows(style) {
  let left = style.replace(/(?<=[{};]\s*)(?!display:|visibility:)[\w-]+:[^{};]*;/g, "");
  for (let before = ""; before !== left; ) [before, left] = [left, left.replace(/[^{};]+\{\s*\}/g, "")];
  return left;
}

export const lane = (name = "speculative") => one(`.sv-lane[data-lane=${name}]`);
export const tokens = (role, name = "speculative") => all(`.sv-token[data-role=${role}]`, lane(name));
export const roles = (name) => all(".sv-token", lane(name)).map((span) => span.dataset.role);
/** The tokens of one speculative round, in reading order; `index` counts from 0. */
export const block = (index) => all(`.sv-token[aria-label$=', round ${index + 1}']`, lane());
export const at = () => Number(one(".sv-scrub").value);
export const roundsOf = (picture) => picture.lanes.speculative.rounds;

/** The scrubber is dragged to a time, in ms. */
export const seek = (ms) => fill(one(".sv-scrub"), ms);

/** A speed is chosen by its word. */
export function speed(word) {
  const list = one(".sv-speed");
  fill(list, [...list.options].find((option) => option.textContent === word).value);
}

/** Words that a sentence has where a number or a name was not there. */
export const BROKEN = /undefined|NaN|null|\[object|\{|Infinity/;

// The race on a page for tests: mounted as gradio mounts it, for a visitor who was here before.

import { all, layOut, one, open, visitor } from "../dom.js";
import { fixtures } from "../fixtures.js";

const { setVocabulary } = await import("../../../assets/shared/words.js");
const { currentRun: shown } = await import("../../../assets/shared/shown.js");
export const { inspection } = await import("../../../assets/watch/inspection.js");
const { race } = await import("../../../assets/story/mount.js");

const BODY = `<div id="masthead"><h1>specviz</h1></div>
<div id="watch"><div id="prompt"><textarea></textarea></div><div id="race"><div class="has_children">
<section class="sv-race"></section><div id="timeline"></div><div class="sv-detail"></div></div></div></div>`;

/**
 * The runs that a file of tests asks for, as functions that show them on a fresh page.
 * @template {string} Name @param {Record<Name, object>} asked @param {{ styles?: boolean, inspects?: boolean }} [more] style sheets
 * cost time, and so does what explains a chosen token
 */
export function races(asked, { styles = false, inspects = true } = {}) {
  const { known, style, runs } = fixtures(asked);
  setVocabulary(known);
  const sheet = document.createElement("style");
  sheet.textContent = `[hidden] { display: none !important; }${styles ? shows(style) : ""}`;
  let send = (/** @type {string} */ _) => {};
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
      const heard = /** @type {(() => void)[]} */ ([]);
      race({ element: one("#race"), props, watch: (_, act) => heard.push(act) }, undefined, undefined, explains);
      send = (value) => {
        props.value = value;
        for (const act of heard) act();
      };
    },
    /** A run arrives; its picture. @param {Name} name */
    arrive(name) {
      send(runs[name]);
      layOut();
      return /** @type {any} */ (shown.picture);
    },
    /** A run on a fresh page; its picture. @param {Name} name @param {{ still?: boolean, explains?: any }} [visitor] */
    show(name, visitor) {
      page.mount(visitor);
      return page.arrive(name);
    },
  };
  return page;
}

/** What rules say of what is seen: all else only takes time here. @param {string} style */
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

/** The scrubber is dragged to a time. @param {number} ms */
export function seek(ms) {
  const scrub = one(".sv-scrub");
  scrub.value = String(ms);
  scrub.dispatchEvent(new Event("input", { bubbles: true }));
}

/** @param {string} word of the list of speeds */
export function speed(word) {
  const list = one(".sv-speed");
  list.value = [...list.options].find((option) => option.textContent === word).value;
  list.dispatchEvent(new Event("change", { bubbles: true }));
}

/** Words that a sentence has where a number or a name was not there. */
export const BROKEN = /undefined|NaN|null|\[object|\{|Infinity/;

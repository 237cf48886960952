// Prompt and settings as an address (specviz/page/watch/shelf.py): a link that is copied, one by which somebody
// arrives, and what the browser keeps for the next visit, which is read back as strictly.

import { el, query as element, readStored, readTabStored, whileHere, writeStored, writeTabStored } from "../player/dom.js";
import { BUSY, NO_SETTING, sharedLink } from "../player/page.js";

/** @import { Mount } from "../shared/types.js" */

/** @typedef {string | number | boolean | null | undefined} Value */

const FILLING = ["decode", "linked", "recorded"]; // the status where a chapter, a link or a run filled in settings

/** A link opens in the language that this page was asked for in. @param {URLSearchParams} parameters */
function withLanguage(parameters) {
  const language = new URLSearchParams(location.search).get("lang");
  if (language) parameters.set("lang", language);
  return parameters;
}

/** Only what differs from the `plain` values of a page is named.
 * @param {string[]} names @param {Value[]} values @param {Record<string, Value>} plain @param {string} recordedName the run
 * that is shown */
export function query(names, values, plain, recordedName) {
  const parameters = new URLSearchParams();
  if (recordedName) parameters.set("recorded", recordedName);
  for (const [i, name] of names.entries()) {
    const value = values[i];
    const text = String(value ?? ""); // a field without a server gives its number as text
    if (text && text !== String(plain[name] ?? "")) parameters.set(name, text);
  }
  return parameters;
}

/** Into the clipboard or, where that is refused, into a field to copy from: what is returned is drawn by linkStatus.
 * @param {string[]} names @param {Record<string, Value>} plain
 * @param {number} longest what every browser, server and proxy on the way takes
 * @param {Value[]} values those of `names`, and the name of the recorded run that is shown */
export async function copyLink(names, plain, longest, values) {
  const recordedName = String(values[names.length] ?? "");
  const link = sharedLink(`${location.pathname}?${withLanguage(query(names, values, plain, recordedName))}`);
  if (link.length > longest) return JSON.stringify({ state: "long" });
  try {
    await navigator.clipboard.writeText(link);
    return JSON.stringify({ state: "copied", at: Date.now() });
  } catch {
    return JSON.stringify({ state: "refused", link });
  }
}

/**
 * What the site decodes: the same prompt and settings. Other models than the site's have other drafters: there it takes
 * its own.
 * @param {string[]} names @param {Record<string, Value>} plain `models`: those of the site @param {Value[]} values
 */
export function siteQuery(names, plain, values) {
  const own = values[names.indexOf("models")] === plain.models;
  const linkValues = values.map((value, i) => (own || !/models|drafter/.test(names[i]) ? value : null));
  return query(names, linkValues, plain, "");
}

/** The site beside this page: there the visitor's own browser decodes. What is returned is drawn by linkStatus.
 * @param {string[]} names @param {Record<string, Value>} plain @param {number} longest @param {Value[]} values */
export function decodeHere(names, plain, longest, values) {
  const link = new URL(`site/?${withLanguage(siteQuery(names, plain, values))}`, location.href);
  if (link.href.length > longest) return JSON.stringify({ state: "long" });
  window.open(link, "_blank");
  return "{}";
}

/** What became of Copy link: a sentence, and the link itself in a field where the browser refused to copy it. And the
 * other end: whoever arrives by such a link has it read. `linked`: a link's settings are to be read, or those that this
 * browser kept.
 * @param {Mount<{ words: Record<string, string> }> & { linked: (kept: string) => void }} mount */
export function linkStatus({ element: home, props, watch, linked }) {
  const box = element(home, ".sv-said");
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
  whileHere(home, document, "specviz:status", ({ detail }) => BUSY.includes(detail) && box.replaceChildren());
  // a link's parameters are read by the server; a plain address costs no trip there
  const names = [...new URLSearchParams(location.search).keys()];
  const settings = storedSettings();
  const isOwn = readTabStored("own") === true && readTabStored("running") !== null; // of a run in which the page is loaded again
  if (names.some((name) => !NO_SETTING.test(name)) && !(isOwn && settings)) linked("");
  else if (settings) linked(settings);
}

let isFilled = false; // since then nobody typed
globalThis.document?.addEventListener("specviz:status", (/** @type {any} */ { detail }) => {
  isFilled ||= FILLING.includes(detail);
});

/** @returns {string} */
function storedSettings() {
  const stored = readStored("settings");
  return typeof stored === "string" ? stored : "";
}

/** What a visitor sets.
 * @param {string[]} names @param {Record<string, Value>} plain what a page says that nobody changed
 * @param {number} longest characters @param {Value[]} values */
export function keepSettings(names, plain, longest, values) {
  const text = String(query(names, values, plain, ""));
  if (text.length <= longest) writeStored("settings", text || null);
  isFilled = false;
  return [];
}

/** The same once Run is pressed: gradio may not have heard the last letter yet. What else filled in settings presses it
 * too. @param {Parameters<typeof keepSettings>} values */
export function keepTyped(...values) {
  writeTabStored("own", !isFilled || null);
  return isFilled ? [] : keepSettings(...values);
}

/** Settings that somebody unfolded are so at the next visit: what gradio's accordion is told. */
export const accordionUpdate = () => ({ __type__: "update", open: readStored("unfolded") === true });

/** @param {boolean} open */
export function keepUnfolded(open) {
  writeStored("unfolded", open || null);
  return [];
}

// The tabs of the page, which gradio draws.

import { keepAddress } from "./address.js";
import { within } from "./dom.js";

/** @typedef {"watch" | "learn-tab" | "lab-tab"} TabName the elem_id of a tab */

/** @param {TabName} name */
export function openTab(name) {
  /** @type {HTMLElement | null} */ (document.querySelector(`#${name}-button`))?.click();
}

/** Of the Lab. @param {Record<string, string>} parameters as a link says it: the panel and what is set in it */
export function openPanel(parameters) {
  keepAddress(parameters);
  openTab("lab-tab");
  dispatchEvent(new PopStateEvent("popstate")); // the Lab goes where the address says
}

/** The tab that an address names. @param {string} search @returns {TabName} */
export function tabOf(search) {
  const parameters = new URLSearchParams(search);
  if (parameters.has("chapter")) return "learn-tab";
  return parameters.has("lab") ? "lab-tab" : "watch";
}

/**
 * Whether a letter or Escape is typed where a tab was just chosen: it is for what the tab shows. A projector hides the
 * bar, whose tab has the focus for a moment longer.
 * @param {KeyboardEvent} event
 */
export const onTabBar = (event) => /^([a-z]|Escape)$/i.test(event.key) && within(event, "[role=tab]") !== null;

/** Whether a key is for the page, and no element of it. @param {KeyboardEvent} event */
export const onBarePage = ({ target }) => target === document.body || target === document.documentElement;

/**
 * What a key of a tab does, on the bare page and inside the tab: caught before the player of Watch hears it.
 * @param {KeyboardEvent} event @param {boolean} inside the tab
 * @param {() => (() => void) | null} actionFor what it asks for
 * @returns {boolean} false where it asks for nothing here
 */
export function actOnKey(event, inside, actionFor) {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const act = inside || onBarePage(event) || onTabBar(event) ? actionFor() : null;
  if (!act) return false;
  act();
  event.preventDefault();
  event.stopImmediatePropagation();
  return true;
}

/** Whether the tab is the one that is open. @param {TabName} name */
export function isOpen(name) {
  return document.querySelector(`#${name}-button`)?.getAttribute("aria-selected") === "true";
}

// The tabs of the page, which gradio draws.

import { keepAddress } from "./address.js";
import { within } from "./dom.js";

/** @typedef {"watch" | "learn-tab" | "lab-tab"} TabName the elem_id of a tab */

/** @param {TabName} name */
export function openTab(name) {
  /** @type {HTMLElement | null} */ (document.querySelector(`#${name}-button`))?.click();
}

/** Of the Lab. @param {Record<string, string>} asked as a link says it: the panel and what is set in it */
export function openPanel(asked) {
  keepAddress(asked);
  openTab("lab-tab");
  dispatchEvent(new PopStateEvent("popstate")); // the Lab goes where the address says
}

/** The tab that an address names. @param {string} search @returns {TabName} */
export function tabOf(search) {
  const asked = new URLSearchParams(search);
  if (asked.has("chapter")) return "learn-tab";
  return asked.has("lab") ? "lab-tab" : "watch";
}

/**
 * Whether a letter or Escape is typed where a tab was just chosen: it is for what the tab shows. A projector hides the
 * bar, whose tab has the focus for a moment longer.
 * @param {KeyboardEvent} event
 */
export const onTabBar = (event) => /^([a-z]|Escape)$/i.test(event.key) && within(event, "[role=tab]") !== null;

/** Whether the tab is the one that is open. @param {TabName} name */
export function isOpen(name) {
  return document.querySelector(`#${name}-button`)?.getAttribute("aria-selected") === "true";
}

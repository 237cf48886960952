// The tabs of the page, which gradio draws.

/** @typedef {"watch" | "learn-tab" | "lab-tab"} TabName the elem_id of a tab */

/** @param {TabName} name */
export function openTab(name) {
  /** @type {HTMLElement | null} */ (document.querySelector(`#${name}-button`))?.click();
}

/** The tab that an address names. @param {string} search @returns {TabName} */
export function tabOf(search) {
  const asked = new URLSearchParams(search);
  if (asked.has("chapter")) return "learn-tab";
  return asked.has("lab") ? "lab-tab" : "watch";
}

/** Whether the tab is the one that is open. @param {TabName} name */
export function isOpen(name) {
  return document.querySelector(`#${name}-button`)?.getAttribute("aria-selected") === "true";
}

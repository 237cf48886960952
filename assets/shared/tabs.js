// The tabs of the page, which gradio draws.

/** @param {"watch" | "learn-tab"} name the elem_id of the tab */
export function openTab(name) {
  /** @type {HTMLElement | null} */ (document.querySelector(`#${name}-button`))?.click();
}

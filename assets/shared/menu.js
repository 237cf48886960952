// A menu: a button, and under it the box that it opens, which is called as the button is, and "-menu". Escape, a press
// elsewhere and a focus that goes elsewhere close it.

import { within } from "./dom.js";

/** @param {Element} button */
const boxOf = (button) => document.getElementById(`${button.id}-menu`);

/** @param {Element} button @param {boolean} on */
function toggle(button, on) {
  boxOf(button)?.toggleAttribute("data-open", on);
  button.setAttribute("aria-expanded", String(on));
}

/**
 * Those of the page, whoever made them, listened to once, before the first is there: a press opens it, however late the
 * rest of the page is. Called again, it says of those that came since that they are closed.
 */
export function listenToMenus() {
  const all = () => [...document.querySelectorAll(".sv-opens")];
  const isOpen = (/** @type {Element} */ button) => boxOf(button)?.hasAttribute("data-open") ?? false;
  for (const button of all()) toggle(button, isOpen(button));
  const page = document.documentElement; // a script of the head has no body yet
  if (page.hasAttribute("data-sv-menus")) return;
  page.setAttribute("data-sv-menus", "");
  /** @type {EventTarget[]} where the hand came down: an option that it chose may be gone at the click */
  let downPath = [];
  const keepPath = (/** @type {Event} */ event) => {
    downPath = event.composedPath();
  };
  document.addEventListener("pointerdown", keepPath, true);
  document.addEventListener("click", (event) => {
    const pressed = within(event, ".sv-opens");
    for (const button of all()) {
      const box = boxOf(button);
      const field =
        box && (box.contains(/** @type {Node} */ (event.target)) || downPath.includes(box)) && !within(event, "button");
      if (button === pressed) toggle(button, !isOpen(button));
      else if (!field && isOpen(button)) toggle(button, false);
    }
    downPath = [];
  });
  document.addEventListener("focusin", ({ target }) => {
    for (const button of all()) // gradio may have made one since
      if (!isOpen(button) || (button !== target && !boxOf(button)?.contains(/** @type {Node} */ (target))))
        toggle(button, false);
  });
  const onEscape = (/** @type {KeyboardEvent} */ event) => {
    const button = event.key === "Escape" && all().find(isOpen);
    if (!button) return;
    toggle(button, false);
    /** @type {HTMLElement} */ (button).focus();
    event.stopImmediatePropagation();
  };
  document.addEventListener("keydown", onEscape, true);
}

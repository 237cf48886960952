// A page of its own over the page.

import { button } from "./controls.js";
import { el } from "./dom.js";
import { WORDS } from "./words.js";

/** @import { Child } from "./types.js" */

/**
 * It is closed by its button and by Escape; then the focus is where it was.
 * @param {HTMLElement} root what it is a part of @param {string} title @param {Child[]} parts
 * @param {string} [look] a class of its own
 */
export function openDialog(root, title, parts, look = "") {
  const dialog = el(`dialog.sv-dialog${look}`, { "aria-label": title });
  const close = button(WORDS.close, () => dialog.close());
  dialog.append(el("div.sv-flow.sv-ends", null, el("h2", { tabindex: -1 }, title), close), el("div", null, parts));
  dialog.addEventListener("close", () => dialog.remove());
  root.append(dialog);
  dialog.showModal();
  return dialog;
}

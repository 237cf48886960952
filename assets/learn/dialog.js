// A page of its own over the chapter.

import { button } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { PAGE } from "./lesson.js";

/** @param {HTMLElement} root the tab's @param {string} title @param {(Node | null)[]} parts */
export function openDialog(root, title, parts) {
  const dialog = el("dialog.lrn-dialog", { "aria-label": title });
  const close = button(PAGE.close, () => dialog.close());
  dialog.append(el("div.sv-flow.sv-ends", null, el("h2", { tabindex: -1 }, title), close));
  dialog.append(...parts.filter((part) => part !== null));
  dialog.addEventListener("close", () => dialog.remove());
  root.append(dialog);
  dialog.showModal();
}

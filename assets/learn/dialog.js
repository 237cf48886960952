// A page of its own over the chapter.

import { button } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { PAGE } from "./lesson.js";

/** @param {HTMLElement} root the tab's @param {string} title @param {(Node | null)[]} parts */
export function openDialog(root, title, parts) {
  const shown = el("dialog.lrn-dialog", { "aria-label": title });
  const close = button(PAGE.close, () => shown.close());
  shown.append(el("div.sv-flow.sv-ends", null, el("h2", { tabindex: -1 }, title), close));
  shown.append(...parts.filter((part) => part !== null));
  shown.addEventListener("close", () => shown.remove());
  root.append(shown);
  shown.showModal();
}

// The glossary as a page of its own, over the chapter.

import { el } from "../shared/dom.js";
import { glossary } from "../shared/glossary.js";
import { button } from "./button.js";
import { PAGE } from "./lesson.js";

/** @param {HTMLElement} root */
export function terms(root) {
  const shown = el("dialog.lrn-glossary", { "aria-label": PAGE.glossary });
  shown.append(
    el(
      "div.lrn-glossary-head",
      null,
      el("h2", { tabindex: -1 }, PAGE.glossary),
      button(PAGE.close, () => shown.close()),
    ),
    ...glossary(),
  );
  shown.addEventListener("close", () => shown.remove());
  root.append(shown);
  shown.showModal();
}

// The bar above a panel: all panels, the projector.

import { button } from "../shared/button.js";
import { el } from "../shared/dom.js";
import { PAGE } from "./page.js";

/** @import { Tab } from "./types.js" */
/** @typedef {{ open(key: string): void, turnBy(way: 1 | -1): void, project(on: boolean): void }} Actions */

/** @param {Tab} tab @param {Actions} act */
export function bar(tab, act) {
  const items = tab.sent.panels.map(({ key, short, title }, i) => {
    const current = { type: "button", title, "aria-current": key === tab.at ? "page" : null };
    const node = el("button", current, el("b", null, String(i + 1)), el("span", null, short));
    node.addEventListener("click", () => act.open(key));
    return el("li", null, node);
  });
  const on = document.body.hasAttribute("data-lab-projector");
  const pressed = { "aria-pressed": String(on), title: PAGE.keys };
  const projector = button(on ? PAGE.leave_projector : PAGE.projector, () => act.project(!on), pressed);
  return el("nav.lab-bar", { "aria-label": PAGE.panels }, el("ol.lab-panels", null, items), projector);
}

// The bar above a panel: all panels, the projector.

import { button } from "../shared/button.js";
import { el } from "../shared/dom.js";
import { navItem } from "../shared/nav.js";
import { PAGE } from "./page.js";

/** @import { Tab } from "./types.js" */
/** @typedef {{ open(key: string): void, turnBy(way: 1 | -1): void, project(on: boolean): void }} Actions */

/** @param {Tab} tab @param {Actions} act */
export function bar(tab, act) {
  const items = tab.sent.panels.map(({ key, short, title }, i) =>
    navItem(String(i + 1), short, title, key === tab.at, () => act.open(key)),
  );
  const on = document.body.hasAttribute("data-lab-projector");
  const pressed = { "aria-pressed": String(on), title: PAGE.keys };
  const projector = button(on ? PAGE.leave_projector : PAGE.projector, () => act.project(!on), pressed);
  return el(
    "nav.lab-bar.sv-nav.sv-flow.sv-ends",
    { "aria-label": PAGE.panels },
    el("ol.lab-panels", null, items),
    projector,
  );
}

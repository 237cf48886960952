// Watch, Learn and Lab as tabs: one is open, arrows go from one to the next.

import { query } from "../shared/dom.js";
import { openTab, tabOf } from "../shared/tabs.js";

/** @import { TabName } from "../shared/tabs.js" */

/** @param {Partial<Record<TabName, () => void>>} first what happens when a tab is first opened */
export function makeTabs(first) {
  const tabs = /** @type {HTMLButtonElement[]} */ ([...document.querySelectorAll("#tabs [role=tab]")]);
  const waiting = new Map(Object.entries(first));
  for (const [i, tab] of tabs.entries()) {
    tab.addEventListener("click", () => choose(tabs, tab, waiting));
    tab.addEventListener("keydown", ({ key }) => {
      const way = { ArrowRight: 1, ArrowLeft: -1 }[key] ?? 0;
      const next = way && tabs[(i + way + tabs.length) % tabs.length];
      if (!next) return;
      next.focus();
      next.click();
    });
  }
  openTab(tabOf(location.search));
}

/** @param {HTMLButtonElement[]} tabs @param {HTMLButtonElement} chosen @param {Map<string, () => void>} waiting */
function choose(tabs, chosen, waiting) {
  for (const tab of tabs) {
    const on = tab === chosen;
    tab.setAttribute("aria-selected", String(on));
    tab.tabIndex = on ? 0 : -1;
    query(document, `#${tab.getAttribute("aria-controls")}`).hidden = !on;
  }
  const name = chosen.getAttribute("aria-controls") ?? "";
  const act = waiting.get(name);
  waiting.delete(name);
  act?.();
}

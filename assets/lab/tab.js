// The Lab: what its script exports (assets/player/mount.js), the one state of what it shows, and what a visitor can do in it. The
// address names the panel on the screen and its settings: ?lab=mistakes&lab_rule=resample&lab_seed=3.

import { button, el, readTabStored, redraw, whileHere, within, writeTabStored } from "../player/dom.js";
import { actOnKey, isOpen, keepAddress, onBarePage, openTab, pageAddress, tabOf } from "../player/page.js";
import { navItem } from "../shared/exercise.js";
import { classroom } from "./classroom.js";
import { mountPanel, PAGE } from "./frame.js";
import { load } from "./load.js";
import { luck } from "./luck.js";
import { mistakes } from "./mistakes/panel.js";
import { sweep } from "./sweep.js";

/** @import { LabData, MakePanel, MountedPanel, PanelMount, PanelWords, Settings, Tab } from "./types.js" */

/** @type {Record<string, MakePanel>} */
const PANELS = { classroom, load, luck, mistakes, sweep };

/** @type {Tab} */
let tab;

/** @param {HTMLElement} root @param {LabData} data */
export function mountLab(root, data) {
  Object.assign(PAGE, data.page);
  const currentKey = addressPanel(location.search, data.panels)?.key ?? data.panels[0].key;
  tab = { root, data, panels: new Map(), currentKey, visible: false };
  whileHere(root, window, "keydown", onKey, true);
  whileHere(root, window, "popstate", followAddress);
  redrawTab();
  new ResizeObserver(updateVisibility).observe(root);
}

/** @param {PanelMount} mount */
export function addPanelMount(mount) {
  const panel = tab.data.panels.find(({ key }) => key === mount.props.panel);
  if (!panel) throw new Error(`no panel is called ${mount.props.panel}`);
  /** @type {MountedPanel} */
  const mounted = { mount, panel, view: null, settings: addressPanel(location.search, [panel])?.settings ?? {} };
  if (panel.formerly && panelName(location.search) === panel.formerly) mount.notice = panel.words.formerly;
  tab.panels.set(panel.key, mounted);
  redrawTab();
}

/** The panel that the tab is at, and none of the others; it is drawn when it is first seen. */
function redrawTab() {
  redraw(tab.root, () => tab.root.replaceChildren(panelBar()));
  for (const [key, { mount }] of tab.panels) wrapperOf(mount).toggleAttribute("hidden", key !== tab.currentKey);
  const mounted = tab.panels.get(tab.currentKey);
  if (mounted && tab.visible) mountPanel(mounted, PANELS[tab.currentKey], () => updateAddress(true));
}

/** All that gradio puts around a panel, two boxes of one class. @param {PanelMount} mount @returns {HTMLElement} */
const wrapperOf = ({ element }) => element.closest('.lab-box[id^="lab-"]') ?? element;

/** @param {string} key */
function showPanel(key) {
  tab.currentKey = key;
  redrawTab();
  updateAddress(false);
  const title = tab.panels.get(key)?.mount.element.querySelector("h2");
  /** @type {HTMLElement | null | undefined} */ (title)?.focus({ preventScroll: true });
}

/** @param {1 | -1} way */
function turnBy(way) {
  const panelKeys = tab.data.panels.map(({ key }) => key);
  const next = panelKeys[panelKeys.indexOf(tab.currentKey) + way];
  if (next) showPanel(next);
}

/** @param {boolean} on */
function setProjector(on) {
  document.body.toggleAttribute("data-lab-projector", on);
  writeTabStored("projector", on ? "lab" : null);
  redrawTab();
}

/** The address says what is on the screen. @param {boolean} replace it is still the same panel */
function updateAddress(replace) {
  if (tab.visible) keepAddress(addressOf(tab.currentKey, tab.panels.get(tab.currentKey)?.settings ?? {}), replace);
}

/** Back and forward go through panels and tabs, as the address says. */
function followAddress() {
  const target = addressPanel(location.search, tab.data.panels);
  if (!target) {
    if (document.body.hasAttribute("data-lab-projector")) setProjector(false);
    if (tabOf(location.search) === "watch") openTab("watch");
    return;
  }
  tab.currentKey = target.key;
  redrawTab();
  openTab("lab-tab");
  tab.panels.get(tab.currentKey)?.view?.followLink?.(target.settings);
}

/** The address names a panel while one is on the screen. */
function updateVisibility() {
  const visible = tab.root.offsetWidth > 0;
  if (visible !== tab.visible) {
    tab.visible = visible;
    if (visible && readTabStored("projector") === "lab") document.body.toggleAttribute("data-lab-projector", true);
    if (visible) updateAddress(tabOf(location.search) === "lab-tab");
    else if (isOpen("watch")) keepAddress({});
  }
  if (visible) redrawTab();
}

const PREFIX = "lab_";
/** @param {string} search */
const panelName = (search) => new URLSearchParams(search).get("lab");

/** The panel that an address asks for, and its settings; null if it asks for none that there is.
 * @param {string} search @param {Pick<PanelWords, "key" | "formerly">[]} panels
 * @returns {{ key: string, settings: Settings } | null} */
export function addressPanel(search, panels) {
  const name = panelName(search);
  const panel = name && panels.find(({ key, formerly }) => key === name || formerly === name);
  if (!panel) return null;
  /** @type {Settings} */
  const settings = {};
  for (const [name, value] of new URLSearchParams(search))
    if (name.startsWith(PREFIX)) settings[name.slice(PREFIX.length)] = value;
  return { key: panel.key, settings };
}

/** What an address says of a panel. @param {string} key @param {Settings} settings */
export function addressOf(key, settings) {
  return { lab: key, ...Object.fromEntries(Object.entries(settings).map(([name, value]) => [PREFIX + name, value])) };
}

function panelBar() {
  const items = tab.data.panels.map(({ key, short, title }, i) =>
    navItem(String(i + 1), short, title, key === tab.currentKey, () => showPanel(key)),
  );
  const on = document.body.hasAttribute("data-lab-projector");
  const pressed = { "aria-pressed": String(on), title: PAGE.keys };
  const projector = button(on ? PAGE.leave_projector : PAGE.projector, () => setProjector(!on), pressed);
  const list = el("ol.lab-panels", null, items);
  const address = on ? el("span.sv-address", null, pageAddress()) : null;
  return el("nav.lab-bar.sv-nav.sv-flow.sv-ends", { "aria-label": PAGE.panels }, list, address, projector);
}

/** Keys work on the bare page and inside the tab, never while something is typed or chosen with them. Caught before the
 * player of Watch hears them. @param {KeyboardEvent} event */
function onKey(event) {
  if (tab.root.offsetWidth > 0 !== tab.visible) updateVisibility(); // a key may come before the observer has looked
  if (!tab.visible) return;
  const handled = actOnKey(event, within(event, "#lab, .lab-box") !== null, () => actionOf(event));
  const bare = onBarePage(event) && !(event.ctrlKey || event.metaKey || event.altKey);
  if (!handled && bare) event.stopImmediatePropagation();
}

/** What a key asks for, if anything. @param {KeyboardEvent} event */
function actionOf(event) {
  if (within(event, "input, select, textarea")) return null;
  const key = event.key.toLowerCase();
  const projecting = document.body.hasAttribute("data-lab-projector");
  const run = tab.panels.get(tab.currentKey)?.view?.run;
  if (key === "arrowright") return () => turnBy(1);
  if (key === "arrowleft") return () => turnBy(-1);
  if (key === "p") return () => setProjector(!projecting);
  if (key === "escape" && projecting) return () => setProjector(false);
  if (key === "r" && run) return run;
  return null;
}

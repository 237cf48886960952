// The Lab: what its script exports (door.js), the one state of what it shows, and what a visitor can do in it. The
// address names the panel on the screen and its settings: ?lab=mistakes&lab_rule=resample&lab_seed=3.

import { keepAddress } from "../shared/address.js";
import { button, redraw } from "../shared/controls.js";
import { el, whileHere } from "../shared/dom.js";
import { navItem } from "../shared/nav.js";
import { readTabStored, writeTabStored } from "../shared/store.js";
import { isOpen, openTab, tabOf } from "../shared/tabs.js";
import { setVocabulary } from "../shared/words.js";
import { mountPanel } from "./frame.js";
import { onKey } from "./keys.js";
import { PAGE } from "./page.js";

/** @import { Known, Picture } from "../shared/types.js" */
/** @import { PanelMount, Sent, Settings, Standing, Tab } from "./types.js" */

export { drawsPerSecond } from "./mistakes/speed.js";

/** @type {Tab} */
let tab;

/** @param {HTMLElement} root @param {Sent} sent @param {Known} known @param {() => Picture | null} picture */
export function frame(root, sent, known, picture) {
  setVocabulary(known);
  Object.assign(PAGE, sent.page);
  const at = addressPanel(location.search, keys(sent))?.key ?? sent.panels[0].key;
  tab = { root, sent, picture, panels: new Map(), at, seen: false };
  const keyed = (/** @type {KeyboardEvent} */ event) => {
    if (root.offsetWidth > 0 !== tab.seen) see(); // a key may come before the observer has looked
    onKey(event, tab, { open, turnBy, project });
  };
  whileHere(root, window, "keydown", keyed, true);
  whileHere(root, window, "popstate", goBack);
  show();
  new ResizeObserver(see).observe(root);
}

/** @param {PanelMount} mount */
export function panel(mount) {
  const said = tab.sent.panels.find(({ key }) => key === mount.props.panel);
  if (!said) throw new Error(`no panel is called ${mount.props.panel}`);
  /** @type {Standing} */
  const standing = { mount, said, drawn: null, settings: addressPanel(location.search, [said.key])?.settings ?? {} };
  tab.panels.set(said.key, standing);
  show();
}

/** @param {Sent} sent */
const keys = (sent) => sent.panels.map(({ key }) => key);

/** The panel that the tab is at, and none of the others; it is drawn when it is first seen. */
function show() {
  redraw(tab.root, () => tab.root.replaceChildren(bar(tab, { open, turnBy, project })));
  for (const [key, { mount }] of tab.panels) boxOf(mount).toggleAttribute("hidden", key !== tab.at);
  const standing = tab.panels.get(tab.at);
  if (standing && tab.seen) mountPanel(standing, tab, () => keepPlace(true));
}

/** All that gradio puts around a panel, two boxes of one class. @param {PanelMount} mount @returns {HTMLElement} */
const boxOf = ({ element }) => element.closest('.lab-box[id^="lab-"]') ?? element;

/** @param {string} key */
function open(key) {
  tab.at = key;
  show();
  keepPlace(false);
  const title = tab.panels.get(key)?.mount.element.querySelector("h2");
  /** @type {HTMLElement | null | undefined} */ (title)?.focus({ preventScroll: true });
}

/** @param {1 | -1} way */
function turnBy(way) {
  const all = keys(tab.sent);
  const next = all[all.indexOf(tab.at) + way];
  if (next) open(next);
}

/** @param {boolean} on */
function project(on) {
  document.body.toggleAttribute("data-lab-projector", on);
  writeTabStored("projector", on ? "lab" : null);
  show();
}

/** The address says what is on the screen. @param {boolean} same it is still the same panel */
function keepPlace(same) {
  if (tab.seen) keepAddress(addressOf(tab.at, tab.panels.get(tab.at)?.settings ?? {}), same);
}

/** Back and forward go through panels and tabs, as the address says. */
function goBack() {
  const found = addressPanel(location.search, keys(tab.sent));
  if (!found) {
    if (document.body.hasAttribute("data-lab-projector")) project(false);
    if (tabOf(location.search) === "watch") openTab("watch");
    return;
  }
  tab.at = found.key;
  show();
  openTab("lab-tab");
  tab.panels.get(tab.at)?.drawn?.arrive?.(found.settings);
}

/** The address names a panel while one is on the screen. */
function see() {
  const there = tab.root.offsetWidth > 0;
  if (there !== tab.seen) {
    tab.seen = there;
    if (there && readTabStored("projector") === "lab") document.body.toggleAttribute("data-lab-projector", true);
    if (there) keepPlace(tabOf(location.search) === "lab-tab");
    else if (isOpen("watch")) keepAddress({});
  }
  if (there) show();
}

const PREFIX = "lab_";
/** What links of earlier versions call a panel. @type {Record<string, string>} */
const FORMERLY = { people: "classroom" };

/**
 * The panel that an address asks for, and its settings; null if it asks for none that there is.
 * @param {string} search @param {string[]} keys @returns {{ key: string, settings: Settings } | null}
 */
export function addressPanel(search, keys) {
  const params = new URLSearchParams(search);
  const name = params.get("lab") ?? "";
  const key = FORMERLY[name] ?? name;
  if (!keys.includes(key)) return null;
  /** @type {Settings} */
  const settings = {};
  for (const [name, value] of params) if (name.startsWith(PREFIX)) settings[name.slice(PREFIX.length)] = value;
  return { key, settings };
}

/** What an address says of a panel. @param {string} key @param {Settings} settings */
export function addressOf(key, settings) {
  return { lab: key, ...Object.fromEntries(Object.entries(settings).map(([name, value]) => [PREFIX + name, value])) };
}

/** @typedef {{ open(key: string): void, turnBy(way: 1 | -1): void, project(on: boolean): void }} Actions */

/** @param {Tab} tab @param {Actions} act */
function bar(tab, act) {
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

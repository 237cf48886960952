// The address names the panel that is on the screen and its settings: ?lab=mistakes&lab_rule=resample&lab_seed=3.

/** @import { Settings } from "./types.js" */

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

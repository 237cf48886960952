// What is unfolded by whoever wants it, and stays so in this browser.

import { el } from "./dom.js";
import { readStored, writeStored } from "./store.js";

/**
 * @param {string} name by which the browser keeps it
 * @param {string} looks its class @param {Node | string} title @param {(Node | null)[]} inside
 */
export function fold(name, looks, title, inside) {
  const root = el(
    `details.${looks}`,
    { open: readStored(name) === true ? "" : null },
    el("summary", null, title),
    inside,
  );
  root.querySelector("summary")?.addEventListener("click", () => writeStored(name, !root.open || null));
  return root;
}

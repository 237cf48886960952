// A component on a page without gradio: mounted on its box as gradio mounts it, given values by whoever has
// them.

import { query } from "../shared/dom.js";

/**
 * @template Mount @param {(mount: Mount) => void} component @param {string} box a selector
 * @param {Record<string, unknown>} props all but its value
 * @param {Record<string, unknown>} more what it may ask or tell
 * @returns {(value: string) => void} gives it another value
 */
export function mountComponent(component, box, props = {}, more = {}) {
  /** @type {(() => void)[]} */
  const listeners = [];
  const own = { value: "", ...props };
  const mount = {
    element: query(document, box),
    props: own,
    watch: (/** @type {string} */ _, /** @type {() => void} */ act) => listeners.push(act),
    ...more,
  };
  component(/** @type {Mount} */ (mount));
  return (value) => {
    own.value = value;
    for (const act of listeners) act();
  };
}

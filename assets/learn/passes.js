// Passes over blocks, measured when they are asked for; where nothing can be measured, what was recorded elsewhere.

/** @import { LearnMount, Measured, Recorded } from "./types.js" */

/**
 * `here` they can be measured; else what was `recorded` is `shown` when they are asked for.
 * @param {LearnMount} mount
 */
export function makePasses({ props, measure }) {
  /** @type {Set<() => void>} */
  const heard = new Set();
  const passes = {
    recorded: /** @type {Recorded[]} */ ([]),
    here: props.measures,
    waiting: false,
    shown: false,
    /** @returns {Measured | null} */
    found: () => (props.value ? JSON.parse(props.value) : passes.shown ? (passes.recorded[0] ?? null) : null),
    ask() {
      passes.waiting = props.measures;
      passes.shown = !props.measures;
      if (props.measures) measure();
      tell();
    },
    changed() {
      passes.waiting = false;
      tell();
    },
    /** @param {() => void} listener */
    hear: (listener) => heard.add(listener),
    forget: () => heard.clear(),
  };
  const tell = () => {
    for (const listener of heard) listener();
  };
  return passes;
}

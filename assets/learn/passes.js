// Passes over blocks, measured when they are asked for; where nothing can be measured, what was recorded elsewhere.

/** @import { LearnMount, Passes } from "./types.js" */

/** @param {LearnMount} mount @returns {Passes} */
export function makePasses({ props, measure }) {
  /** @type {Set<() => void>} */
  const heard = new Set();
  /** @type {Passes} */
  const passes = {
    recorded: [],
    here: props.measures,
    waiting: false,
    shown: false,
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
    hear: (listener) => heard.add(listener),
    forget: () => heard.clear(),
  };
  const tell = () => {
    for (const listener of heard) listener();
  };
  return passes;
}

// Passes over blocks, measured when they are asked for; where nothing can be measured, what was recorded elsewhere.

/** @import { LearnMount, Measurement, PassTimes } from "./types.js" */

/**
 * `measurable`: here; else `showsRecorded`, once they are asked for.
 * @param {LearnMount} mount
 */
export function makePasses({ props, measure }) {
  /** @type {Set<() => void>} */
  const listeners = new Set();
  const passes = {
    recorded: /** @type {PassTimes[]} */ ([]),
    measurable: props.measures,
    waiting: false,
    showsRecorded: false,
    /** @returns {Measurement | null} */
    measurement: () =>
      props.value ? JSON.parse(props.value) : passes.showsRecorded ? (passes.recorded[0] ?? null) : null,
    requestMeasurement() {
      passes.waiting = props.measures;
      passes.showsRecorded = !props.measures;
      if (props.measures) measure();
      notify();
    },
    receiveMeasurement() {
      passes.waiting = false;
      notify();
    },
    /** @param {() => void} listener */
    onChange: (listener) => listeners.add(listener),
    clearListeners: () => listeners.clear(),
  };
  const notify = () => {
    for (const listener of listeners) listener();
  };
  return passes;
}

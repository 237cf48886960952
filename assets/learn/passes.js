// Passes over blocks, measured when they are asked for; and what was recorded elsewhere, which answers where nothing can
// be measured, or the machine was busy.

/** @import { LearnMount, Measurement, PassTimes } from "./types.js" */

/**
 * `measurable`: here; else `showsRecorded`, once they are asked for. `asked`: a number was said, or a measurement asked for.
 * @param {LearnMount} mount
 */
export function makePasses({ props, measure }) {
  /** @type {Set<() => void>} */
  const listeners = new Set();
  const passes = {
    recorded: /** @type {PassTimes[]} */ ([]),
    measurable: props.measures,
    waiting: false,
    asked: false,
    showsRecorded: false,
    /** @returns {Measurement | null} */
    measurement: () =>
      props.value ? JSON.parse(props.value) : passes.showsRecorded ? (passes.recorded[0] ?? null) : null,
    requestMeasurement() {
      passes.asked = true;
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

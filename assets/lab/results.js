// What was measured in a panel. Until there is any, a result that comes with the app stands there and says what it is.

import { el, setText } from "../shared/dom.js";
import { fillText } from "../shared/sentences.js";

/** @import { makeForm } from "./form.js" */
/** @import { PanelContext, Settings } from "./types.js" */

/**
 * @template Result
 * @typedef {{ prompt: string, target: string, device: string, threads: number, date: string, found: Result }} Recorded
 */

/**
 * `note`: what it is. `view`: what the frame calls.
 * @template Result @param {PanelContext} context @param {ReturnType<typeof makeForm>} form
 * @param {string} name Python's function for what comes with the app @param {(current: Result) => void} paint
 * @param {(result: Result) => (string | number | null)[][]} csvRows
 * @param {(result: Result) => Record<string, string>} valuesOf a result that comes with the app, for the words about it
 */
export function makeResults(context, form, name, paint, csvRows, valuesOf = () => ({})) {
  /** @type {Recorded<Result> | null} */
  let recorded = null;
  /** @type {Result | null} */
  let measured = null;
  const origin = el("p.lab-origin.sv-strong");
  const note = el("div.lab-stack", null, origin, el("p.lab-note", null, context.words.empty));
  const current = () => measured ?? recorded?.found ?? null;

  function draw() {
    note.hidden = measured !== null;
    if (recorded) setText(origin, fillText(context.words.recorded, { ...recorded, ...valuesOf(recorded.found) }));
    const result = current();
    if (result) paint(result);
  }

  context.server[name]?.("").then(
    (text) => {
      recorded = JSON.parse(text);
      draw();
    },
    (error) => console.warn(error), // the panel is whole without it
  );
  return {
    note,
    measured: () => measured,
    /** @returns {Settings} of what comes with the app, by the names of a link to Watch */
    recordedSettings: () => (recorded ? { prompt: recorded.prompt, models: recorded.target } : {}),
    view: {
      run() {
        context.updateLink(form.values());
        context.startRun(form.values());
      },
      showResult(/** @type {unknown} */ result) {
        if (result) measured = /** @type {Result} */ (result);
        draw();
      },
      draw,
      table() {
        const result = current();
        return result && [context.words.csv.split("|"), ...csvRows(result)];
      },
    },
  };
}

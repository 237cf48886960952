// What was measured in a panel. Until there is any, a result that comes with the app stands there and says what it is.

import { el, setText } from "../shared/dom.js";
import { fillText } from "../shared/sentences.js";

/** @import { makeForm } from "./form.js" */
/** @import { PanelContext, Settings } from "./types.js" */

/**
 * @template Found
 * @typedef {{ prompt: string, target: string, device: string, threads: number, date: string, found: Found }} Recorded
 */

/**
 * `note`: what it is. `panel`: what the frame calls.
 * @template Found @param {PanelContext} bench @param {ReturnType<typeof makeForm>} form
 * @param {string} name Python's function for what comes with the app @param {(shown: Found | null) => void} paint
 */
export function makeResults(bench, form, name, paint) {
  /** @type {Recorded<Found> | null} */
  let recorded = null;
  /** @type {Found | null} */
  let measured = null;
  const note = el("p.lab-note", null, bench.words.empty);
  const shown = () => measured ?? recorded?.found ?? null;

  function draw() {
    note.hidden = measured !== null;
    const first = recorded ? [fillText(bench.words.recorded, { ...recorded })] : [];
    setText(note, [...first, bench.words.empty].join(" "));
    paint(shown());
  }

  bench.server[name]?.("").then(
    (text) => {
      recorded = JSON.parse(text);
      draw();
    },
    (error) => console.warn(error), // the panel is whole without it
  );
  return {
    note,
    shown,
    measured: () => measured,
    /** @returns {Settings} of what comes with the app, by the names of a link to Watch */
    ran: () => (recorded ? { prompt: recorded.prompt, models: recorded.target } : {}),
    panel: {
      run() {
        bench.keep(form.values());
        bench.run(form.values());
      },
      found(/** @type {unknown} */ now) {
        if (now) measured = /** @type {Found} */ (now);
        draw();
      },
      draw,
    },
  };
}

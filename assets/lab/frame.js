// What stands around every panel: heading and question, Run and Stop, how far it is, files, a link, the exercise.

import { button } from "../shared/controls.js";
import { el, setText } from "../shared/dom.js";
import { exercise } from "../shared/exercise.js";
import { explain } from "../shared/glossary.js";
import { fillText } from "../shared/sentences.js";
import { PAGE } from "./page.js";
import { PANELS } from "./panels.js";
import { files } from "./save.js";

/** @import { Drawn, PanelContext, Standing, Tab, Told } from "./types.js" */

const TEXT = 16; // px of a page's text

/**
 * A panel is on the screen: it is drawn whole at first, later as it says.
 * @param {Standing} standing @param {Tab} tab @param {() => void} moved its settings have
 */
export function mountPanel(standing, tab, moved) {
  if (standing.drawn) return standing.drawn.draw?.();
  const { mount, said } = standing;
  const root = /** @type {HTMLElement} */ (mount.element.querySelector(".lab-panel"));
  const meter = makeMeter();
  const told = el("p.lab-told", { role: "status" });
  const place = el("div.lab-picture");
  /** @type {PanelContext} */
  const bench = {
    words: said.words,
    runs: said.runs,
    asked: standing.settings,
    server: mount.server ?? {},
    picture: tab.picture,
    keep(next) {
      standing.settings = next;
      moved();
    },
    run(next) {
      act.begin();
      mount.run(next);
    },
    take: (next) => mount.take(next),
    embed: mount.embed,
    say: (sentence) => setText(told, sentence),
    progress: (done, of, left) => {
      meter.show(done, of, left);
      act.busy(done !== null);
    },
    width: () => Math.round((place.clientWidth || root.clientWidth || 320) / enlarged(place)),
  };
  const drawn = PANELS[said.key](bench);
  const act = buttons(drawn, standing, meter, told);
  standing.drawn = drawn;
  place.append(drawn.picture);
  root.setAttribute("aria-labelledby", `lab-title-${said.key}`);
  root.replaceChildren(
    el("h2", { id: `lab-title-${said.key}`, tabindex: -1 }, said.title),
    el("p.lab-answers", null, explain(said.answers)),
    el("div.lab-controls", null, drawn.controls, act.nodes),
    el("div.lab-state", null, meter.root, told),
    place,
    el("div.lab-numbers.sv-scroll", null, drawn.numbers),
    files(said.key, drawn, bench),
    exercise(said.exercise, PAGE.exercise, PAGE.key),
  );
  if (drawn.begin) drawn.begin();
  else drawn.draw?.();
  mount.watch("value", () => mount.props.value && hear(JSON.parse(mount.props.value), drawn, act, meter, told));
}

/** How much larger than on a page text is here, as on a projector: drawings grow with it. @param {HTMLElement} place */
const enlarged = (place) => Number.parseFloat(getComputedStyle(place).fontSize) / TEXT || 1;

/**
 * Run and Stop, where a panel has them.
 * @param {Drawn} drawn @param {Standing} standing @param {ReturnType<typeof makeMeter>} meter @param {HTMLElement} told
 */
function buttons(drawn, { mount, said }, meter, told) {
  const stops = said.runs || drawn.stop;
  const run = drawn.run && button(said.words.run ?? PAGE.run, drawn.run, { class: "sv-first lab-run" });
  const stop = button(PAGE.stop, () => {
    drawn.stop?.();
    if (said.runs) mount.stop();
    setText(told, PAGE.stopping);
  });
  stop.disabled = true;
  return {
    nodes: [run, drawn.more?.map(([word, does]) => button(word, does)), stops ? stop : null],
    /** @param {boolean} on */
    busy(on) {
      if (run) run.disabled = on && said.runs;
      stop.disabled = !on;
    },
    begin() {
      this.busy(true);
      meter.show(0);
      setText(told, PAGE.waiting);
    },
  };
}

/**
 * What Python says.
 * @param {Told} message @param {Drawn} drawn @param {ReturnType<typeof buttons>} act
 * @param {ReturnType<typeof makeMeter>} meter @param {HTMLElement} told
 */
function hear(message, drawn, act, meter, told) {
  const { state } = message;
  const over = state !== "waiting" && state !== "running";
  act.busy(!over);
  meter.show(state === "running" ? (message.done ?? 0) : over ? null : 0, message.of, message.left ?? null);
  if (state === "waiting" && message.before && message.seconds) {
    setText(told, fillText(PAGE.waiting_after, { before: message.before, left: durationText(message.seconds) }));
  } else if (state !== "waiting") {
    setText(told, state === "stopped" ? PAGE.stopped : (message.message ?? ""));
  }
  if (message.found || over) drawn.found?.(message.found ?? null, over);
}

function makeMeter() {
  const done = el("progress.lab-progress", { max: 1 });
  const said = el("span.lab-left");
  const root = el("div.lab-meter", { hidden: "" }, done, said);
  return {
    root,
    /** @param {number | null} value null: over @param {number} [of] @param {number | null} [left] seconds */
    show(value, of = 1, left = null) {
      root.hidden = value === null;
      if (value === null) return;
      const part = of > 0 ? Math.min(1, value / of) : 0;
      done.value = part;
      const percent = `${Math.floor(100 * part)} %`;
      said.textContent = fillText(left === null ? PAGE.running : PAGE.running_left, {
        percent,
        left: durationText(left ?? 0),
      });
    },
  };
}

/** Seconds as a person says them. @param {number} seconds */
function durationText(seconds) {
  if (seconds < 100) return fillText(PAGE.seconds, { n: Math.max(1, Math.round(seconds)) });
  return fillText(PAGE.minutes, { n: Math.round(seconds / 60) });
}

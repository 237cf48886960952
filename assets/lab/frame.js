// What stands around every panel: heading and question, Run and Stop, how far it is, files, a link, the exercise.

import { saveChart } from "../chart/save.js";
import { copy } from "../shared/clipboard.js";
import { button } from "../shared/controls.js";
import { csv } from "../shared/csv.js";
import { el, setText } from "../shared/dom.js";
import { exercise } from "../shared/exercise.js";
import { explain } from "../shared/glossary.js";
import { sharedLink } from "../shared/room.js";
import { save } from "../shared/save.js";
import { fillText } from "../shared/sentences.js";
import { PAGE, PANELS } from "./panels.js";
import { wordsByPrefix } from "./setting.js";

/** @import { Embed, MountedPanel, PanelContext, PanelView, RunMessage } from "./types.js" */

const TEXT_PX = 16; // px of a page's text

/**
 * A panel is on the screen: it is drawn whole at first, later as it says.
 * @param {MountedPanel} mounted @param {() => void} onSettings its settings have changed
 */
export function mountPanel(mounted, onSettings) {
  if (mounted.view) return mounted.view.draw?.();
  const { mount, panel } = mounted;
  const root = /** @type {HTMLElement} */ (mount.element.querySelector(".lab-panel"));
  const meter = makeMeter();
  const status = el("p.lab-told", { role: "status" });
  const picture = el("div.lab-picture");
  /** @type {PanelContext} */
  const context = {
    words: panel.words,
    options: (prefix) => wordsByPrefix(panel.words, prefix, panel.absent),
    runs: panel.runs,
    linkSettings: mounted.settings,
    server: mount.server ?? {},
    updateLink(settings) {
      mounted.settings = settings;
      onSettings();
    },
    startRun(settings) {
      runButtons.showWaiting();
      mount.run(settings);
    },
    openInWatch: (settings) => mount.take(settings),
    announce: (sentence) => setText(status, sentence),
    showProgress: (done, of, left) => {
      meter.show(done, of, left);
      runButtons.setBusy(done !== null);
    },
    width: () => Math.round((picture.clientWidth || root.clientWidth || 320) / enlargement(picture)),
  };
  const view = PANELS[panel.key](context);
  const runButtons = makeRunButtons(view, mounted, meter, status);
  mounted.view = view;
  picture.append(view.picture);
  root.setAttribute("aria-labelledby", `lab-title-${panel.key}`);
  root.replaceChildren(
    el("h2", { id: `lab-title-${panel.key}`, tabindex: -1 }, panel.title),
    el("p.lab-answers", null, explain(panel.answers)),
    el("div.lab-controls", null, view.controls, runButtons.nodes),
    el("div.lab-state", null, meter.root, status),
    picture,
    el("div.lab-numbers.sv-scroll", null, view.numbers),
    exportButtons(panel.key, view, context.announce, mount.embed),
    exercise(panel.exercise, PAGE.exercise, PAGE.key),
  );
  if (view.onMount) view.onMount();
  else view.draw?.();
  if (mount.notice) context.announce(mount.notice);
  mount.watch("value", () => mount.props.value && runButtons.showMessage(JSON.parse(mount.props.value)));
}

/** How much larger text is here than on a page, as on a projector: drawings grow too. @param {HTMLElement} picture */
const enlargement = (picture) => Number.parseFloat(getComputedStyle(picture).fontSize) / TEXT_PX || 1;

/**
 * Run and Stop, where a panel has them.
 * @param {PanelView} view @param {MountedPanel} mounted @param {ReturnType<typeof makeMeter>} meter
 * @param {HTMLElement} status
 */
function makeRunButtons(view, { mount, panel }, meter, status) {
  const stops = panel.runs || view.stop;
  const run = view.run && button(panel.words.run ?? PAGE.run, view.run, { class: "sv-first lab-run" });
  const stop = button(PAGE.stop, () => {
    view.stop?.();
    if (panel.runs) mount.stop();
    setText(status, PAGE.stopping);
  });
  stop.disabled = true;
  return {
    nodes: [run, view.moreButtons?.map(([word, act]) => button(word, act)), stops ? stop : null],
    /** @param {boolean} on */
    setBusy(on) {
      if (run) run.disabled = on && panel.runs;
      stop.disabled = !on;
    },
    showWaiting() {
      this.setBusy(true);
      meter.show(0);
      setText(status, PAGE.waiting);
    },
    /** What Python says. @param {RunMessage} message */
    showMessage(message) {
      const { state } = message;
      const over = state !== "waiting" && state !== "running";
      this.setBusy(!over);
      meter.show(state === "running" ? (message.done ?? 0) : over ? null : 0, message.of, message.left ?? null);
      if (state === "waiting" && message.before) {
        const values = { before: message.before, left: durationText(message.seconds ?? 0) };
        setText(status, fillText(message.seconds == null ? PAGE.waiting_after : PAGE.waiting_left, values));
      } else if (state !== "waiting") {
        setText(status, state === "stopped" ? PAGE.stopped : (message.message ?? ""));
      }
      if (message.found || over) view.showResult?.(message.found ?? null, over);
    },
  };
}

function makeMeter() {
  const done = el("progress.lab-progress", { max: 1 });
  const label = el("span.sv-muted");
  const root = el("div.lab-meter.sv-flow", { hidden: "" }, done, label);
  return {
    root,
    /** @param {number | null} value null: over @param {number} [of] @param {number | null} [left] seconds */
    show(value, of = 1, left = null) {
      root.hidden = value === null;
      if (value === null) return;
      const part = of > 0 ? Math.min(1, value / of) : 0;
      done.value = part;
      const values = { percent: `${Math.floor(100 * part)} %`, left: durationText(left ?? 0) };
      label.textContent = fillText(left === null ? PAGE.running : PAGE.running_left, values);
    },
  };
}

/** Seconds as a person says them. @param {number} seconds */
function durationText(seconds) {
  if (seconds < 100) return fillText(PAGE.seconds, { n: Math.max(1, Math.round(seconds)) });
  return fillText(PAGE.minutes, { n: Math.round(seconds / 60) });
}

/**
 * @param {string} key @param {PanelView} view @param {(sentence: string) => void} announce @param {Embed} [embed]
 */
function exportButtons(key, view, announce, embed) {
  const name = `specviz-${key}`;
  const asTable = () => {
    const table = view.table?.();
    if (table) save(`${name}.csv`, "text/csv", `\ufeff${csv(table)}`);
    else announce(PAGE.nothing_to_save);
  };
  const asPicture = () => {
    const chart = view.chart?.();
    if (chart) saveChart(chart, name);
    else announce(PAGE.nothing_to_save);
  };
  return el(
    "div.lab-files.sv-flow",
    null,
    view.table ? button(PAGE.csv, asTable) : null,
    view.chart ? button(PAGE.png, asPicture) : null,
    button(PAGE.copy, () => copy(announce, sharedLink(location.href), PAGE.copied, PAGE.link)),
    embed ? button(embed.word, () => copy(announce, embed.line(), embed.copied, embed.refused)) : null,
  );
}

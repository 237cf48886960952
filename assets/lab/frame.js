// What stands around every panel: heading and question, Run and Stop, how far it is, files, a link, the exercise. Its
// fields: what they hold is text, as a link carries it, and Python says what may not be. Until anything was measured a
// result that comes with the app stands there and says what it is.

import { saveChart } from "../chart/save.js";
import { button, el, select, setText } from "../player/dom.js";
import { currentRun, explain, save, sharedLink } from "../player/page.js";
import { csv } from "../player/rounds.js";
import { fillText, number } from "../player/words.js";
import { copy, exercise, slider } from "../shared/exercise.js";

/** @import { Embed, MakePanel, MountedPanel, PanelContext, PanelView, RunMessage, Settings, Words } from "./types.js" */
/** @import { PanelKey } from "../shared/keys.js" */

/** The words around every panel (specviz/words/lab.toml). @type {Record<string, string>} */
export const PAGE = {};

/** px of one of two charts beside each other, where there is room for both; else of all. @param {number} width */
export const columnWidth = (width) => (width >= 760 ? (width - 32) / 2 : width);

const KINDS = { heads: "mtp", target: "oracle", layers: "early-exit", table: "bigram" };
const CHAIN_SHAPE = { tree: "off", children: "3-2-1-1", nodes: "16" };
const DEFAULTS = { prompt: "Once upon a time", K: "4", temperature: "0.8", verifier: "rejection" };

/** Of the run that Watch shows; before there is one, the first ones. @param {PanelContext} context @returns {Settings} */
export function watchSettings({ drafter }) {
  const header = currentRun.picture?.header;
  if (!header?.draft) return { ...DEFAULTS, drafter, ...CHAIN_SHAPE, drafting: "sample", seed: "0" };
  const { K, temperature, verifier, drafting, seed, tree, children, nodes } = header.config;
  const shape = tree ? { tree, children: String(children), nodes: String(nodes) } : CHAIN_SHAPE;
  const texts = { K: String(K), temperature: String(temperature), seed: String(seed) };
  return { prompt: header.prompt, drafter: drafterOf(header.draft), ...shape, ...texts, verifier, drafting };
}

/** The key of a drafter by the kind that a run says. @param {{ kind: string, name: string }} draft */
function drafterOf({ kind, name }) {
  if (kind === "model") return name.endsWith("-large") ? "large" : "small";
  return KINDS[/** @type {keyof typeof KINDS} */ (kind)] ?? kind;
}

/** The words whose names begin alike, by the rest of the name, but for those `without`. @param {Words} words
 * @param {string} prefix @param {string[]} [without] */
export function wordsByPrefix(words, prefix, without = []) {
  const matches = Object.entries(words).filter(([name]) => name.startsWith(prefix) && !without.includes(name));
  return Object.fromEntries(matches.map(([name, word]) => [name.slice(prefix.length), word]));
}

/** The fields of a tree, where one can be drafted. @param {PanelContext} context @param {Settings} start
 * @param {string} [prefix] @returns {Field[]} */
export function treeFields({ words, options }, start, prefix = "") {
  if (!("tree" in options(""))) return [];
  return [
    { name: `${prefix}tree`, word: words.tree, value: start.tree, options: options("tree_") },
    { name: `${prefix}children`, word: words.children, value: start.children },
    { name: `${prefix}nodes`, word: words.nodes, value: start.nodes },
  ];
}

/** Of a tree's fields only those that its kind asks for. @param {ReturnType<typeof makeForm>} form
 * @param {Settings} values @param {string} [prefix] */
export function showTree(form, values, prefix = "") {
  form.show((name) => name === `${prefix}children`, values[`${prefix}tree`] === "static");
  form.show((name) => name === `${prefix}nodes`, values[`${prefix}tree`] === "dynamic");
}

/** What a label adds for a tree; nothing for a chain.
 * @param {{ tree?: string, children?: string, nodes?: number }} setting @param {Words} words */
export const shapeWord = ({ tree = "off", children = "", nodes = 0 }, words) =>
  fillText(words[/** @type {PanelKey} */ (`shape_${tree}`)] ?? "", { children, nodes });

/** @param {string} drafter @param {Words} words */
export const drafterWord = (drafter, words) => words[/** @type {PanelKey} */ (`drafter_${drafter}`)] ?? drafter;

const TEXT_PX = 16; // px of a page's text

/** A panel is on the screen: it is drawn whole at first, later as it says.
 * @param {MountedPanel} mounted @param {MakePanel} make @param {() => void} onSettings its settings have changed */
export function mountPanel(mounted, make, onSettings) {
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
    drafter: mount.props?.drafter ?? "small",
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
  const view = make(context);
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

/** Run and Stop, where a panel has them.
 * @param {PanelView} view @param {MountedPanel} mounted @param {ReturnType<typeof makeMeter>} meter
 * @param {HTMLElement} status */
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
  const bar = el("progress.lab-progress", { max: 1 });
  const label = el("span.sv-muted");
  const root = el("div.lab-meter.sv-flow", { hidden: "" }, bar, label);
  return {
    root,
    /** @param {number | null} value null: over @param {number} [of] @param {number | null} [left] seconds */
    show(value, of = 1, left = null) {
      root.hidden = value === null;
      if (value === null) return;
      const part = of > 0 ? Math.min(1, value / of) : 0;
      bar.value = part;
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

/** @param {string} key @param {PanelView} view @param {(sentence: string) => void} announce @param {Embed} [embed] */
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

/**
 * @typedef {object} Field
 * @property {string} name
 * @property {string} word
 * @property {string} value what it holds first
 * @property {Record<string, string>} [options] to choose one of: what is sent, its word
 * @property {boolean} [several] more than one of them, sent with commas between
 * @property {boolean} [wide] a line of text; else a few digits
 */

export const SEED_BOUNDS = [0, 2 ** 32 - 1];

/** @typedef {{ root: HTMLElement, read(): string, set?(value: string): void }} Input */

/** @param {Field[]} fields @param {Settings} linkSettings @param {(values: Settings) => void} onChange */
export function makeForm(fields, linkSettings, onChange) {
  const inputs = fields.map((field) => input(field, linkSettings[field.name] ?? field.value));
  const values = () => Object.fromEntries(fields.map(({ name }, i) => [name, inputs[i].read()]));
  for (const { root } of inputs) root.addEventListener("change", () => onChange(values()));
  return {
    nodes: inputs.map(({ root }) => root),
    values,
    /** @param {string} name @param {string} value */
    set(name, value) {
      inputs[fields.findIndex((field) => field.name === name)].set?.(value);
    },
    /** @param {(name: string) => boolean} which @param {boolean} on */
    show(which, on) {
      for (const [i, { root }] of inputs.entries()) if (which(fields[i].name)) root.hidden = !on;
    },
  };
}

/** Fields above a result that comes with the panel: on a phone they are folded, unless a link filled them in.
 * @param {HTMLElement[]} nodes @param {Settings} linkSettings */
export function foldFields(nodes, linkSettings) {
  const isFolded = matchMedia("(width <= 760px)").matches && !Object.keys(linkSettings).length;
  const fields = el("div.lab-controls", null, nodes);
  return el("details.lab-fold", { open: isFolded ? null : "" }, el("summary", null, PAGE.settings), fields);
}

/** @param {Field} field @param {string} value @returns {Input} */
function input(field, value) {
  if (field.several) return checkboxes(field, value);
  const node = field.options ? list(field, value) : line(field, value);
  const root = labelled(field.word, node);
  root.classList.toggle("lab-wide", Boolean(field.wide));
  return {
    root,
    read: () => node.value,
    set(value) {
      node.value = value;
    },
  };
}

/** A field under its name. @param {string} word @param {...HTMLElement} nodes */
export const labelled = (word, ...nodes) => el("label.lab-choice", null, el("span", null, word), nodes);

/** @param {Field} field @param {string} value */
function line({ wide, name }, value) {
  const size = wide ? { maxlength: 20000 } : { inputmode: "decimal", maxlength: 60, size: 7 };
  return el("input.sv-input", { type: "text", name, value, autocomplete: "off", ...size });
}

/** @param {Field} field @param {string} value */
const list = ({ word, options = {} }, value) =>
  select(Object.entries(options), { "aria-label": word }, Object.hasOwn(options, value) ? value : Object.keys(options)[0]);

/** @param {Field} field @param {string} value @returns {Input} */
function checkboxes({ word, options = {} }, value) {
  const names = value.split(",").map((name) => name.trim());
  const boxes = Object.entries(options).map(([key, name]) => {
    const box = el("input", { type: "checkbox", value: key });
    box.checked = names.includes(key);
    return { box, root: el("label", null, box, el("span", null, name)) };
  });
  const root = el("fieldset.lab-several", null, el("legend", null, word), ...boxes.map(({ root }) => root));
  const checked = () => boxes.filter(({ box }) => box.checked).map(({ box }) => box.value);
  return { root, read: () => checked().join(",") };
}

/** @param {string} word @param {[value: string, word: string][]} options @param {string} value
 * @param {(value: string) => void} onChange */
export function choice(word, options, value, onChange) {
  const list = select(options, { "aria-label": word }, value);
  list.addEventListener("change", () => onChange(list.value));
  return { root: labelled(word, list), select: list };
}

/** What is no seed is refused in words, never changed in silence.
 * @param {string} word @param {number} value @param {string} refusal @param {(seed: number) => void} onChange
 * @param {(sentence: string) => void} announce hears an empty one once it is mended */
export function seedField(word, value, refusal, onChange, announce) {
  const [least, most] = SEED_BOUNDS;
  const input = el("input.sv-input", { type: "number", min: least, max: most, step: 1, value, "aria-label": word });
  input.addEventListener("change", () => {
    const seed = wholeIn(input.value, SEED_BOUNDS);
    input.setAttribute("aria-invalid", String(seed === null));
    announce(seed === null ? fillText(refusal, { least, most: number(most, 0) }) : "");
    if (seed !== null) onChange(seed);
  });
  return labelled(word, input);
}

/** @param {string | undefined} text @param {RegExp} form @param {number[]} bounds */
function within(text, form, [least, most]) {
  const value = form.test(text ?? "") ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : null;
}

/** The whole number that a text is, if it is one within bounds.
 * @param {string | undefined} text @param {number[]} bounds */
export const wholeIn = (text, bounds) => within(text, /^\d{1,12}$/, bounds);

/** The same of any number. @param {string | undefined} text @param {number[]} bounds */
export const numberIn = (text, bounds) => within(text, /^\s*\d{1,7}(\.\d{1,6})?\s*$/, bounds);

/** A number that can be moved, written as the panel has it.
 * @param {string} word @param {[least: number, most: number, step: number]} bounds @param {number} value
 * @param {(value: number) => string} format @param {(value: number) => void} onChange */
export function makeSlider(word, [min, max, step], value, format, onChange) {
  const { root, input, show } = slider(word, min, max, step, (number) => {
    update(number);
    onChange(number);
  });
  const update = (/** @type {number} */ number) => show(number, format(number));
  update(value);
  return {
    root,
    value: () => Number(input.value),
    /** @param {number} most */
    setBound(most) {
      input.max = String(most);
      update(Number(input.value));
    },
  };
}

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
  let recording = null;
  /** @type {Result | null} */
  let ownResult = null;
  const origin = el("p.lab-origin.sv-strong");
  const note = el("div.lab-stack", null, origin, el("p.lab-note", null, context.words.empty));
  const current = () => ownResult ?? recording?.found ?? null;

  function draw() {
    note.hidden = ownResult !== null;
    if (recording) setText(origin, fillText(context.words.recorded, { ...recording, ...valuesOf(recording.found) }));
    const result = current();
    if (result) paint(result);
  }

  context.server[name]?.("").then(
    (text) => {
      recording = JSON.parse(text);
      draw();
    },
    (error) => console.warn(error), // the panel is whole without it
  );
  return {
    note,
    measured: () => ownResult,
    /** @returns {Settings} of what comes with the app, by the names of a link to Watch */
    recordedSettings: () => (recording ? { prompt: recording.prompt, models: recording.target } : {}),
    view: {
      run() {
        context.updateLink(form.values());
        context.startRun(form.values());
      },
      showResult(/** @type {unknown} */ result) {
        if (result) ownResult = /** @type {Result} */ (result);
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

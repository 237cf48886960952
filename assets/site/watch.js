// Watch on a page without a server: what is asked for, and the run that is shown.

import { makeTimeline } from "../handout/timeline.js";
import { copyLink } from "../keep/link.js";
import { linkStatus } from "../keep/said.js";
import { keepSettings, keepUnfolded, unfolded } from "../keep/settings.js";
import { makeGame } from "../play/game.js";
import { query } from "../shared/dom.js";
import { fillText } from "../shared/sentences.js";
import { openTab } from "../shared/tabs.js";
import { status } from "../status.js";
import { race } from "../story/mount.js";
import { inspection } from "../watch/inspection.js";
import { makeControls } from "./controls.js";
import { makeFiles } from "./files.js";
import { hypotheticalSpeedup } from "./gains.js";
import { embedLine } from "./line.js";
import { problem, readLink, valuesIn } from "./link.js";
import { part } from "./part.js";
import { makePast } from "./past.js";
import { people } from "./people.js";
import { openRun, recordedRun, runAt } from "./runs.js";
import { settingsOf } from "./settings.js";
import { makeTurns } from "./turns.js";

/** @import { Mount } from "../shared/types.js" */
/** @import { Live } from "./live.js" */
/** @import { Given, Run, Values } from "./types.js" */

/** @param {Given} given @param {Live} live */
export function makeWatch(given, live) {
  const { words, settings, drafters } = given;
  const start = {
    prompt: given.examples[0][1],
    drafter: drafters[0].key,
    ...Object.fromEntries(settings.map(({ key, start }) => [key, start])),
  };
  const names = Object.keys(start);
  const button = (/** @type {string} */ id) => /** @type {HTMLButtonElement} */ (query(document, id));
  const list = /** @type {HTMLSelectElement} */ (query(document, "#recorded"));
  const told = part(status, "#status", { words: given.status, value: '{"state":"idle"}' });
  const say = (/** @type {string} */ state, values = {}) => told(JSON.stringify({ state, ...values }));
  const controls = makeControls(given, (byHand) => {
    if (byHand) keepSettings(names, start, given.limits.kept, inOrder());
    note();
  });
  const play = async () => makeGame(given.lesson.game, people(given, live));
  const lanes = (/** @type {Mount} */ mount) => race(mount, makeTimeline, play, inspection);
  /** @type {((value: string) => void) | null} the first run is there, later ones arrive */
  let drawn = null;
  /** @type {Run | null} */
  let shown = null;
  const turns = makeTurns(say, words.lost);

  /** @param {Run} run @param {string} [recorded] its name @param {boolean} [asked] for, by hand or by the address */
  function draw(run, recorded = "", asked = true) {
    shown = run;
    drawn ??= part(lanes, "#race", { value: asked ? "" : run.value });
    if (asked) drawn(run.value);
    list.value = recorded;
    for (const one of document.querySelectorAll("#watch .sv-file")) /** @type {any} */ (one).disabled = false;
  }
  function inOrder() {
    const values = controls.values();
    return names.map((name) => values[name]);
  }
  function note() {
    query(document, "#run-note").textContent = live.note(String(controls.values().drafter));
  }

  /** @param {string} name @param {Values} [over] what a link says beside it @param {string} [refused] of that link
   * @param {boolean} [asked] */
  function showRecorded(name, over = {}, refused = "", asked = true) {
    const one = given.recorded.find((each) => each.name === name);
    return turns.show(recordedRun(name, given), (run) => {
      draw(run, name, asked);
      if (asked) controls.fill({ ...settingsOf(given, run.picture.header), ...over });
      if (refused) say("refused", { message: refused });
      else say("linked", { message: fillText(words.recorded_shown, { title: one?.title, sentence: one?.sentence }) });
    });
  }
  const showFile = (/** @type {Promise<Run>} */ coming) =>
    turns.show(coming, (run) => {
      draw(run);
      past.add(run, "file");
      say("linked", { message: words.file_opened });
    });

  async function decode() {
    say("idle");
    button("#run").disabled = true;
    button("#stop").disabled = false;
    const done = (/** @type {Run} */ run, /** @type {boolean} */ alone) => {
      past.add(run, "run");
      if (!alone) return say("linked", { message: words.run_kept });
      draw(run);
      const stopped = Object.values(run.picture.lanes).some((lane) => lane?.stopped?.reason === "cancelled");
      if (stopped) say("stopped");
      else say("linked", { message: hypotheticalSpeedup(given, run.picture) });
    };
    await turns.decode((told) => live.run(controls.values(), told, note), done);
    button("#run").disabled = false;
    button("#stop").disabled = true;
    note();
  }

  async function showOpening() {
    controls.fill(start);
    await showRecorded(given.opening.name, {}, "", false);
    say("linked", { message: words.recorded_first });
  }

  /** What the address asks for, or what this browser kept of the last visit. @param {string} kept */
  async function follow(kept) {
    const link = readLink(kept ? `?${kept}` : location.search, given);
    const refused = problem(link, given);
    if (link.recorded) return showRecorded(link.recorded, link.settings, refused);
    const lost = link.run === null ? "" : await showFile(runAt(link.run, given));
    if (!shown) await showOpening();
    controls.fill(link.settings);
    if (lost || refused) say("refused", { message: [lost, refused].filter(Boolean).join(" ") });
    else if (valuesIn(link.settings)) say("linked", { message: kept ? words.settings_kept : words.link_read });
  }

  button("#begin").addEventListener("click", () => openTab("learn-tab"));
  const more = /** @type {HTMLDetailsElement} */ (query(document, "#more"));
  more.open ||= unfolded().open; // somebody may have unfolded it before this ran
  keepUnfolded(more.open);
  more.addEventListener("toggle", () => keepUnfolded(more.open));
  button("#run").addEventListener("click", decode);
  button("#stop").addEventListener("click", () => {
    say("stopping");
    live.stop();
  });
  list.addEventListener("change", () => list.value && showRecorded(list.value));
  makeFiles(given, {
    open: (file) => showFile(openRun(file, given)),
    say: (state, message) => say(state, { message }),
    shown: () => shown,
  });
  const past = makePast(given, (run) => {
    turns.take();
    draw(run);
    controls.fill(settingsOf(given, run.picture.header));
  });
  const follows = { linked: (/** @type {string} */ kept) => follow(kept) };
  const linked = part(linkStatus, "#said", { words: { ...given.link, ...words }, value: "{}" }, follows);
  const off = settings.filter(({ name }) => !given.bar.includes(name)).map((one) => [one.key, one.default]);
  button("#copy-link").addEventListener("click", async () => {
    linked(await copyLink(names, Object.fromEntries(off), given.limits.link, [...inOrder(), list.value]));
  });

  button("#embed").addEventListener("click", async () => {
    const line = shown && (await embedLine(given, shown, list.value));
    if (!line) return say("refused", { message: words.embed_long });
    const copied = await navigator.clipboard?.writeText(line).then(
      () => true,
      () => false,
    );
    linked(JSON.stringify(copied ? { state: "embed_copied", at: Date.now() } : { state: "embed_line", link: line }));
  });

  return {
    /** @param {Values} values @param {string} message @param {string} [learn] a way back */
    set(values, message, learn) {
      controls.fill({ ...start, ...values });
      say("linked", { message, ...(learn ? { learn } : {}) });
      openTab("watch");
      requestAnimationFrame(() => button("#run").focus());
    },
    /** Nothing was asked for: the run that stands first. */
    begin() {
      if (turns.none) showOpening();
    },
  };
}

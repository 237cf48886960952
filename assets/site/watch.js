// Watch on a page without a server: what is asked for, and the run that is shown.

import { accordionUpdate, copyLink, keepSettings, keepUnfolded, linkStatus } from "../keep/visit.js";
import { makeGame } from "../play/game.js";
import { query } from "../player/dom.js";
import { inspection } from "../player/inspector.js";
import { race, setRunning, status } from "../player/mount.js";
import { listenToMenus, openTab } from "../player/page.js";
import { fillText } from "../player/words.js";
import { people } from "./lab.js";
import { hypotheticalSpeedup, makeTurns } from "./live.js";
import { embedLine, makeFiles, makePast, mountComponent, openRun, recordedRun, runAt } from "./runs.js";
import { filledSentence, fitting, makeControls, problemSentence, readLink, settingsOf, withoutSentence } from "./settings.js";

/** @import { Mount } from "../shared/types.js" */
/** @import { Live } from "./live.js" */
/** @import { SiteData, Run, Values } from "./types.js" */

const KEEPER_MS = 2000; // for which a press waits: what comes before the service worker listens is not kept

async function untilKept() {
  const { serviceWorker } = navigator;
  if (!serviceWorker || serviceWorker.controller) return;
  const listens = new Promise((resolve) => serviceWorker.addEventListener("controllerchange", resolve, { once: true }));
  await Promise.race([listens, new Promise((resolve) => setTimeout(resolve, KEEPER_MS))]);
}

/** @param {SiteData} site @param {Live} live */
export function makeWatch(site, live) {
  const { words, settings, drafters } = site;
  listenToMenus(); // the first run, with which the race is mounted, is still to come
  const start = {
    prompt: site.examples[0][1],
    drafter: drafters[0].key,
    ...Object.fromEntries(settings.map(({ key, start }) => [key, start])),
  };
  const names = Object.keys(start);
  const button = (/** @type {string} */ id) => /** @type {HTMLButtonElement} */ (query(document, id));
  const recordedList = /** @type {HTMLSelectElement} */ (query(document, "#recorded"));
  const setStatus = mountComponent(status, "#status", { words: site.status, value: '{"state":"idle"}' });
  const showStatus = (/** @type {string} */ state, values = {}) => setStatus(JSON.stringify({ state, ...values }));
  const onChange = (/** @type {boolean} */ byHand) => {
    if (byHand) keepSettings(names, start, site.limits.kept, valuesInOrder());
    showNote();
  };
  const playExample = (/** @type {string} */ prompt) => {
    const one = site.recorded.find((each) => each.prompt === prompt);
    if (one) showRecorded(one.name);
    else button("#run").click();
  };
  const controls = makeControls(site, onChange, playExample);
  const openGame = async () => makeGame(site.lesson.game, people(site, live));
  const lanes = (/** @type {Mount} */ mount) => race(mount, openGame, inspection);
  /** @type {((value: string) => void) | null} the first run is there, later ones arrive */
  let setRace = null;
  /** @type {Run | null} */
  let currentRun = null;
  const turns = makeTurns(showStatus, words.lost);

  /** @param {Run} run @param {string} [recorded] its name @param {boolean} [isRequest] by hand or by the address */
  function showRun(run, recorded = "", isRequest = true) {
    currentRun = run;
    setRace ??= mountComponent(lanes, "#race", { value: isRequest ? "" : run.value });
    if (isRequest) setRace(run.value);
    recordedList.value = recorded;
    for (const one of document.querySelectorAll("#watch .sv-file")) /** @type {any} */ (one).disabled = false;
  }
  function valuesInOrder() {
    const values = controls.values();
    return names.map((name) => values[name]);
  }
  function showNote() {
    query(document, "#run-note").textContent = live.note(String(controls.values().drafter));
  }

  /** @param {string} name @param {Values} [over] what a link says beside it @param {string} [refusal] of that link
   * @param {boolean} [isRequest] */
  function showRecorded(name, over = {}, refusal = "", isRequest = true) {
    const one = site.recorded.find((each) => each.name === name);
    return turns.show(recordedRun(name, site), (run) => {
      showRun(run, name, isRequest);
      const { values, lacking } = fitting(site, settingsOf(site, run.picture.header));
      if (isRequest) controls.fill({ ...values, ...over });
      const sentences = [fillText(words.recorded_shown, { ...one }), withoutSentence(lacking, words)];
      if (refusal) showStatus("refused", { message: refusal });
      else showStatus("linked", { message: sentences.join(" ").trim() });
    });
  }
  const showFile = (/** @type {Promise<Run>} */ promise) =>
    turns.show(promise, (run) => {
      showRun(run);
      past.add(run, "file");
      showStatus("linked", { message: words.file_opened });
    });

  async function decode() {
    showStatus("idle");
    setRunning(true);
    const onRun = (/** @type {Run} */ run, /** @type {boolean} */ alone) => {
      past.add(run, "run");
      if (!alone) return showStatus("linked", { message: words.run_kept });
      showRun(run);
      const isStopped = Object.values(run.picture.lanes).some((lane) => lane?.stopped?.reason === "cancelled");
      if (isStopped) showStatus("stopped");
      else showStatus("linked", { message: hypotheticalSpeedup(site, run.picture) });
    };
    await turns.decode((show) => live.run(controls.values(), show, showNote), onRun);
    setRunning(false);
    showNote();
  }

  /** The button that fetches the assistant once and asks it, and leads back. */
  function offerAssistant() {
    const { assistant } = site;
    const all = /** @type {Values} */ (start);
    if (!assistant) return;
    const offer = button("#assistant");
    const megabytes = (assistant.bytes / 1e6).toFixed(0);
    const name = () => {
      offer.textContent = live.isAsked ? words.assistant_left : fillText(words.assistant, { ...assistant, megabytes });
      query(document, "#assistant + span").hidden = !live.isAsked;
      showNote();
    };
    offer.addEventListener("click", async () => {
      await untilKept();
      const { quota = 0, usage = 0 } = (await navigator.storage?.estimate?.()) ?? {};
      const bytes = live.missing([], true);
      const saves = /** @type {any} */ (navigator).connection?.saveData && bytes;
      if (!live.isAsked && saves) return showStatus("refused", { message: words.assistant_saves });
      live.ask(!live.isAsked, !quota || bytes <= quota - usage);
      const asked = { prompt: words.assistant_prompt, drafter: "eagle", K: 1, temperature: 0 };
      controls.fill(live.isAsked ? asked : Object.fromEntries(Object.keys(asked).map((key) => [key, all[key]])));
      name();
      if (live.isAsked && !button("#run").disabled) button("#run").click();
    });
    name();
  }

  async function showOpening() {
    controls.fill(start);
    await showRecorded(site.opening.name, {}, "", false);
    showStatus("linked", { message: words.recorded_first });
  }

  /** What the address asks for, or what this browser kept of the last visit. @param {string} stored */
  async function followLink(stored) {
    const link = readLink(stored ? `?${stored}` : location.search, site);
    const refusal = problemSentence(link, site);
    if (link.recorded) return showRecorded(link.recorded, link.settings, refusal);
    const lost = link.run === null ? "" : await showFile(runAt(link.run, site));
    if (!currentRun) await showOpening();
    controls.fill(link.settings);
    if (lost || refusal) showStatus("refused", { message: [lost, refusal].filter(Boolean).join(" ") });
    else if (Object.keys(link.settings).length)
      showStatus("linked", { message: stored ? words.settings_kept : filledSentence(link, site) });
  }

  offerAssistant();
  button("#begin").addEventListener("click", () => openTab("learn-tab"));
  const more = /** @type {HTMLDetailsElement} */ (query(document, "#more"));
  more.open ||= accordionUpdate().open; // somebody may have unfolded it before this ran
  keepUnfolded(more.open);
  more.addEventListener("toggle", () => keepUnfolded(more.open));
  button("#run").addEventListener("click", decode);
  button("#stop").addEventListener("click", () => {
    showStatus("stopping");
    live.stop();
  });
  recordedList.addEventListener("change", () => recordedList.value && showRecorded(recordedList.value));
  makeFiles(site, {
    open: (file) => showFile(openRun(file, site)),
    showStatus,
    currentRun: () => currentRun,
  });
  const past = makePast(site, (run) => {
    turns.nextTurn();
    showRun(run);
    const { values, lacking } = fitting(site, settingsOf(site, run.picture.header));
    controls.fill(values);
    if (lacking.length) showStatus("linked", { message: withoutSentence(lacking, words) });
  });
  const handlers = { linked: (/** @type {string} */ stored) => followLink(stored) };
  const setLink = mountComponent(linkStatus, "#said", { words: { ...site.link, ...words }, value: "{}" }, handlers);
  const defaults = settings.filter(({ name }) => !site.bar.includes(name)).map((one) => [one.key, one.default]);
  button("#copy-link").addEventListener("click", async () => {
    const values = [...valuesInOrder(), recordedList.value];
    setLink(await copyLink(names, Object.fromEntries(defaults), site.limits.link, values));
  });

  button("#embed").addEventListener("click", async () => {
    const line = currentRun && (await embedLine(site, currentRun, recordedList.value));
    if (!line) return showStatus("refused", { message: words.embed_long });
    const copied = await navigator.clipboard?.writeText(line).then(
      () => true,
      () => false,
    );
    setLink(JSON.stringify(copied ? { state: "embed_copied", at: Date.now() } : { state: "embed_line", link: line }));
  });

  return {
    /** @param {Values} values @param {string} message @param {string} [learn] a way back */
    useSettings(values, message, learn) {
      const { values: own, lacking } = fitting(site, values);
      controls.fill({ ...start, ...own });
      const sentences = `${message} ${withoutSentence(lacking, words)}`.trim();
      showStatus("linked", { message: sentences, ...(learn ? { learn } : {}) });
      openTab("watch");
      requestAnimationFrame(() => button("#run").focus());
    },
    /** Nothing was asked for: the run that stands first. */
    showFirst() {
      if (turns.none) showOpening();
    },
  };
}

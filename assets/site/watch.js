// Watch on a page without a server: what is asked for, and the run that is shown.

import { makeTimeline } from "../handout/timeline.js";
import { copyLink } from "../keep/link.js";
import { said } from "../keep/said.js";
import { keepSettings } from "../keep/settings.js";
import { the } from "../shared/dom.js";
import { filled } from "../shared/sentences.js";
import { openTab } from "../shared/tabs.js";
import { status } from "../status.js";
import { race } from "../watch/mount.js";
import { makeControls } from "./controls.js";
import { problem, readLink, valuesIn } from "./link.js";
import { part } from "./part.js";
import { RunError, recordedRun } from "./runs.js";
import { settingsOf } from "./settings.js";

/** @import { Mount } from "../shared/types.js" */
/** @import { Given, Values } from "./types.js" */

/** @param {Given} given */
export function makeWatch(given) {
  const { words, settings, drafters } = given;
  const start = {
    prompt: given.examples[0][1],
    drafter: drafters[0].key,
    ...Object.fromEntries(settings.map(({ key, start }) => [key, start])),
  };
  const names = ["prompt", "drafter", ...settings.map(({ key }) => key)];
  const told = part(status, "#status", { words: given.status, value: '{"state":"idle"}' });
  const say = (/** @type {string} */ state, values = {}) => told(JSON.stringify({ state, ...values }));
  const lanes = (/** @type {Mount} */ mount) => race(mount, (root, on) => makeTimeline(root, on, given.handout));
  /** @type {((value: string) => void) | null} the first run is there, later ones arrive */
  let drawn = null;
  function draw(/** @type {string} */ value) {
    if (drawn) drawn(value);
    else drawn = part(lanes, "#race", { value });
  }
  const controls = makeControls(given, () => keepSettings(names, start, given.limits.kept, inOrder()));
  const inOrder = () => {
    const values = controls.values();
    return names.map((name) => values[name]);
  };
  const list = /** @type {HTMLSelectElement} */ (the(document, "#recorded"));
  let turn = 0; // what was asked for last is shown, whatever comes when

  /** @param {string} name @param {Values} [over] what a link says beside it @param {string} [refused] of that link */
  async function showRecorded(name, over = {}, refused = "") {
    const mine = ++turn;
    const one = given.recorded.find((each) => each.name === name);
    if (!one) return;
    try {
      const { value, picture } = await recordedRun(name, words.lost);
      if (mine !== turn) return;
      draw(value);
      list.value = name;
      controls.fill({ ...settingsOf(given, picture.header), ...over });
      if (refused) say("refused", { message: refused });
      else say("linked", { message: filled(words.recorded_shown, { title: one.title, sentence: one.sentence }) });
    } catch (error) {
      if (mine === turn) say("refused", { message: error instanceof RunError ? error.message : words.lost });
    }
  }

  list.addEventListener("change", () => list.value && showRecorded(list.value));
  const linked = part(
    said,
    "#said",
    { words: given.link, value: "{}" },
    { linked: (/** @type {string} */ kept) => follow(kept) },
  );
  the(document, "#copy-link").addEventListener("click", async () => {
    const plain = {
      ...Object.fromEntries(
        settings.filter(({ name }) => !given.bar.includes(name)).map((one) => [one.key, one.default]),
      ),
    };
    linked(await copyLink(names, plain, given.limits.link, [...inOrder(), list.value]));
  });

  /** What the address asks for, or what this browser kept of the last visit. @param {string} kept */
  function follow(kept) {
    const link = readLink(kept ? `?${kept}` : location.search, given);
    const refused = problem(link, given);
    if (link.recorded) return showRecorded(link.recorded, link.settings, refused);
    showOpening().then(() => {
      if (!valuesIn(link.settings) && !refused) return;
      controls.fill(link.settings);
      if (refused) say("refused", { message: refused });
      else say("linked", { message: kept ? words.settings_kept : words.link_read });
    });
  }

  async function showOpening() {
    controls.fill(start);
    await showRecorded(given.opening.name);
    say("linked", { message: filled(words.recorded_first, { device: given.opening.device }), learn: words.begin });
  }

  return {
    /** @param {Values} values @param {string} message @param {string} [learn] a way back */
    set(values, message, learn) {
      controls.fill({ ...start, ...values });
      say("linked", { message, ...(learn ? { learn } : {}) });
      openTab("watch");
      requestAnimationFrame(() => the(document, "#run").focus());
    },
    /** Nothing was asked for: the run that stands first. */
    begin() {
      if (!turn) showOpening();
    },
  };
}

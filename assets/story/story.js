// The race as a component of a page, and the story that whoever comes for the first time is told of the run that the
// page opens with, before any control: it moves by itself, and can be stopped, stepped through and left. It stands
// before no link, and is told once. At its end the visitor may draft.

import { loadBundle } from "../shared/bundle.js";
import { makeClock } from "../shared/clock.js";
import { button } from "../shared/controls.js";
import { currentRun } from "../shared/current_run.js";
import { el, setText, still, whileHere } from "../shared/dom.js";
import { readStored, writeStored } from "../shared/store.js";
import { onBarePage } from "../shared/tabs.js";
import { WORDS } from "../shared/words.js";
import { race as mount } from "../watch/mount.js";
import { storyOf } from "./script.js";
import { makeStage } from "./stage.js";

/** @import { Picture, Mount } from "../shared/types.js" */
/** @import { LoadGame, MakeGame } from "../play/types.js" */
/** @import { RaceEvents, Race, Inspection } from "../watch/types.js" */
/** @typedef {"inspection" | "files" | "game" | "begin" | "score"} ServerCall */
/** @typedef {Record<ServerCall, (sent: object | string) => Promise<string>>} Server */

/**
 * @param {Mount & { server?: Partial<Server> }} component
 * @param {LoadGame | null} [loadGame] on a page without a server
 * @param {Parameters<typeof mount>[2]} [inspection] on a page that holds it
 */
export function race(
  component,
  loadGame = gameLoader(component.server),
  inspection = () => fetchInspection(component.server),
) {
  currentRun.files = component.server?.files;
  const { alone } = /** @type {{ alone?: boolean }} */ (component.props); // in an app of somebody else's
  if (!alone) currentRun.plotly = "plotly.js";
  mount(component, alone ? NO_STORY : storyEvents(loadGame), inspection);
}

const FRAME_MS = 50; // of the story's clock at most, however late a frame is

/** @type {RaceEvents} */
const NO_STORY = { open() {}, draw() {}, request() {} };

/** @param {Partial<Server>} [server] of gradio @returns {Promise<Inspection>} */
async function fetchInspection(server) {
  const bundle = JSON.parse((await server?.inspection?.("")) ?? "");
  return loadBundle("specvizInspection", bundle).inspection;
}

/** @param {Partial<Server>} [server] of gradio @returns {LoadGame | null} */
function gameLoader({ game, begin, score } = {}) {
  if (!game || !begin || !score) return null;
  return async () => {
    const { words, ...bundle } = JSON.parse(await game(""));
    const own = /** @type {{ makeGame: MakeGame }} */ (loadBundle("specvizPlay", bundle));
    return own.makeGame(words, { begin, score });
  };
}

/** Whether nobody asked for anything else, and it was not told in this browser. */
const isFirstVisit = () =>
  readStored("story") === null && [...new URLSearchParams(location.search).keys()].every(asksForNoRun);
/** Gradio's own names, and the language. @param {string} name */
const asksForNoRun = (name) => name.startsWith("__") || name === "lang";

/**
 * What becomes of the story as the race goes on: the page opens with it where nobody asked for anything else; a button
 * tells it again of the run that is shown, where it has one; it gives way to what was asked for.
 * @param {LoadGame | null} loadGame the game that follows it, where somebody scores what a visitor drafts
 * @returns {RaceEvents}
 */
const storyEvents = (loadGame) => ({
  open: (race, picture) => void (isFirstVisit() && tellStory(race, picture, loadGame)),
  draw(race, picture) {
    const tellAgain = () => tellStory(race, picture, loadGame);
    if (storyOf(picture))
      race.screen?.bar.root.append(button(WORDS.story_plain, tellAgain, { class: "sv-link sv-again" }));
  },
  request: endStory,
});

/** @param {Race} race */
function endStory({ root }) {
  root.querySelector(".sv-story")?.remove();
  document.body.removeAttribute("data-sv-story");
}

/** @param {Race} race @param {Picture} picture @param {LoadGame | null} loadGame */
function tellStory(race, picture, loadGame) {
  const story = storyOf(picture);
  if (!story) return;
  endStory(race);
  race.state?.clock.pause();
  writeStored("story", true);
  const stills = still();
  const stage = makeStage(story, picture, stills);
  const clock = makeClock(
    story.duration,
    () => paintStory(),
    { moments: stills ? story.stills : story.stops },
    FRAME_MS,
  );
  clock.slow = 1;
  const toggle = button("", clock.toggle, { class: "sv-story-toggle" });
  const steps = /** @type {const} */ ([-1, 1]).map((way) => {
    const word = WORDS[way > 0 ? "story_on" : "story_back"];
    return button(way > 0 ? "›" : "‹", () => clock.step(way), { "aria-label": word, title: word });
  });
  const leaveStory = () => {
    endStory(race);
    const field = /** @type {HTMLTextAreaElement | null} */ (document.querySelector("#prompt textarea"));
    field?.focus({ preventScroll: true });
    field?.select();
    if (field && field.getBoundingClientRect().bottom > innerHeight) field.scrollIntoView(); // on a phone
  };
  const tryButton = button(WORDS.story_try, leaveStory, { class: "sv-first" });
  const draftButton = loadGame && button(WORDS.story_play, startGame);
  const bar = el(
    "div.sv-story-bar.sv-flow",
    null,
    tryButton,
    steps[0],
    stills ? null : toggle,
    steps[1],
    draftButton && el("div.sv-story-play", null, draftButton),
  );
  const root = el(
    "section.sv-story",
    { "aria-label": WORDS.story },
    el("h2.sv-unseen", null, WORDS.story),
    stage.root,
    bar,
  );

  function paintStory() {
    stage.move(clock.t);
    const over = clock.t >= clock.duration;
    setText(toggle, clock.playing ? WORDS.pause : over ? WORDS.story_again : WORDS.play);
    root.toggleAttribute("data-over", over);
    if (clock.playing && root.isConnected && !root.checkVisibility()) clock.pause(); // another tab was opened
  }
  /** The game stands in the story's place. */
  async function startGame() {
    clock.pause();
    const game = await loadGame?.().catch((error) => console.warn(error));
    if (!game || !root.isConnected) return;
    root.setAttribute("data-plays", "");
    stage.root.replaceWith(game.root);
    tryButton.classList.remove("sv-first");
    bar.replaceChildren(tryButton);
    game.focus();
  }
  document.body.setAttribute("data-sv-story", "");
  race.stage.before(root);
  whileHere(root, document, "keydown", (event) => onKey(event, root, clock, leaveStory));
  if (stills) clock.seek(story.stills[0]);
  else {
    paintStory();
    clock.play();
  }
}

/**
 * Space, arrows and Escape, on the bare page and on the story itself.
 * @param {KeyboardEvent} event @param {HTMLElement} root @param {import("../shared/types.js").Clock} clock
 * @param {() => void} leave
 */
function onKey(event, root, clock, leave) {
  const { target, key } = event;
  const bare = onBarePage(event);
  if (!root.checkVisibility() || event.ctrlKey || event.metaKey || event.altKey) return;
  if (!bare && !(target instanceof Node && root.contains(target))) return;
  if (key === "Escape") leave();
  else if (root.hasAttribute("data-plays")) return;
  else if (key === "ArrowRight") clock.step(1);
  else if (key === "ArrowLeft") clock.step(-1);
  else if (key === " " && bare && !still()) clock.toggle();
  else return;
  event.preventDefault();
}

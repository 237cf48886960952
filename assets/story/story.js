// The story that whoever comes for the first time is told of the run that the page opens with, before any control: it
// moves by itself, and can be stopped, stepped through and left. It stands before no link, and is told once. At its end
// the visitor may draft.

import { makeClock } from "../shared/clock.js";
import { button } from "../shared/controls.js";
import { el, setText, whileHere } from "../shared/dom.js";
import { still } from "../shared/motion.js";
import { readStored, writeStored } from "../shared/store.js";
import { onBarePage } from "../shared/tabs.js";
import { WORDS } from "../shared/words.js";
import { storyOf } from "./script.js";
import { makeStage } from "./stage.js";

/** @import { Picture } from "../shared/types.js" */
/** @import { Play } from "../play/types.js" */
/** @import { Beside, Race } from "../watch/types.js" */

/** Whether nobody asked for anything else, and it was not told in this browser. */
const isFirst = () => readStored("story") === null && [...new URLSearchParams(location.search).keys()].every(isGradios);
/** @param {string} name */
const isGradios = (name) => name.startsWith("__");

/**
 * What a race does beside its runs: the page opens with a story where nobody asked for anything else; a button tells it
 * again of the run that is shown, where it has one; it gives way to what was asked for.
 * @param {Play | null} play the game that follows it, where somebody scores what a visitor drafts @returns {Beside}
 */
export const storyBeside = (play) => ({
  opened: (race, picture) => void (isFirst() && tellStory(race, picture, play)),
  drawn(race, picture) {
    const again = () => tellStory(race, picture, play);
    if (storyOf(picture)) race.screen?.bar.root.append(button(WORDS.story_plain, again, { class: "sv-link sv-again" }));
  },
  asked: endStory,
});

/** @param {Race} race */
function endStory({ root }) {
  root.querySelector(".sv-story")?.remove();
  document.body.removeAttribute("data-sv-story");
}

/** @param {Race} race @param {Picture} picture @param {Play | null} play */
function tellStory(race, picture, play) {
  const story = storyOf(picture);
  if (!story) return;
  endStory(race);
  race.state?.clock.pause();
  writeStored("story", true);
  const stills = still();
  const stage = makeStage(story, picture, stills);
  const clock = makeClock(story.duration, () => paint(), { moments: stills ? story.stills : story.stops });
  clock.slow = 1;
  const toggle = button("", clock.toggle, { class: "sv-story-toggle" });
  const step = (/** @type {1 | -1} */ way) => clock.step(way);
  const steps = /** @type {const} */ ([-1, 1]).map((way) => {
    const word = WORDS[way > 0 ? "story_on" : "story_back"];
    return button(way > 0 ? "›" : "‹", () => step(way), { "aria-label": word, title: word });
  });
  const leave = () => {
    endStory(race);
    const field = /** @type {HTMLTextAreaElement | null} */ (document.querySelector("#prompt textarea"));
    field?.focus({ preventScroll: true });
    field?.select();
    if (field && field.getBoundingClientRect().bottom > innerHeight) field.scrollIntoView(); // on a phone
  };
  const own = button(WORDS.story_try, leave, { class: "sv-first" });
  const draft = play && button(WORDS.story_play, playOn);
  const bar = el(
    "div.sv-story-bar.sv-flow",
    null,
    own,
    steps[0],
    stills ? null : toggle,
    steps[1],
    draft && el("div.sv-story-play", null, draft),
  );
  const root = el(
    "section.sv-story",
    { "aria-label": WORDS.story },
    el("h2.sv-unseen", null, WORDS.story),
    stage.root,
    bar,
  );

  function paint() {
    stage.move(clock.t);
    const over = clock.t >= clock.duration;
    setText(toggle, clock.playing ? WORDS.pause : over ? WORDS.story_again : WORDS.play);
    root.toggleAttribute("data-over", over);
    if (clock.playing && root.isConnected && !root.checkVisibility()) clock.pause(); // another tab was opened
  }
  /** The game stands in the story's place. */
  async function playOn() {
    clock.pause();
    const game = await play?.().catch((error) => console.warn(error));
    if (!game || !root.isConnected) return;
    root.setAttribute("data-plays", "");
    stage.root.replaceWith(game.root);
    own.classList.remove("sv-first");
    bar.replaceChildren(own);
    game.focus();
  }
  document.body.setAttribute("data-sv-story", "");
  race.stage.before(root);
  whileHere(root, document, "keydown", (event) => onKey(event, root, clock, leave));
  if (stills) clock.seek(story.stills[0]);
  else {
    paint();
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

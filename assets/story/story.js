// The story that whoever comes for the first time is told of the run that the page opens with, before any control: it moves
// by itself, and can be stopped, stepped through and left. It stands before no link, and is told once. At its end the visitor
// may draft.

import { makeClock } from "../player/clock.js";
import { button, el, setText, still, visible, whileHere, writeStored } from "../player/dom.js";
import { buildLane, moveLane, userTokens } from "../player/lane.js";
import { onBarePage } from "../player/page.js";
import { draftRounds, hasStory, instructiveRound, longestDuration, steppedLane } from "../player/selection.js";
import { fillText, number, plain, ROLES, WORDS, wordOf } from "../player/words.js";

/** @import { Header, Lane, LaneName, LoadGame, Picture } from "../shared/types.js" */
/** @import { Race, Round, Scene, Story, Word } from "../shared/types.js" */

// What the story of a recorded run tells, and when: a sentence, one round in plain words, both lanes to their end. All
// of it is in the run. Times are milliseconds of the story.

const FIRST_MS = 3500; // the sentence, which is read before anything moves much
const READ_MS = 1800; // a sentence of the round
const LAST_MS = 2200; // what takes the place of the struck word
const [WORD_MS, BLOCK_MS] = [600, 2400]; // a word that flies in, and all of them
const [MIN_RACE_MS, MAX_RACE_MS] = [5000, 10500]; // both lanes, on screen
const CONTEXT_WORDS = 9; // words of the text before the round

/** Null where a run has no such story. `question`:
 * what a chat model was asked; `before`: the words that the round goes on from, and when each comes; `look`: while the
 * large model looks; `race`: when both lanes begin, which are shown `slow` times slower than measured; `stills`: a
 * moment of each beat; `stops`: where whoever steps stands. @param {Picture} picture */
export function storyOf(picture) {
  const { comparison, header, lanes } = picture;
  const lane = steppedLane(picture);
  const round = lane && roundOf(lane);
  if (!round || !lanes.vanilla || !comparison || !hasStory(picture)) return null;
  const drafts = round.shown.filter(({ drafted }) => drafted !== null);
  const last = round.shown.find(({ drafted }) => drafted === null) ?? null;
  const each = Math.min(WORD_MS, BLOCK_MS / drafts.length);
  const draftEnd = FIRST_MS + each * drafts.length;
  const accepted = drafts.filter(({ role }) => role === "accepted").length;
  const look = draftEnd + 500;
  const verdicts = look + READ_MS;
  const rejectedAt = verdicts + (accepted ? READ_MS : 0);
  const rejected = drafts.length - accepted;
  const replacedAt = rejectedAt + (rejected ? READ_MS : 0);
  const race = replacedAt + LAST_MS;
  const slow = paceOf(longestDuration(picture));
  const duration = race + slow * longestDuration(picture);
  /** @type {Word[]} */
  const words = drafts.map((one, i) => {
    const stays = one.role === "accepted";
    return { token: one, at: FIRST_MS + each * i, decided: stays ? verdicts + 250 * i : rejectedAt };
  });
  if (last) words.push({ token: last, at: replacedAt, decided: replacedAt });
  const pace = slow === 1 ? "real" : slow > 1 ? "slow" : "fast";
  /** @type {(Scene | null)[]} */
  const candidates = [
    { at: 0, key: "first" },
    { at: FIRST_MS, key: "types", who: "small" },
    { at: look, key: "look", who: "large" },
    accepted ? { at: verdicts, key: rejected ? "kept" : "kept_all", who: "large" } : null,
    rejected ? { at: rejectedAt, key: rejected > 1 ? "struck" : "struck_one", who: "large" } : null,
    { at: replacedAt, key: last?.role === "corrected" ? "replaced" : "free", who: "large" },
    { at: race, key: `race_${pace}`, who: "both" },
    { at: duration, key: endOf(comparison), who: "both" },
  ];
  const scenes = candidates.filter((scene) => scene !== null);
  const values = {
    n: slow >= 1 ? slow : Math.round(1 / slow),
    speedup: comparison.speedup,
    alone: lanes.vanilla.numbers.target_forwards,
    own: lane.numbers.target_forwards,
  };
  const { question, context } = contextOf(header, lane, round);
  return {
    question,
    before: context.map((text, i) => ({ text, at: 100 + 120 * i })),
    words,
    scenes,
    look: { from: look, to: verdicts },
    race,
    slow,
    duration,
    stills: [FIRST_MS - 1, race - 1, duration],
    stops: [...scenes.slice(1).map(({ at }) => at - 1), duration].filter((at, i, all) => at > (all[i - 1] ?? 0)),
    values,
  };
}

/** The scene at a moment. @param {Scene[]} scenes @param {number} t */
export const sceneAt = (scenes, t) => scenes.findLast(({ at }) => at <= t) ?? scenes[0];

/** How a word of the round looks at a moment. @param {Word} word @param {number} t */
export function roleAt({ token: span, at, decided }, t) {
  if (t < at) return "";
  return t < decided ? "drafted" : span.role;
}

/** How far a word has flown in, from 0 to 1. @param {Word} word @param {number} t */
const flightAt = ({ at }, t) => Math.min(1, Math.max(0, (t - at) / 350));

/** What is said at the end. @param {import("../shared/types.js").Comparison} comparison */
function endOf({ kind, same }) {
  const said = same ? "end_same" : "end";
  if (kind === "disturbed") return `${said}_counts`;
  return kind === "slower" ? `${said}_slower` : said;
}

/** A round of which something stays and something is replaced, of whole words where there is one; else one that is kept
 * whole, else any that drafted. @param {Lane} lane @returns {Round | null} */
function roundOf(lane) {
  const drafts = draftRounds(lane);
  const ofWords = drafts.filter(({ shown }) => shown.every(({ text }) => /^\s\p{L}+$/u.test(text)));
  const instructive = instructiveRound({ ...lane, rounds: ofWords }) ?? instructiveRound({ ...lane, rounds: drafts });
  return instructive ?? drafts.find(({ drafted }) => drafted.length > 1) ?? drafts[0];
}

/** What stands before a round: the last words, and the whole question where a chat template parts it from its answer.
 * @param {Header} header @param {Lane} lane @param {Round} round */
function contextOf(header, { prompt, rounds }, { index }) {
  const spans = rounds.slice(0, index).flatMap(({ shown }) => shown);
  const answer = spans.filter(({ emitted }) => emitted !== null).map(({ text }) => text);
  const [from, to] = userTokens(prompt, header);
  const promptTokens = prompt.slice(from, to).filter(({ kind }) => kind !== "special");
  const words = promptTokens.map(({ shown }) => shown);
  const hasAnswer = to < prompt.length;
  const context = (hasAnswer ? answer : [...words, ...answer]).slice(-CONTEXT_WORDS);
  return { question: hasAnswer ? words.join("") : "", context };
}

/** How many times slower than measured both lanes are shown: in real time where that can be followed, else by a round
 * number. @param {number} duration */
function paceOf(duration) {
  if (duration > MAX_RACE_MS) return 1 / Math.ceil(duration / MAX_RACE_MS);
  if (duration >= MIN_RACE_MS) return 1;
  const factor = MIN_RACE_MS / Math.max(1e-3, duration);
  const digit = 10 ** Math.floor(Math.log10(factor));
  return digit * Math.ceil(factor / digit);
}

// Draws the story: what is said, the round as a line of words, both lanes. `move` brings all of it to a moment.

/** @type {[LaneName, string][]} */
const LANES = [
  ["vanilla", "story_alone"],
  ["speculative", "story_with"],
];
/** @type {[role: string, word: string][]} who wrote a word */
const KEYS = [
  ["accepted", "story_draft"],
  ["corrected", "story_target"],
  ["bonus", "from_bonus"],
];
const FLIGHT = 28; // px

/** @param {Story} story @param {Picture} picture @param {boolean} stills a picture a beat, which says the whole beat */
function makeStage(story, picture, stills) {
  const { words, scenes, look, race, slow, values, question, before } = story;
  const sentence = el("p.sv-story-said", { "aria-live": "polite" });
  const kind = picture.header.draft?.kind;
  const drafter = { who: wordOf(`who_${kind}`), ahead: wordOf(`ahead_${kind}`) };
  const models = ["small", "large"].map((who) =>
    el("span.sv-story-model", { "data-who": who }, fillText(wordOf(`story_${who}`), drafter)),
  );
  const tokens = words.map(({ token: span }) => {
    const looks = { "data-final": span.role, "data-glyph": ROLES[span.role].glyph };
    return el("span.sv-token", looks, visible(span.text.trim()));
  });
  const context = before.map(({ text }) => el("span.sv-token", { "data-final": "prompt" }, visible(text)));
  const block = words.map(({ token: span }, i) => (span.drafted === null ? null : tokens[i]));
  const others = words.map(({ token: span }, i) => (span.drafted === null ? tokens[i] : null));
  const line = el("p.sv-story-line", null, context, " ", el("span.sv-story-block", null, block), " ", others);
  const questionNode = question ? el("p.sv-story-question", null, question) : null;
  const lanes = LANES.map(([name, word]) => {
    const view = buildLane(name, picture);
    view.root.querySelector("h3")?.replaceChildren(wordOf(word));
    return view;
  });
  const keys = KEYS.map(([role, word]) => el("span.sv-token", { "data-role": role }, wordOf(word)));
  lanes[1].root.append(el("p.sv-story-keys", null, keys));
  const laneNodes = el("div.sv-lanes", { inert: "" }, ...lanes.map(({ root }) => root));
  const root = el(
    "div.sv-story-stage",
    null,
    sentence,
    el("div.sv-story-scene", null, el("div", null, el("p.sv-story-models", null, models), questionNode, line), laneNodes),
  );

  /** @param {Scene} scene */
  function sceneText({ key: says }) {
    const key = stills && says !== "first" && !says.startsWith("end") ? "story_round" : `story_${says}`;
    return plain(key, { ...values, ...drafter, speedup: number(values.speedup, 1) });
  }

  return {
    root,
    /** @param {number} t */
    move(t) {
      const scene = sceneAt(scenes, t);
      setText(sentence, sceneText(scene));
      root.dataset.scene = scene.who === "both" ? "race" : "round";
      for (const one of models) one.toggleAttribute("data-on", one.dataset.who === scene.who);
      for (const [i, { at }] of before.entries()) context[i].dataset.role = t >= at ? "prompt" : "";
      for (const [i, word] of words.entries()) {
        const flight = flightAt(word, t);
        const token = tokens[i];
        token.dataset.role = roleAt(word, t);
        token.style.opacity = String(flight);
        token.style.transform = flight < 1 ? `translateY(${-FLIGHT * (1 - flight) ** 2}px)` : "";
      }
      root.toggleAttribute("data-looks", t >= look.from && t < look.to);
      if (t >= race) for (const lane of lanes) moveLane(lane, (t - race) / slow, true);
    },
  };
}

const FRAME_MS = 50; // of the story's clock at most, however late a frame is

/** It gives way to what was asked for. @param {Race} race */
export function endStory({ root }) {
  root.querySelector(".sv-story")?.remove();
  document.body.removeAttribute("data-sv-story");
}

/** @param {Race} race @param {Picture} picture @param {LoadGame | null} loadGame */
export function tellStory(race, picture, loadGame) {
  const story = storyOf(picture);
  if (!story) return;
  endStory(race);
  race.state?.clock.pause();
  writeStored("story", true);
  const stills = still();
  const stage = makeStage(story, picture, stills);
  const clock = makeClock(story.duration, () => paintStory(), { moments: stills ? story.stills : story.stops }, FRAME_MS);
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
  const root = el("section.sv-story", { "aria-label": WORDS.story }, el("h2.sv-unseen", null, WORDS.story), stage.root, bar);

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

/** Space, arrows and Escape, on the bare page and on the story itself. @param {KeyboardEvent} event
 * @param {HTMLElement} root @param {import("../shared/types.js").Clock} clock @param {() => void} leave */
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

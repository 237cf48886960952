// A chapter's page: the bar above it (all chapters or the stops of the lesson, the teacher's notes, the projector), its
// words and question, its picture in a player.

import { makeClock, nextStop } from "../player/clock.js";
import { button, el, query, redraw, setText, still, writeTabStored } from "../player/dom.js";
import { explain, fold, glossary, openDialog, pageAddress, sharedLink } from "../player/page.js";
import { fillText, number } from "../player/words.js";
import { copy, exercise, navItem } from "../shared/exercise.js";
import { accept } from "./chapters/accept.js";
import { alone } from "./chapters/alone.js";
import { busy } from "./chapters/busy.js";
import { draft } from "./chapters/draft.js";
import { whoRunsWhat } from "./chapters/engines.js";
import { guess } from "./chapters/guess.js";
import { residual } from "./chapters/residual.js";
import { rounds } from "./chapters/rounds.js";
import { speed } from "./chapters/speed.js";
import { verify } from "./chapters/verify.js";
import { waysToDraft } from "./chapters/ways.js";
import { whole } from "./chapters/whole.js";
import { LESSON, neighbour, PAGE } from "./lesson.js";
import { beatAt, beatEnds, megabytes } from "./picture.js";
import { estimateSection, questionSection } from "./question.js";

/** @import { Actions, Chapter, Costs, Excerpts, Pair, Picture, Stage, Tab } from "./types.js" */
/** @import { Values } from "../player/words.js" */

/** @param {Tab} tab @param {Actions} act */
function chapterBar(tab, act) {
  const stops = tab.lesson ? LESSON.path.map(({ chapter }) => chapter) : LESSON.chapters.map((_, i) => i);
  const items = stops.map((i, place) => {
    if (i === null) return navItem("✎", PAGE.room, PAGE.room, false, act.openRoom);
    const { short, title } = LESSON.chapters[i];
    return navItem(String(i + 1), short, title, i === tab.chapter, () => {
      act.openChapter(i);
      query(tab.root, `.lrn-chapters li:nth-child(${place + 1}) button`).focus({ preventScroll: true });
    });
  });
  return el("nav.sv-nav.sv-flow.sv-ends", { "aria-label": PAGE.chapters }, el("ol.lrn-chapters", null, items), toggles(tab, act));
}

/** The projector is on or off as the root says. @param {Tab} tab @param {Actions} act */
function toggles({ root, lesson }, act) {
  const projecting = root.hasAttribute("data-projector");
  const notes = button(PAGE.notes, act.toggleNotes, { title: PAGE.notes_where });
  const word = projecting ? PAGE.leave_projector : PAGE.projector;
  const projector = button(word, () => act.setProjector(!projecting), { "aria-pressed": String(projecting) });
  const alert = { notes: PAGE.notes_blocked, pack: PAGE.pack_blocked, lost: PAGE.lost }[root.dataset.unopened ?? ""];
  const alertNote = alert ? el("p.sv-note", { role: "alert" }, alert) : null;
  const attributes = { "aria-pressed": String(lesson), title: PAGE.lesson_what };
  const path = LESSON.path.length ? button(PAGE.lesson, () => act.followLesson(!lesson), attributes) : null;
  const menu = fold("teach", "lrn-teach", PAGE.teach, () => [el("div.sv-flow", null, path, notes, projector)]);
  menu.open ||= projecting; // the way back
  const address = projecting ? el("span.sv-address", null, pageAddress()) : null;
  return el("div.lrn-toggles.sv-flow", null, alertNote, address, menu);
}

/** @param {Tab} tab @param {Actions} act @param {boolean} on */
export function setProjector(tab, act, on) {
  const { root } = tab;
  root.toggleAttribute("data-projector", on);
  writeTabStored("projector", on ? "learn" : null);
  document.body.toggleAttribute("data-lrn-projector", on);
  redrawToggles(tab, act);
}

/** The toggles again, as things are now. @param {Tab} tab @param {Actions} act */
export function redrawToggles(tab, act) {
  redraw(tab.root, () => query(tab.root, ".lrn-toggles").replaceWith(toggles(tab, act)));
}

/** What draws a chapter from its excerpt. @type {Record<string, (excerpt: any, stage: Stage) => Picture>} */
const PICTURES = {
  accept,
  alone,
  busy,
  draft,
  engines: whoRunsWhat,
  guess,
  residual,
  rounds,
  speed,
  verify,
  ways: waysToDraft,
  whole,
};

const NEAR = 0.5; // ms: whoever stands this near to a stop is there
const IN_VIEW = 0.6; // of a picture with its player, or of the window if that is less

/**
 * Draw the chapter that the tab is at. @param {Tab} tab @param {Excerpts} excerpts
 * @param {Actions | null} act what leads to others; null: it stands alone
 */
export function drawChapter(tab, excerpts, act) {
  const chapter = LESSON.chapters[tab.chapter];
  const { passes, room } = tab.stage;
  passes.clearListeners(); // of the chapter before
  passes.asked ||= "tokens" in chapter.question && tab.answers.has(tab.chapter);
  room.removeListeners();
  const facts = factsOf(chapter.key, excerpts);
  const picture = pictureOf(chapter.key, excerpts, tab.stage);
  tab.stage.player = picture && makePlayer(picture);
  const view = tab.stage.player ? tab.stage.player.root : el("p.sv-note", null, PAGE.nothing);
  const attributes = { "data-chapter": chapter.key, "aria-labelledby": "lrn-title" };
  const article = el("article.lrn-chapter", attributes, lessonText(chapter, facts, tab), view);
  if (act) tab.root.replaceChildren(chapterBar(tab, act), article, foot(chapter, tab, facts, act));
  else tab.root.replaceChildren(article, el("footer.lrn-foot", null, el("div.lrn-base.sv-flow", null, basis(chapter, facts))));
  begin(picture, tab.stage.player);
}

/** A picture plays when it comes into view. What begins with what a visitor does stands at its beginning; for who wants
 * no motion all others stand at their end.
 * @param {Picture | null} picture @param {Tab["stage"]["player"]} player */
function begin(picture, player) {
  if (!picture || !player) return;
  const { clock, root } = player;
  clock.seek(still() && !picture.waits ? clock.duration : 0);
  if (still() || picture.waits) return;
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some(isInView)) return;
      observer.disconnect();
      if (root.isConnected && clock.t === 0) clock.play(); // else the visitor was there first
    },
    { threshold: [0.1, 0.2, 0.3, 0.4, 0.5, IN_VIEW] },
  );
  observer.observe(root);
}

/** @param {IntersectionObserverEntry} entry */
function isInView({ intersectionRect: part, boundingClientRect: whole }) {
  return part.height > 0 && part.height >= IN_VIEW * Math.min(whole.height, window.innerHeight);
}

/** null where no recorded run has anything to show.
 * @param {string} key @param {Excerpts} excerpts @param {Stage} stage */
function pictureOf(key, excerpts, stage) {
  const excerpt = excerpts[key];
  const draw = PICTURES[key];
  if (!draw || !excerpt || (Array.isArray(excerpt) && !excerpt.length)) return null;
  return draw(excerpt, stage);
}

/** What the sentences of a chapter and its sources may name. @param {string} key @param {Excerpts} excerpts */
function factsOf(key, excerpts) {
  const data = excerpts[key];
  const pair = /** @type {Pair & Partial<Costs>} */ (data && "target" in data ? data : excerpts.speed);
  const { target, draft, device } = pair;
  const c = number(pair.c ?? null, 2);
  return { target: target.name, draft: draft.name, device, megabytes: megabytes(target), c };
}

/** @param {Chapter} chapter @param {Values} facts @param {Tab} tab */
function lessonText(chapter, facts, tab) {
  const place = fillText(PAGE.chapter_of, { n: tab.chapter + 1, of: LESSON.chapters.length });
  const terms = new Set(); // a term is explained once in a chapter
  return el(
    "div.lrn-words.sv-stack",
    null,
    el("p.lrn-number.sv-note", null, place),
    el("h2", { id: "lrn-title", tabindex: -1 }, chapter.title),
    ...chapter.text.map((sentences) => el("p.lrn-text", null, explain(sentences, facts, terms))),
    "choices" in chapter.question
      ? questionSection(chapter.question, tab, chapter.key)
      : estimateSection(chapter.question, tab, chapter.key),
    exercise(chapter.exercise, PAGE.exercise, PAGE.show_answers),
  );
}

/** What it is based on. @param {Chapter} chapter @param {Values} facts */
function basis({ sources, more }, facts) {
  const names = sources.map((name) => fillText(LESSON.sources[name], facts)).join(" · ");
  return el(
    "details.lrn-more",
    null,
    el("summary", null, PAGE.more),
    more.map((sentence) => el("p", null, explain(sentence))),
    el("p.lrn-sources", null, `${PAGE.sources}: `, names),
  );
}

/** Where to go from here: the chapters beside it and Watch with its settings; and what it is based on.
 * @param {Chapter} chapter @param {Tab} tab @param {Values} facts @param {Actions} act */
function foot(chapter, tab, facts, act) {
  const tryButton = button(PAGE.try, act.tryIt, { class: "lrn-try" });
  const copied = el("span", { role: "status" });
  return el(
    "footer.lrn-foot",
    null,
    turnButton(["← ", PAGE.previous, ""], tab, -1, act),
    el("div.lrn-go.sv-flow", null, tryButton, el("span", null, chapter.go)),
    neighbour(tab, 1)
      ? turnButton(["", PAGE.next, " →"], tab, 1, act)
      : button([LESSON.ending.words.finish, " →"], act.openEnding, { class: "lrn-turn" }),
    el(
      "div.lrn-base.sv-flow.sv-ends",
      null,
      basis(chapter, facts),
      el("p.lrn-keys", null, PAGE.keys),
      button(PAGE.glossary, () => openDialog(tab.root, PAGE.glossary, glossary()), { class: "sv-link" }),
      button(PAGE.sheet, () => act.print("students_sheet"), { title: PAGE.sheet_what, class: "sv-link" }),
      button(PAGE.pack, () => act.print("teachers_pack"), { title: PAGE.pack_what, class: "sv-link lrn-pack" }),
      button(PAGE.copy, () => copy((sentence) => setText(copied, sentence), sharedLink(location.href), PAGE.copied, PAGE.link), {
        class: "sv-link",
      }),
      copied,
    ),
  );
}

/** @param {string[]} word @param {Tab} tab @param {1 | -1} way @param {Actions} act */
function turnButton(word, tab, way, act) {
  const next = neighbour(tab, way);
  const node = button(word, () => act.turnBy(way), { class: "lrn-turn", title: next ? next.title : null });
  node.disabled = !next;
  return node;
}

/** Play, step, time, and the sentence of the moment. @param {Picture} picture */
export function makePlayer({ node, beats, tail, paint }) {
  const duration = beats[beats.length - 1].at + tail;
  const stops = beatEnds(beats, duration);
  const caption = el("p.lrn-told");
  const play = button("", () => clock.toggle(), { class: "sv-first" });
  const scrub = el("input", { type: "range", min: 0, max: duration, step: "any", "aria-label": PAGE.time });
  let captionBeat = -1;
  let byVisitor = false; // what is drawn is the visitor's own, until the player goes on
  const clock = makeClock(duration, ({ t, playing }) => {
    const i = beatAt(beats, t);
    const anew = byVisitor;
    byVisitor = false;
    paint(t, i, anew);
    setText(play, playing ? PAGE.pause : t >= duration ? PAGE.again : PAGE.play);
    scrub.value = String(t);
    if (i !== captionBeat || anew || !playing) caption.replaceChildren(...explain(...beats[i].sentence));
    captionBeat = i;
    caption.setAttribute("aria-live", playing ? "off" : "polite");
    if (!playing) scrub.setAttribute("aria-valuetext", caption.textContent ?? "");
  });
  clock.slow = 1;
  const step = (/** @type {1 | -1} */ way) => {
    clock.pause();
    clock.seek(nextStop(clock.t, way, stops, duration, NEAR));
  };
  scrub.addEventListener("input", () => {
    const seekTo = Number(scrub.value); // read first: pausing paints, and painting moves the scrubber
    clock.pause();
    clock.seek(seekTo);
  });
  /** Pause, since the visitor moves something of the picture. */
  const pauseForVisitor = () => {
    byVisitor = false; // to pause is not to go on
    clock.pause();
    byVisitor = true;
    setText(caption, PAGE.by_hand); // the sentence of the moment is of other values
  };
  /** The moment again, with its own values and sentence. */
  const restoreMoment = () => clock.seek(clock.t);
  const steps = [button("‹", () => step(-1), labels(PAGE.back)), button("›", () => step(1), labels(PAGE.on))];
  const bar = el("div.lrn-player.sv-flow", { role: "group" }, play, steps, scrub);
  return {
    root: el("section.lrn-stage.sv-stack", null, el("div.lrn-picture", null, node), caption, bar),
    clock,
    step,
    pauseForVisitor,
    restoreMoment,
  };
}

/** Of a button that shows a sign. @param {string} word */
const labels = (word) => ({ "aria-label": word, title: word });

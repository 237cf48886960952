// A chapter's page: its words and question, its picture in a player.

import { el } from "../shared/dom.js";
import { exercise } from "../shared/exercise.js";
import { explain } from "../shared/glossary.js";
import { number } from "../shared/numbers.js";
import { fillText } from "../shared/sentences.js";
import { chapterBar } from "./chapters.js";
import { estimate } from "./estimate.js";
import { foot } from "./foot.js";
import { LESSON, PAGE } from "./lesson.js";
import { pictureOf } from "./pictures.js";
import { makePlayer } from "./player.js";
import { question } from "./question.js";
import { megabytes } from "./weights.js";

/** @import { Values } from "../shared/sentences.js" */
/** @import { Actions, Chapter, Costs, Excerpts, Pair, Picture, Tab } from "./types.js" */

/** Draw the chapter that the tab is at. @param {Tab} tab @param {Excerpts} excerpts @param {Actions} act */
export function drawChapter(tab, excerpts, act) {
  const chapter = LESSON.chapters[tab.chapter];
  for (const told of [tab.stage.passes, tab.stage.room]) told.forget(); // what the chapter before heard
  const facts = factsOf(chapter.key, excerpts);
  const picture = pictureOf(chapter.key, excerpts, tab.stage);
  tab.stage.player = picture && makePlayer(picture);
  const shown = tab.stage.player ? tab.stage.player.root : el("p.sv-note", null, PAGE.nothing);
  const named = { "data-chapter": chapter.key, "aria-labelledby": "lrn-title" };
  tab.root.replaceChildren(
    chapterBar(tab, act),
    el("article.lrn-chapter", named, words(chapter, facts, tab), shown),
    foot(chapter, tab, facts, act),
    actOf(picture) ?? "",
  );
}

/** What somebody can do after the picture. @param {Picture | null} picture */
function actOf(picture) {
  if (!picture?.act) return null;
  const { title, root } = picture.act;
  return el("section.lrn-act", { "aria-label": title }, el("h3", null, title), root);
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
function words(chapter, facts, tab) {
  const place = fillText(PAGE.chapter_of, { n: tab.chapter + 1, of: LESSON.chapters.length });
  const seen = new Set(); // a term is explained once in a chapter
  return el(
    "div.lrn-words.sv-stack",
    null,
    el("p.lrn-number.sv-note", null, place),
    el("h2", { id: "lrn-title", tabindex: -1 }, chapter.title),
    ...chapter.text.map((sentences) => el("p.lrn-text", null, explain(sentences, facts, seen))),
    "choices" in chapter.question
      ? question(chapter.question, tab, chapter.key)
      : estimate(chapter.question, tab, chapter.key),
    exercise(chapter.exercise, PAGE.exercise, PAGE.show_answers),
  );
}

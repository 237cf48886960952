// Shapes of the tab Learn, for the checker of types: the lesson (specviz/page/learn/lesson.py), and a few of
// ours. What its pictures are drawn from: excerpts.d.ts.

import type { GameServer, GameWords } from "../play/types.js";
import type { Room } from "../poll/types.js";
import type { Mount } from "../shared/types.js";
import type { makePlayer } from "./chapter.js";
import type { Excerpts, PassTimes } from "./excerpts.js";
import type { makePasses } from "./passes.js";

export type { Room, Votes } from "../poll/types.js";
export type * from "./excerpts.js";

export interface Lesson {
  chapters: Chapter[];
  sources: Record<string, string>;
  path: Stop[];
  /** after the last chapter (specviz/page/learn/lesson.py) */
  ending: {
    able: string[];
    questions: Question[];
    links: [word: string, href: string][];
    words: Record<string, string>;
  };
  game: GameWords;
  page: Record<string, string>;
}

/** A stop of the lesson of fifty minutes. `chapter`: from 0, null for the room; `from`, `until`: minutes. */
export type Stop = { chapter: number | null; from: number; until: number; what: string };

export interface Chapter {
  key: string;
  short: string;
  title: string;
  text: string[];
  more: string[];
  question: Question | Estimate;
  go: string;
  notes: string[];
  sources: string[];
  exercise: Exercise;
}

/** What a class does with a chapter: the task, its key, and what everybody should be able to do then. */
export type Exercise = Record<"task" | "key" | "able", string[]>;

export type Question = { ask: string; choices: string[]; right: number; why: string };

/** A number that is said before it is measured: of a pass over `tokens` tokens. */
export type Estimate = { ask: string; tokens: number; why: string };

// ---- the tab ----

/** What gradio gives the tab, and what the tab asks of Python. */
export interface LearnMount extends Mount<{ lesson: Lesson; measures: boolean }> {
  server: Record<string, (request: string | object) => Promise<string>>;
  drafting?: GameServer;
  measure(): void;
  tryIt(chapter: number): void;
}

/** What gradio gives the door: the lesson comes with all else. `alone`: in an app of somebody else's. */
export interface DoorMount extends Mount<{ opening: string; lost: string; measures: boolean; alone?: boolean }> {
  server: LearnMount["server"];
}

/** A sentence of the lesson and what fills it in. */
export type Sentence = [template: string, values?: Record<string, unknown>];

/** A moment of a picture, with the sentence that says what is seen then. */
export type Beat = { at: number; readonly sentence: Sentence };

/** `paint` brings what is drawn to time t, in beat i, from any other; `anew`: also where it stands there, after a visitor moved
 * something. `tail`: how long the last beat is. `waits`: it begins with what somebody does, and plays when it is asked to. */
export interface Picture {
  node: HTMLElement;
  beats: Beat[];
  tail: number;
  waits?: boolean;
  paint(t: number, i: number, anew: boolean): void;
}

/** A part of a picture that is shown a beat at a time, without `show` always whole. `t`: milliseconds since its first beat. */
export type View = { node: HTMLElement; sentences: Sentence[]; show?(i: number, anew: boolean, t: number): void };

export type Player = ReturnType<typeof makePlayer>;

/** What passes over n tokens took, or why that could not be measured. */
export type Measurement = { error: string } | PassTimes | LocalPassTimes;

/** Measured here, so the weights that each pass read are known. */
export type LocalPassTimes = PassTimes & { parameters: number; bytes: number };

/** Passes over blocks, measured here or recorded elsewhere. */
export type Passes = ReturnType<typeof makePasses>;

/** What a picture is shown on: its player, once it has one. */
export type Stage = { player: Player | null; passes: Passes; room: Room; drafting: GameServer | null };

/** The tab: all that is shown of it is drawn from this. */
export interface Tab {
  root: HTMLElement;
  excerpts: Excerpts | null;
  chapter: number;
  /** the lesson's path is followed */
  lesson: boolean;
  visible: boolean;
  answers: Map<number, number>;
  stage: Stage;
}

/** What a visitor can do in the tab, by hand or by key. */
export interface Actions {
  openChapter(n: number): void;
  turnTo(n: number): void;
  /** to what is beside it: a chapter, or in a lesson a stop */
  turnBy(way: 1 | -1): void;
  openRoom(): void;
  followLesson(on: boolean): void;
  setProjector(on: boolean): void;
  toggleNotes(): void;
  print(what: "teachers_pack" | "students_sheet"): Promise<void>;
  /** after the last chapter */
  openEnding(): void;
  tryIt(): void;
}

// Shapes of the site, for the checker of types: what specviz/site/data.py makes.

import type { LabData } from "../lab/types.js";
import type { Lesson } from "../learn/types.js";
import type { Picture, Vocabulary } from "../shared/types.js";
import type { Contract, Trace } from "../trace/types.js";

/** The record of a setting (specviz/config.py). */
export interface Setting {
  name: string;
  key: string;
  label: string;
  kind: "int" | "float" | "bool" | "str" | "tuple";
  low: number;
  high: number;
  or_zero: boolean;
  step: number | null;
  choices: Record<string, string>;
  saved: string[];
  /** what all of a text without choices matches */
  pattern: string;
  default: string | number | boolean;
  start: string | number | boolean;
  bound: string;
  span: string;
  help: string;
  /** what stands under the name of its field */
  info: string;
  strings: number;
  characters: number;
}

/** A way to draft; `kind`: as a trace names it; `draft`: as the engine takes it; `bytes`: of its weights. */
export type Drafter = { key: string; label: string; sentence: string; kind: string; draft: string; bytes: number };

/** What only the app has. `quiet`: it decides nothing without another one of these. */
export interface Absent {
  settings: { name: string; key: string; label: string; default: string | number | boolean; quiet: boolean }[];
  drafters: { key: string; label: string; kind: string }[];
  rules: { key: string; label: string }[];
}

export type RecordedRun = { name: string; title: string; sentence: string; prompt: string };

export interface SiteData {
  words: Record<string, string>;
  status: Record<string, string>;
  link: Record<string, string>;
  drop: { cue: string };
  history: Record<string, string>;
  settings: Setting[];
  absent: Absent;
  /** what a link always carries */
  bar: string[];
  /** row by row what is folded (specviz/page/watch/controls.py) */
  rows: string[][];
  drafters: Drafter[];
  examples: [name: string, text: string][];
  recorded: RecordedRun[];
  opening: { name: string };
  panels: string[];
  lesson: Lesson;
  chapters: Record<string, string>[];
  /** bounds of people who draft, and what is refused of them */
  people: Record<string, string>;
  limits: { prompt: number; link: number; kept: number; line: number };
  target: { name: string; bytes: number };
  /** fetched when somebody asks for it; null on a site without one */
  assistant: { name: string; bytes: number } | null;
  contract: Contract;
  /** passes over 1, 2, … tokens on the recorded GPU */
  costs: { device: string; target: string; ms: number[]; draft_ms: number };
  known: Vocabulary;
}

/** What comes when the Lab is first opened: script, sheet and words; what panels ask of everybody; sentences. */
export interface LabFile {
  sent: LabData & { script: string; style: string };
  answers: Record<string, string>;
  luck: Record<string, string>;
}

/** Values of fields, by key. */
export type Values = Record<string, string | number | boolean>;

/** A run as it is shown: its trace, its picture, the same as the race takes it, and the bytes of its trace. */
export type Run = { trace: Trace; picture: Picture; value: string; bytes: Uint8Array<ArrayBuffer> };

export type Link = { settings: Values; recorded: string | null; run: string | null; problems: string[] };

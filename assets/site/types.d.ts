// Shapes of the site, for the checker of types: what specviz/site/given.py gives it.

import type { Lesson } from "../learn/types.js";

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
  default: string | number | boolean;
  start: string | number | boolean;
  bound: string;
  span: string;
  help: string;
  rule: string | null;
  /** the key of the flag with which it is shown */
  beside: string | null;
  strings: number;
  characters: number;
}

/** A way to draft; `draft`: as the engine takes it; `bytes`: of its weights. */
export interface Drafter {
  key: string;
  label: string;
  sentence: string;
  drawn: string;
  draft: string;
  bytes: number;
}

export interface Recorded {
  name: string;
  title: string;
  sentence: string;
}

export interface Given {
  words: Record<string, string>;
  status: Record<string, string>;
  link: Record<string, string>;
  drop: { cue: string };
  settings: Setting[];
  bar: string[];
  drafters: Drafter[];
  examples: [name: string, text: string][];
  recorded: Recorded[];
  opening: { name: string; device: string };
  panels: string[];
  lesson: Lesson;
  chapters: Record<string, string>[];
  handout: Record<"draft" | "verify" | "rest" | "unit" | "label" | "bar", string>;
  limits: { prompt: number; link: number; kept: number };
  target: { name: string; bytes: number };
  known: { words: Record<string, string>; roles: Record<string, { glyph: string; word: string }> };
}

/** Values of fields, by key. */
export type Values = Record<string, string | number | boolean>;

export interface Link {
  settings: Values;
  recorded: string | null;
  run: string | null;
  problems: string[];
}
